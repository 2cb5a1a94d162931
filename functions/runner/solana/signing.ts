import { base58 } from '@scure/base';
import { createKeyPairFromBytes, signBytes } from '@solana/kit';
import { WalletSecretError } from '../../_shared/wallet_crypto.ts';
import { NodeError } from '../engine/node.ts';
import type { ChainSigner } from './transaction.ts';

/** The stored key pair (64 bytes) of the owner's wallet; undefined when there is none. Throws WalletSecretError when it does not open. */
export type OpenWallet = (publicKey: string) => Promise<Uint8Array | undefined>;

const SECRET_BYTES = 32;

/** Signs with a key pair of 64 bytes. When they don't belong to this public key it throws a NodeError that shows nothing of them. */
async function signWithKeypair(keypair: Uint8Array, publicKey: string, content: Uint8Array): Promise<Uint8Array> {
  const isOf = keypair.length === 64 && base58.encode(keypair.subarray(SECRET_BYTES)) === publicKey;
  const pair = isOf ? await createKeyPairFromBytes(keypair).catch(() => undefined) : undefined;
  if (pair === undefined) {
    throw new NodeError(`the key pair of ${publicKey} does not match: its secret is of another key`);
  }
  return new Uint8Array(await signBytes(pair.privateKey, new Uint8Array(content)));
}

/** Signs with a stored key, which is open in memory only meanwhile; undefined when none is stored. */
export async function signWithStored(
  openWallet: OpenWallet,
  publicKey: string,
  content: Uint8Array,
): Promise<Uint8Array | undefined> {
  let keypair: Uint8Array | undefined;
  try {
    keypair = await openWallet(publicKey);
    return keypair && await signWithKeypair(keypair, publicKey, content);
  } catch (error) {
    if (!(error instanceof WalletSecretError)) throw error;
    throw new NodeError(`the stored key of ${publicKey} can't be used: ${error.message}`);
  } finally {
    keypair?.fill(0);
  }
}

/**
 * The signature of a key that may sign here: of a key pair in the flow's values, or of one that is stored for the owner and that only
 * the owner's flows name. Undefined for others: whoever holds them is asked.
 */
export async function signHere(
  openWallet: OpenWallet,
  signer: ChainSigner | undefined,
  content: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (signer?.type === 'keypair') return await signWithKeypair(signer.keypair, signer.publicKey, content);
  return signer?.isNamedByFlow ? await signWithStored(openWallet, signer.publicKey, content) : undefined;
}
