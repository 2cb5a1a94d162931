import { StandardConnect } from '@wallet-standard/features';
import type { SigningWallet } from './browser_wallets.ts';

/** Asks a wallet for its key. Throws when its holder refuses, or it has none. */
export async function connectWallet(wallet: SigningWallet): Promise<string> {
  const { accounts: [account] } = await wallet.features[StandardConnect].connect();
  if (account === undefined) throw new Error(`${wallet.name} shows no key to this page.`);
  return account.address;
}
