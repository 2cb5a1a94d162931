import {
  SolanaSignAndSendTransaction,
  type SolanaSignAndSendTransactionFeature,
  SolanaSignTransaction,
  type SolanaSignTransactionFeature,
} from '@solana/wallet-standard-features';
import { base58 } from '@scure/base';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { StandardConnect, type StandardConnectFeature } from '@wallet-standard/features';
import type { PendingSignatureRequest } from 'flow-deployments-client';
import { useEffect, useState } from 'react';
import { askWallet } from './wallet_error.ts';
import { feePayerOf, fromWire, SIGNATURE_BYTES, toWire } from './wallet_transaction.ts';

/** A browser wallet that shows its keys. */
export type ConnectingWallet = Wallet & { features: StandardConnectFeature };
/** A browser wallet that can sign transactions. */
export type SigningWallet = ConnectingWallet & { features: SolanaSignTransactionFeature };
/** A browser wallet that sends the transactions that it signs. */
export type SendingWallet = ConnectingWallet & { features: SolanaSignAndSendTransactionFeature };

export const canSign = (wallet: ConnectingWallet): wallet is SigningWallet => SolanaSignTransaction in wallet.features;
export const canSend = (wallet: ConnectingWallet): wallet is SendingWallet =>
  SolanaSignAndSendTransaction in wallet.features;

const isUsable = (wallet: Wallet): wallet is SigningWallet | SendingWallet =>
  StandardConnect in wallet.features &&
  (canSign(wallet as ConnectingWallet) || canSend(wallet as ConnectingWallet));

/** Returns the usable Solana wallets of this browser, and updates when wallets appear or disappear. */
export function useBrowserWallets(): readonly (SigningWallet | SendingWallet)[] {
  const [wallets, setWallets] = useState<readonly (SigningWallet | SendingWallet)[]>([]);
  useEffect(() => {
    const { get, on } = getWallets();
    const update = () => setWallets(get().filter(isUsable));
    update();
    const offs = [on('register', update), on('unregister', update)];
    return () => offs.forEach((off) => off());
  }, []);
  return wallets;
}

async function findAccount(wallet: ConnectingWallet, pubkey: string): Promise<WalletAccount> {
  const { accounts } = await askWallet(wallet, () => wallet.features[StandardConnect].connect());
  const account = accounts.find(({ address }) => address === pubkey);
  if (account !== undefined) return account;
  throw new Error(`${wallet.name} does not have the key ${pubkey}, or does not show it to this page.`);
}

/** Returns the name of a network in the form that wallets use. */
const chainOf = (cluster: string): `solana:${string}` => `solana:${cluster === 'mainnet-beta' ? 'mainnet' : cluster}`;

/** The answer to a signature request. */
interface Signed {
  signature: string;
  /** The message that was signed, if the wallet has changed it. */
  newMessage: string | undefined;
}

/** Signs a transaction with one of a wallet's keys. Throws if the wallet refuses, or does not have the key. */
async function signedBy(
  wallet: SigningWallet,
  pubkey: string,
  transaction: Uint8Array,
  cluster: string,
): Promise<Uint8Array> {
  const account = await findAccount(wallet, pubkey);
  const [output] = await askWallet(
    wallet,
    () => wallet.features[SolanaSignTransaction].signTransaction({ account, transaction, chain: chainOf(cluster) }),
  );
  if (output === undefined) throw new Error(`${wallet.name} returned nothing.`);
  return output.signedTransaction;
}

/** Signs a run's signature request with a wallet. Throws if the wallet refuses, or does not have the key. */
export async function signWith(
  wallet: SigningWallet,
  { pubkey, message, signatures }: Pick<PendingSignatureRequest, 'pubkey' | 'message' | 'signatures'>,
  cluster: string,
): Promise<Signed> {
  const signed = fromWire(await signedBy(wallet, pubkey, toWire(message, signatures ?? []), cluster), pubkey);
  return { signature: signed.signature, newMessage: signed.message === message ? undefined : signed.message };
}

/** Signs a transaction with a wallet as its fee payer, and returns the bytes to send. Throws if the wallet refuses. */
export async function signToSend(wallet: SigningWallet, wire: Uint8Array, cluster: string): Promise<Uint8Array> {
  const payer = feePayerOf(wire);
  const signed = await signedBy(wallet, payer, wire, cluster);
  fromWire(signed, payer);
  return signed;
}

/**
 * Signs and sends a transaction with a wallet as its fee payer, and returns the signature of the transaction. Throws if
 * the wallet refuses.
 */
export async function sendWith(wallet: SendingWallet, wire: Uint8Array, cluster: string): Promise<string> {
  const account = await findAccount(wallet, feePayerOf(wire));
  const [output] = await askWallet(
    wallet,
    () =>
      wallet.features[SolanaSignAndSendTransaction].signAndSendTransaction({
        account,
        transaction: wire,
        chain: chainOf(cluster),
      }),
  );
  if (output?.signature.length !== SIGNATURE_BYTES) {
    throw new Error(`${wallet.name} returned no signature of the transaction that it sent.`);
  }
  return base58.encode(output.signature);
}
