import { base58 } from '@scure/base';

/** The key of a guest. With it, the guest starts runs, and signs their signature requests in this browser. */
interface GuestKey {
  /** Base58 of 32 bytes. */
  publicKey: string;
  sign: (message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;
}

interface StoredKey {
  publicKey: string;
  privateKey: CryptoKey;
}

const DATABASE = 'flow-console-guest';
const STORE = 'keys';
/** The name of the only entry in the store. */
const ENTRY = 'guest';
/** The name under which the secret key is stored as text, if the browser can't hide a stored key from scripts. */
const FALLBACK = 'flow-console-guest';

const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser stores no key.')));
  });

async function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(STORE));
  const database = await settled(opening);
  const transaction = database.transaction(STORE, mode);
  transaction.addEventListener('complete', () => database.close());
  return transaction.objectStore(STORE);
}

const signerOf = ({ publicKey, privateKey }: StoredKey): GuestKey => ({
  publicKey,
  sign: async (message) => new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, message)),
});

/** Reads the stored key; undefined until a key is stored. */
async function readKept(): Promise<GuestKey | undefined> {
  const stored: StoredKey | undefined = await settled((await openStore('readonly')).get(ENTRY));
  return stored && signerOf(stored);
}

/** Makes a key whose secret part no script can read, and stores it in the browser. */
async function makeKept(): Promise<GuestKey> {
  const made = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
  if (!('privateKey' in made)) throw new Error('The browser makes no key pairs.');
  const publicKey = base58.encode(new Uint8Array(await crypto.subtle.exportKey('raw', made.publicKey)));
  const stored: StoredKey = { publicKey, privateKey: made.privateKey };
  await settled((await openStore('readwrite')).put(stored, ENTRY));
  return signerOf(stored);
}

/**
 * Reads the key from `localStorage`. If there is no key and `mayMake` is true, makes a key. Old browsers and pages
 * without https need this store, because they can't hide a stored key from scripts.
 */
async function readText(mayMake: boolean): Promise<GuestKey | undefined> {
  const kept = localStorage.getItem(FALLBACK);
  if (kept === null && !mayMake) return undefined;
  // Loaded here, because few browsers need it.
  const { ed25519 } = await import('@noble/curves/ed25519.js');
  const secret = kept === null ? ed25519.utils.randomSecretKey() : base58.decode(kept);
  if (kept === null) localStorage.setItem(FALLBACK, base58.encode(secret));
  return {
    publicKey: base58.encode(ed25519.getPublicKey(secret)),
    sign: async (message) => ed25519.sign(message, secret),
  };
}

/** Returns the guest's key in this browser; undefined if no guest has used this browser. */
export const readGuestKey = async (): Promise<GuestKey | undefined> =>
  await readKept().catch(() => undefined) ?? await readText(false);

/** Returns the guest's key in this browser, which is made on the first call. */
export const guestKey = async (): Promise<GuestKey> =>
  // SAFETY: the last call makes a key if it finds no stored key.
  await readGuestKey() ?? await makeKept().catch(() => readText(true)) as GuestKey;
