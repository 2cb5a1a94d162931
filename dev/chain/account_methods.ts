import type { Account } from './account.ts';
import { asMint, asTokenAccount, encodeAccount, formatTokenAmount } from './account_encoding.ts';
import { type Methods, withContext } from './rpc_method.ts';
import { invalidParams } from './rpc_error.ts';

const MAX_ACCOUNTS = 100;

/**
 * The RPC methods that read accounts. Source of names, answers and errors: Solana documentation, "RPC HTTP methods".
 */
export const accountMethods: Methods = {
  getBalance(ledger, params) {
    const account = ledger.read(params.publicKey(0));
    return withContext(ledger, params.config(1), account?.lamports ?? 0n);
  },

  getAccountInfo(ledger, params) {
    const config = params.config(1);
    return withContext(ledger, config, encodeAccount(ledger.read(params.publicKey(0)), config, ledger.read));
  },

  getMultipleAccounts(ledger, params) {
    const config = params.config(1);
    const accounts = params.publicKeys(0, MAX_ACCOUNTS).map(ledger.read);
    return withContext(ledger, config, accounts.map((account) => encodeAccount(account, config, ledger.read)));
  },

  getMinimumBalanceForRentExemption: (ledger, params) => ledger.minimumBalance(params.integer(0)),

  getTokenSupply(ledger, params) {
    const account: Account | undefined = ledger.read(params.publicKey(0));
    if (account === undefined) throw invalidParams('Invalid param: could not find mint');
    const mint = asMint(account);
    if (mint === undefined) throw invalidParams('Invalid param: not a Token mint');
    return withContext(ledger, params.config(1), formatTokenAmount(mint.supply, mint.decimals));
  },

  getTokenAccountBalance(ledger, params) {
    const account = ledger.read(params.publicKey(0));
    if (account === undefined) throw invalidParams('Invalid param: could not find account');
    const token = asTokenAccount(account);
    if (token === undefined) throw invalidParams('Invalid param: not a Token account');
    const mint = ledger.read(token.mint);
    const decimals = mint && asMint(mint)?.decimals;
    if (decimals === undefined) throw invalidParams('Invalid param: could not find mint');
    return withContext(ledger, params.config(1), formatTokenAmount(token.amount, decimals));
  },
};
