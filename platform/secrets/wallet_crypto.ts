import { base58, base64urlnopad } from '@scure/base';
import { type Bytes, type KeyRing, seal, type SealedSecret, SealedSecretError, unseal } from './sealed_secrets.ts';

/** The owner of a secret. The ciphertext is bound to the owner and can't be decrypted for another owner. */
interface WalletOwner {
  user_id: string;
  public_key: string;
}

/** The DER of a PKCS #8 Ed25519 private key up to the key's 32 bytes. Source: RFC 8410, section 7. */
const PKCS8_HEAD = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/** All user ids have the same length, so the texts of two owners always differ. */
const boundTo = ({ user_id, public_key }: WalletOwner): string => `${user_id.toLowerCase()}${public_key}`;

/** Computes the Ed25519 public key of a secret key of 32 bytes. */
export async function derivePublicKey(secretKey: Uint8Array): Promise<Uint8Array> {
  const pkcs8 = new Uint8Array([...PKCS8_HEAD, ...secretKey]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const { x } = await crypto.subtle.exportKey('jwk', key);
  return base64urlnopad.decode(x ?? '');
}

/** Encrypts the secret key of a wallet with the current key, bound to this owner and public key. */
export const sealWallet = (keys: KeyRing, owner: WalletOwner, secretKey: Bytes): Promise<SealedSecret> =>
  seal(keys, boundTo(owner), secretKey);

/**
 * Decrypts a stored secret into a key pair of 64 bytes. Throws SealedSecretError if the secret belongs to another owner
 * or its encryption key is missing.
 */
export async function unsealWallet(keys: KeyRing, owner: WalletOwner, sealed: SealedSecret): Promise<Bytes> {
  const secretKey = await unseal(keys, boundTo(owner), sealed, 'wallet');
  const publicKey = await derivePublicKey(secretKey);
  if (base58.encode(publicKey) !== owner.public_key) {
    throw new SealedSecretError('The secret of the wallet belongs to another public key.');
  }
  return new Uint8Array([...secretKey, ...publicKey]);
}
