import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

/** Makes a key pair: the base58 text of 64 bytes, which are the secret key and then the public key. */
export function makeKeyPair(): string {
  const secret = ed25519.utils.randomSecretKey();
  return base58.encode(new Uint8Array([...secret, ...ed25519.getPublicKey(secret)]));
}

/** Returns the public key in a key pair. Throws for any other text. Only the server checks that both halves match. */
export function publicKeyOf(keypair: string): string {
  const bytes = /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(keypair) ? base58.decode(keypair) : new Uint8Array();
  if (bytes.length !== 64) throw new Error('The key pair must be base58 of 64 bytes.');
  return base58.encode(bytes.slice(32));
}
