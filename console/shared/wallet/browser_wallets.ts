import { SolanaSignTransaction, type SolanaSignTransactionFeature } from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { StandardConnect, type StandardConnectFeature } from '@wallet-standard/features';
import type { PendingSignatureRequest } from 'flow-deployments-client';
import { useEffect, useState } from 'react';
import { fromWire, toWire } from './wire_transaction.ts';

/** A wallet of the browser that can sign transactions. */
export type SigningWallet = Wallet & { features: StandardConnectFeature & SolanaSignTransactionFeature };

const canSign = (wallet: Wallet): wallet is SigningWallet =>
  StandardConnect in wallet.features && SolanaSignTransaction in wallet.features;

/** The wallets of this browser that can sign transactions, also those that come later. */
export function useBrowserWallets(): readonly SigningWallet[] {
  const [wallets, setWallets] = useState<readonly SigningWallet[]>([]);
  useEffect(() => {
    const { get, on } = getWallets();
    const update = () => setWallets(get().filter(canSign));
    update();
    const offs = [on('register', update), on('unregister', update)];
    return () => offs.forEach((off) => off());
  }, []);
  return wallets;
}

async function findAccount(wallet: SigningWallet, pubkey: string): Promise<WalletAccount> {
  const { accounts } = await wallet.features[StandardConnect].connect();
  const account = accounts.find(({ address }) => address === pubkey);
  if (account !== undefined) return account;
  throw new Error(`${wallet.name} does not have the key ${pubkey}, or does not show it to this page.`);
}

/** How wallets name a network. */
const chainOf = (cluster: string): `solana:${string}` => `solana:${cluster === 'mainnet-beta' ? 'mainnet' : cluster}`;

/** What answers a signature request. */
export interface Signed {
  signature: string;
  /** The message that was signed, where the wallet has changed it. */
  newMessage: string | undefined;
}

/** Has a wallet sign what a run asks for. Throws when the wallet refuses, or does not have the key. */
export async function signWith(
  wallet: SigningWallet,
  { pubkey, message, signatures }: Pick<PendingSignatureRequest, 'pubkey' | 'message' | 'signatures'>,
  cluster: string,
): Promise<Signed> {
  const account = await findAccount(wallet, pubkey);
  const [output] = await wallet.features[SolanaSignTransaction].signTransaction({
    account,
    transaction: toWire(message, signatures ?? []),
    chain: chainOf(cluster),
  });
  if (output === undefined) throw new Error(`${wallet.name} returned nothing.`);
  const signed = fromWire(output.signedTransaction, pubkey);
  return { signature: signed.signature, newMessage: signed.message === message ? undefined : signed.message };
}
