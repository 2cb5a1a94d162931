import { base58, base64, base64url, hex } from '@scure/base';
import { generateKeyPairSync } from 'node:crypto';
import { call, type Person } from './people.ts';

/** A new Solana key pair, made without the code under test. */
export interface Keypair {
  publicKey: string;
  /** Base58 of the 64 bytes of secret and public key. */
  keypair: string;
  secretKey: Uint8Array<ArrayBuffer>;
}

export function makeKeypair(): Keypair {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [secretKey, publicKey] = [d!, x!].map((text) => new Uint8Array(Buffer.from(text, 'base64url')));
  return {
    publicKey: base58.encode(publicKey!),
    keypair: base58.encode(new Uint8Array([...secretKey!, ...publicKey!])),
    secretKey: secretKey!,
  };
}

/** Bytes in every form in which an answer could carry them. */
const formsOf = (bytes: Uint8Array): string[] => [
  base58.encode(bytes),
  base64.encode(bytes).replace(/=+$/, ''),
  base64url.encode(bytes).replace(/=+$/, ''),
  hex.encode(bytes),
  [...bytes].join(','),
];

/** Which of the secrets a text shows, in any form: whole, or the first half of it. */
export const findSecrets = (text: string, secrets: Uint8Array[]): string[] => {
  const spaceless = text.toLowerCase().replaceAll(/\s|\\[nx]?/g, '');
  return secrets.flatMap((secret) => formsOf(secret).flatMap((form) => [form, form.slice(0, form.length / 2)]))
    .filter((form) => spaceless.includes(form.toLowerCase()));
};

/** What the route takes for a HARDCODED wallet. */
export const hardcoded = ({ publicKey, keypair }: Keypair, name = 'signer') => ({
  type: 'HARDCODED',
  name,
  public_key: publicKey,
  keypair,
});

/** What the route takes for an ADAPTER wallet. */
export const adapter = (publicKey: string, name = 'browser') => ({ type: 'ADAPTER', name, public_key: publicKey });

/** Asks the route to store a wallet. */
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
