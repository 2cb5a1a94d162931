import { base64, hex } from '@scure/base';

export type Bytes = Uint8Array<ArrayBuffer>;

/** The keys that encrypt the secrets of users, by id. */
export interface KeyRing {
  /** The id of the key that encrypts. The other keys only decrypt older secrets. */
  currentId: string;
  get: (id: string) => Promise<CryptoKey> | undefined;
}

/** A secret encrypted by AES-256-GCM, with the id of its key. */
export interface SealedSecret {
  key_id: string;
  nonce: Bytes;
  ciphertext: Bytes;
}

/** A sealed secret as the database takes and returns it: bytes as `\x` and hex digits. */
export interface SealedRow {
  key_id: string;
  nonce: string;
  ciphertext: string;
}

/** Tells why a stored secret can't be used. The message never holds a part of the secret. */
export class SealedSecretError extends Error {
  override name = 'SealedSecretError';
}

/**
 * The id of a key. It begins with a letter. JavaScript moves members with integer names to the front, so an older key
 * with such a name would come before the current key.
 */
const KEY_ID = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/**
 * Bytes of an AES-GCM nonce. Source: NIST SP 800-38D, section 8.2.2. A random nonce is safe, because one key encrypts
 * far fewer than 2^32 secrets.
 */
const NONCE_BYTES = 12;

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
export function readWalletKeys(env: (name: string) => string | undefined): KeyRing {
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
 * Makes a function that reads WALLET_KEYS at its first call, so that a project without stored secrets does not need the
 * variable.
 */
export function makeKeyReader(env: (name: string) => string | undefined): () => KeyRing {
  let keys: KeyRing | undefined;
  return () => {
    try {
      return keys ??= readWalletKeys(env);
    } catch (error) {
      throw new SealedSecretError((error as Error).message);
    }
  };
}

/** Makes the parameters of AES-GCM. The ciphertext can only be decrypted with the same `bound` text. */
const gcmParams = (nonce: Bytes, bound: string): AesGcmParams => ({
  name: 'AES-GCM',
  iv: nonce,
  additionalData: new TextEncoder().encode(bound),
});

/**
 * Encrypts bytes with the current key. `bound` is a text that identifies the wallet or connection of the secret. No two
 * of them may have the same text.
 */
export async function seal(keys: KeyRing, bound: string, secret: Bytes): Promise<SealedSecret> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  // SAFETY: readWalletKeys takes the current id from its keys.
  const key = await keys.get(keys.currentId)!;
  const ciphertext = await crypto.subtle.encrypt(gcmParams(nonce, bound), key, secret);
  return { key_id: keys.currentId, nonce, ciphertext: new Uint8Array(ciphertext) };
}

/** Decrypts a sealed secret. `noun` is a word for the error: `wallet` or `connection`. */
export async function unseal(
  keys: KeyRing,
  bound: string,
  sealed: SealedSecret,
  noun: string,
): Promise<Bytes> {
  const key = await keys.get(sealed.key_id);
  if (key === undefined) throw new SealedSecretError(`WALLET_KEYS has no key ${sealed.key_id}.`);
  try {
    return new Uint8Array(await crypto.subtle.decrypt(gcmParams(sealed.nonce, bound), key, sealed.ciphertext));
  } catch (error) {
    throw new SealedSecretError(
      `The secret of the ${noun} can't be decrypted: it was encrypted by another key, or for another ${noun}.`,
      { cause: error },
    );
  }
}

/** Formats bytes as the bytea text that PostgREST accepts. */
const toBytea = (bytes: Uint8Array): string => `\\x${hex.encode(bytes)}`;

const readBytea = (text: string): Bytes => new Uint8Array(hex.decode(text.replace(/^\\x/, '')));

export const toSealedRow = ({ key_id, nonce, ciphertext }: SealedSecret): SealedRow => ({
  key_id,
  nonce: toBytea(nonce),
  ciphertext: toBytea(ciphertext),
});

export const fromSealedRow = ({ key_id, nonce, ciphertext }: SealedRow): SealedSecret => ({
  key_id,
  nonce: readBytea(nonce),
  ciphertext: readBytea(ciphertext),
});
