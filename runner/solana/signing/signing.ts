import { base58 } from '@scure/base';
import { createKeyPairFromBytes, signBytes } from '@solana/kit';
import { SealedSecretError } from '../../../platform/secrets/sealed_secrets.ts';
import { NodeError } from '../../engine/node.ts';
import type { ChainSigner } from '../transaction_order.ts';

/**
 * Opens the stored key pair (64 bytes) of the owner's wallet; undefined if none is stored. Throws a SealedSecretError
 * if it can't be opened.
 */
export type OpenWallet = (publicKey: string) => Promise<Uint8Array | undefined>;

const SECRET_BYTES = 32;

/**
 * Signs with a key pair of 64 bytes. If the pair does not match the public key, throws a NodeError that contains no key
 * bytes.
 */
async function signWithKeypair(keypair: Uint8Array, publicKey: string, content: Uint8Array): Promise<Uint8Array> {
  const isOf = keypair.length === 64 && base58.encode(keypair.subarray(SECRET_BYTES)) === publicKey;
  const pair = isOf ? await createKeyPairFromBytes(keypair).catch(() => undefined) : undefined;
  if (pair === undefined) {
    throw new NodeError(`the key pair of ${publicKey} does not match: its secret key belongs to another public key`);
  }
  return new Uint8Array(await signBytes(pair.privateKey, new Uint8Array(content)));
}

/** Signs with a stored key, which is decrypted only for this call; undefined if none is stored. */
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
    if (!(error instanceof SealedSecretError)) throw error;
    throw new NodeError(`the stored key of ${publicKey} can't be used: ${error.message}`);
  } finally {
    keypair?.fill(0);
  }
}

/**
 * Signs with a key if the runner may use the key. The runner may use a key pair in the flow's values. It may also use a
 * stored key of the owner if the owner's flows name this key. Returns undefined for every other key, whose holder has
 * to be asked.
 */
export async function signHere(
  openWallet: OpenWallet,
  signer: ChainSigner | undefined,
  content: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (signer?.type === 'keypair') return await signWithKeypair(signer.keypair, signer.publicKey, content);
  return signer?.isNamedByFlow ? await signWithStored(openWallet, signer.publicKey, content) : undefined;
}
