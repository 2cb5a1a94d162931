import type { AccountReader } from './account.ts';
import { asMint, asTokenAccount, formatTokenAmount } from './account_encoding.ts';
import type { Json } from './rpc_params.ts';

/** What the accounts of a transaction hold, in its order, as the node keeps it: before it, or after it. */
export interface Balances {
  lamports: bigint[];
  /** Of those that are token accounts. */
  tokens: Json[];
}

export function readBalances(accounts: readonly string[], read: AccountReader): Balances {
  const tokens: Json[] = [];
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
        // A zero gets lost in the node's store. Source: Agave, `storage-proto/src/convert.rs`.
        uiTokenAmount: token.amount === 0n ? { ...amount, uiAmount: null } : amount,
      });
    }
    return account?.lamports ?? 0n;
  });
  return { lamports, tokens };
}
