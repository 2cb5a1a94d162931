import type { AccountReader } from './account.ts';
import { asMint, asTokenAccount, formatTokenAmount } from './account_encoding.ts';
import type { RpcJson } from './rpc_params.ts';

/**
 * The balances of a transaction's accounts, before or after the transaction. They have the order of the accounts in the
 * transaction.
 */
export interface Balances {
  lamports: bigint[];
  /** One entry for each account that is a token account, as a Solana RPC node answers it. */
  tokens: RpcJson[];
}

export function readBalances(accounts: readonly string[], read: AccountReader): Balances {
  const tokens: RpcJson[] = [];
  const lamports = accounts.map((address, accountIndex) => {
    const account = read(address);
    const token = account && asTokenAccount(account);
    const itsMint = token && read(token.mint);
    const decimals = itsMint && asMint(itsMint)?.decimals;
    if (account !== undefined && token !== undefined && decimals !== undefined) {
      const amount = formatTokenAmount(token.amount, decimals);
      tokens.push({
        accountIndex,
        mint: token.mint,
        owner: token.owner,
        programId: account.owner,
        // A node stores a balance of zero as null. Source: Agave, `storage-proto/src/convert.rs`.
        uiTokenAmount: token.amount === 0n ? { ...amount, uiAmount: null } : amount,
      });
    }
    return account?.lamports ?? 0n;
  });
  return { lamports, tokens };
}
