import { base58, base64, hex } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { readWalletKeys, SealedSecretError } from './sealed_secrets.ts';
import { derivePublicKey, sealWallet, unsealWallet } from './wallet_crypto.ts';

const OLD = base64.encode(new Uint8Array(32).fill(1));
const NEW = base64.encode(new Uint8Array(32).fill(2));

/** Secret and public keys. Source: RFC 8032, section 7.1, tests 1 and 2. */
const [pair, otherPair] = ([
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  ],
] as const).map(([secretKey, publicKey]) => ({
  secretKey: new Uint8Array(hex.decode(secretKey)),
  publicKey: base58.encode(hex.decode(publicKey)),
  keypair: base58.encode(hex.decode(secretKey + publicKey)),
})) as [Pair, Pair];

interface Pair {
  secretKey: Uint8Array<ArrayBuffer>;
  publicKey: string;
  keypair: string;
}

const keysOf = (members: Record<string, unknown>) => readWalletKeys(() => JSON.stringify(members));

const keys = keysOf({ old: OLD });
const owner = { user_id: '0b8b8f3e-5c3f-4c39-9d5a-0d6d4f1c7e11', public_key: pair.publicKey };

describe('the secret of a wallet', () => {
  it('opens as the key pair that was stored', async () => {
    const sealed = await sealWallet(keys, owner, pair.secretKey);
    expect(sealed.key_id).toBe('old');
    expect([sealed.nonce.length, sealed.ciphertext.length]).toEqual([12, 48]);
    expect(base58.encode(await unsealWallet(keys, owner, sealed))).toBe(pair.keypair);
  });

  it('is never the same ciphertext twice, and never the secret itself', async () => {
    const sealed = await Promise.all(Array.from({ length: 50 }, () => sealWallet(keys, owner, pair.secretKey)));
    expect(new Set(sealed.map(({ nonce }) => String(nonce))).size).toBe(50);
    expect(new Set(sealed.map(({ ciphertext }) => String(ciphertext))).size).toBe(50);
    for (const { ciphertext } of sealed) {
      expect(String(ciphertext)).not.toContain(String(pair.secretKey.slice(0, 8)));
      expect(String(ciphertext)).not.toContain(String(pair.secretKey.slice(-8)));
    }
  });

  it.each([
    ['another user', { user_id: '0b8b8f3e-5c3f-4c39-9d5a-0d6d4f1c7e12' }],
    ['another public key', { public_key: otherPair.publicKey }],
    ['no user', { user_id: '' }],
  ])('does not open for %s', async (_who, change) => {
    const sealed = await sealWallet(keys, owner, pair.secretKey);
    await expect(unsealWallet(keys, { ...owner, ...change }, sealed)).rejects.toThrow(
      new SealedSecretError(
        "The secret of the wallet can't be decrypted: it was encrypted by another key, or for another wallet.",
      ),
    );
  });

  it.each(['nonce', 'ciphertext'] as const)('does not open with a changed bit of its %s', async (part) => {
    const sealed = await sealWallet(keys, owner, pair.secretKey);
    sealed[part][0]! ^= 1;
    await expect(unsealWallet(keys, owner, sealed)).rejects.toThrow(SealedSecretError);
  });

  it('is refused if it belongs to another public key', async () => {
    const sealed = await sealWallet(keys, owner, otherPair.secretKey);
    await expect(unsealWallet(keys, owner, sealed)).rejects.toThrow('belongs to another public key');
  });

  it('opens after a rotation as long as its key is kept', async () => {
    const before = await sealWallet(keys, owner, pair.secretKey);
    const rotated = keysOf({ new: NEW, old: OLD });
    const after = await sealWallet(rotated, owner, pair.secretKey);
    expect(after.key_id).toBe('new');
    for (const sealed of [before, after]) {
      expect(base58.encode(await unsealWallet(rotated, owner, sealed))).toBe(pair.keypair);
    }
    await expect(unsealWallet(keysOf({ new: NEW }), owner, before)).rejects.toThrow('WALLET_KEYS has no key old.');
    await expect(unsealWallet(keysOf({ old: NEW }), owner, before)).rejects.toThrow(SealedSecretError);
  });

  it('derives the public key as RFC 8032 does', async () => {
    for (const { secretKey, publicKey } of [pair, otherPair]) {
      expect(base58.encode(await derivePublicKey(secretKey))).toBe(publicKey);
    }
  });
});

describe('WALLET_KEYS', () => {
  it.each([undefined, ''])('is named in the error if it is missing (%j)', (value) => {
    expect(() => readWalletKeys(() => value)).toThrow('Missing in the environment: WALLET_KEYS');
  });

  it.each([
    ['no JSON', 'c2VjcmV0'],
    ['no complete JSON', `{"a": "${OLD}"`],
    ['no object', `["${OLD}"]`],
    ['null', 'null'],
    ['no key', '{}'],
    ['a key of 31 bytes', JSON.stringify({ a: base64.encode(new Uint8Array(31)) })],
    ['a key in hex', JSON.stringify({ a: hex.encode(new Uint8Array(32).fill(3)) })],
    ['a key that is not a text', JSON.stringify({ a: 5 })],
    ['one bad key of two', JSON.stringify({ a: OLD, b: '' })],
    ['an id that JavaScript orders first', JSON.stringify({ a: OLD, 1: NEW })],
    ['an id that is too long', JSON.stringify({ ['a'.repeat(65)]: OLD })],
    ['an id of the prototype', `{"__proto__": "${OLD}"}`],
  ])('is refused without being quoted if it holds %s', (_what, value) => {
    const read = () => readWalletKeys((name) => name === 'WALLET_KEYS' ? value : undefined);
    expect(read).toThrow(/^Malformed in the environment: WALLET_KEYS must be \{/);
    expect(read).not.toThrow(new RegExp(`${OLD.slice(0, 8)}|c2Vj|AAAA|0303`));
  });

  it('takes the first of several keys as the current key', () => {
    expect(keysOf({ b: NEW, a: OLD }).currentId).toBe('b');
  });
});
