import type { AccountReader } from './account.ts';
import { asMint, asTokenAccount, formatTokenAmount } from './account_encoding.ts';
import type { RpcJson } from './rpc_params.ts';

/** The balances of a transaction's accounts before or after it, in the transaction's order and the node's form. */
export interface Balances {
  lamports: bigint[];
  /** The balances of those accounts that are token accounts. */
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
        // A node's storage turns a zero into null. Source: Agave, `storage-proto/src/convert.rs`.
        uiTokenAmount: token.amount === 0n ? { ...amount, uiAmount: null } : amount,
      });
    }
    return account?.lamports ?? 0n;
  });
  return { lamports, tokens };
}
