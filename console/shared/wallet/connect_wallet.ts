import { StandardConnect } from '@wallet-standard/features';
import type { ConnectingWallet } from './browser_wallets.ts';
import { askWallet } from './wallet_error.ts';

/** Asks a wallet for its key. Throws if the holder of the wallet refuses, or if the wallet has no key. */
export async function connectWallet(wallet: ConnectingWallet): Promise<string> {
  const { accounts: [account] } = await askWallet(wallet, () => wallet.features[StandardConnect].connect());
  if (account === undefined) throw new Error(`${wallet.name} shows no key to this page.`);
  return account.address;
}
