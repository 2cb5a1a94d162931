import { base58, base64, base64urlnopad } from '@scure/base';

type Bytes = Uint8Array<ArrayBuffer>;

/** The keys that encrypt the secrets of wallets, by id. */
export interface WalletKeys {
  /** The id of the key that encrypts. The other keys only decrypt older secrets. */
  currentId: string;
  get: (id: string) => Promise<CryptoKey> | undefined;
}

/** The owner of a secret. The ciphertext is bound to the owner: it can't be decrypted for another one. */
export interface WalletOwner {
  user_id: string;
  public_key: string;
}

/** A secret encrypted by AES-256-GCM, with the id of its key. */
export interface SealedSecret {
  key_id: string;
  nonce: Bytes;
  ciphertext: Bytes;
}

/** Tells why a stored secret can't be used. The message never holds a part of the secret. */
export class WalletSecretError extends Error {
  override name = 'WalletSecretError';
}

/** Begins with a letter, because JavaScript orders members that look like integers before the others. */
const KEY_ID = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** The DER of a PKCS #8 Ed25519 private key up to the key's 32 bytes. Source: RFC 8410, section 7. */
const PKCS8_HEAD = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/** Decodes a 256-bit key from base64; undefined for any other text. */
function decodeKey(text: unknown): Bytes | undefined {
  try {
    const bytes = new Uint8Array(base64.decode(String(text)));
    return bytes.length === 32 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // The error is dropped, because it would quote the text.
    return undefined;
  }
}

/**
 * Reads WALLET_KEYS, `{"<id>": "<base64 of 32 bytes>", …}`. The first key is the current one. Errors name the variable
 * and quote no value.
 */
export function readWalletKeys(env: (name: string) => string | undefined): WalletKeys {
  const json = env('WALLET_KEYS') ?? '';
  if (json === '') throw new Error('Missing in the environment: WALLET_KEYS');
  const members = Object.entries(parseObject(json) ?? {});
  const keys = new Map(members.flatMap(([id, text]) => {
    const bytes = KEY_ID.test(id) ? decodeKey(text) : undefined;
    return bytes === undefined ? [] : [[id, bytes] as const];
  }));
  const [currentId] = keys.keys();
  if (currentId === undefined || keys.size < members.length) {
    throw new Error(
      'Malformed in the environment: WALLET_KEYS must be {"<id>": "<base64 of 32 bytes>", …}. ' +
        'An id has at most 64 letters, digits, dots, underscores and hyphens, and begins with a letter.',
    );
  }
  const imported = new Map<string, Promise<CryptoKey>>();
  return {
    currentId,
    get: (id) => {
      const bytes = keys.get(id);
      if (bytes !== undefined && !imported.has(id)) {
        imported.set(id, crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']));
      }
      return imported.get(id);
    },
  };
}

/**
 * Makes the parameters of AES-GCM for a secret. User ids have one fixed length, so the associated data of two owners
 * always differ.
 */
export const gcmParams = (nonce: Bytes, { user_id, public_key }: WalletOwner): AesGcmParams => ({
  name: 'AES-GCM',
  iv: nonce,
  additionalData: new TextEncoder().encode(`${user_id.toLowerCase()}${public_key}`),
});

/** Computes the Ed25519 public key of a secret key of 32 bytes. */
export async function derivePublicKey(secretKey: Uint8Array): Promise<Uint8Array> {
  const pkcs8 = new Uint8Array([...PKCS8_HEAD, ...secretKey]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const { x } = await crypto.subtle.exportKey('jwk', key);
  return base64urlnopad.decode(x ?? '');
}

/**
 * Decrypts a stored secret into a key pair of 64 bytes. Throws WalletSecretError if the secret is not the owner's or
 * its key is missing.
 */
export async function openSecret(keys: WalletKeys, owner: WalletOwner, sealed: SealedSecret): Promise<Bytes> {
  const key = await keys.get(sealed.key_id);
  if (key === undefined) throw new WalletSecretError(`WALLET_KEYS has no key ${sealed.key_id}.`);
  let secretKey: Uint8Array;
  try {
    secretKey = new Uint8Array(await crypto.subtle.decrypt(gcmParams(sealed.nonce, owner), key, sealed.ciphertext));
  } catch (error) {
    throw new WalletSecretError(
      "The secret of the wallet can't be decrypted: it was encrypted by another key, or for another wallet.",
      { cause: error },
    );
  }
  const publicKey = await derivePublicKey(secretKey);
  if (base58.encode(publicKey) !== owner.public_key) {
    throw new WalletSecretError('The secret of the wallet belongs to another public key.');
  }
  return new Uint8Array([...secretKey, ...publicKey]);
}
