import { base58, base64, base64url, hex } from '@scure/base';
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { call, type Person } from './people.ts';

/** A new Solana key pair, made without the code under test. */
export interface Keypair {
  publicKey: string;
  /** Base58 of the 64 bytes of secret and public key. */
  keypair: string;
  secretKey: Uint8Array<ArrayBuffer>;
}

/** The bytes before the 32 secret bytes of an Ed25519 key in PKCS #8. Source: RFC 8410, section 10.3. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Makes a key pair without Node's generateKeyPairSync: if a garbage collection runs while a key from that function is
 * exported as JWK, Node 20 deadlocks, and the test process hangs.
 */
export function makeKeypair(): Keypair {
  const secretKey = new Uint8Array(randomBytes(32));
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, secretKey]), format: 'der', type: 'pkcs8' });
  // The key is at the end of the DER.
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    publicKey: base58.encode(publicKey),
    keypair: base58.encode(new Uint8Array([...secretKey, ...publicKey])),
    secretKey,
  };
}

/** Lists all texts by which an answer could contain these bytes. */
const formsOf = (bytes: Uint8Array): string[] => [
  base58.encode(bytes),
  base64.encode(bytes).replace(/=+$/, ''),
  base64url.encode(bytes).replace(/=+$/, ''),
  hex.encode(bytes),
  [...bytes].join(','),
];

/** Returns the forms of secrets, or first halves of forms, that a text contains. */
export const findSecrets = (text: string, secrets: Uint8Array[]): string[] => {
  const spaceless = text.toLowerCase().replaceAll(/\s|\\[nx]?/g, '');
  return secrets.flatMap((secret) => formsOf(secret).flatMap((form) => [form, form.slice(0, form.length / 2)]))
    .filter((form) => spaceless.includes(form.toLowerCase()));
};

/** Makes the request body of a HARDCODED wallet. */
export const hardcoded = ({ publicKey, keypair }: Keypair, name = 'signer') => ({
  type: 'HARDCODED',
  name,
  public_key: publicKey,
  keypair,
});

/** Makes the request body of an ADAPTER wallet. */
export const adapter = (publicKey: string, name = 'browser') => ({ type: 'ADAPTER', name, public_key: publicKey });

/** Stores a wallet by the route. */
export const upsertWallet = (person: Pick<Person, 'token'>, params: object): Promise<Response> =>
  call('wallets/upsert', {
    token: person.token,
    body: JSON.stringify(params),
    headers: { 'content-type': 'application/json' },
  });

/** Stores a HARDCODED wallet and returns its public key. */
export async function storeKeypair(person: Person, pair = makeKeypair()): Promise<string> {
  const response = await upsertWallet(person, hardcoded(pair));
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return pair.publicKey;
}
