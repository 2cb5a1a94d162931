import { gcmParams, type SealedSecret, type WalletKeys, type WalletOwner } from '../_shared/wallet_crypto.ts';

/**
 * Bytes of an AES-GCM nonce. Source: NIST SP 800-38D, section 8.2.2. It may be random, because one key encrypts far
 * fewer than 2^32 wallets.
 */
const NONCE_BYTES = 12;

/** Encrypts the secret key of a wallet with the current key, bound to this owner and public key. */
export async function encryptSecret(
  keys: WalletKeys,
  owner: WalletOwner,
  secretKey: Uint8Array<ArrayBuffer>,
): Promise<SealedSecret> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  // SAFETY: readWalletKeys takes the current id from its keys.
  const key = await keys.get(keys.currentId)!;
  const ciphertext = await crypto.subtle.encrypt(gcmParams(nonce, owner), key, secretKey);
  return { key_id: keys.currentId, nonce, ciphertext: new Uint8Array(ciphertext) };
}
