import { base58 } from '@scure/base';
import { entropyToMnemonic } from '@scure/bip39';
import { createPrivateKey, createPublicKey, pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findSecrets, makeKeypair } from '../../../tests/support/keypairs.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { generateKeypairNode } from './index.ts';
import { wordlists } from './wordlists.ts';

const generate = (inputs: ValueMap) => runNode(generateKeypairNode, inputs);

/** Derives the expected keys with OpenSSL, from the first 32 bytes of a seed. */
function keysOf(seed: Buffer): ValueMap {
  // The fixed prefix of an Ed25519 key in PKCS #8 (RFC 8410).
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed.subarray(0, 32)]);
  const jwk = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' });
  const publicKey = Buffer.from(jwk.x!, 'base64url');
  return {
    pubkey: { B3: base58.encode(publicKey) },
    keypair: { B6: base58.encode(Buffer.concat([seed.subarray(0, 32), publicKey])) },
  };
}

const seedOf = (phrase: string, passphrase = ''): Buffer =>
  pbkdf2Sync(phrase.normalize('NFKD'), `mnemonic${passphrase}`.normalize('NFKD'), 2048, 64, 'sha512');

const phrase = `${'abandon '.repeat(11)}about`;

describe('generate_keypair from a phrase', () => {
  it('uses the first half of the seed that BIP-39 publishes for it', async () => {
    const published =
      'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141' +
      '630c7a3c4ab7c81b2f001698e7463b04';
    expect(await generate({ seed: { S: phrase }, passphrase: { S: 'TREZOR' } })).toEqual(
      keysOf(Buffer.from(published, 'hex')),
    );
  });

  it.each(wordlists.map((wordlist) => entropyToMnemonic(new Uint8Array(32).fill(0xa5), wordlist)))(
    'accepts the words %s',
    async (words) => {
      expect(await generate({ seed: { S: words } })).toEqual(keysOf(seedOf(words)));
    },
  );

  it('accepts white space of any kind between and around the words', async () => {
    expect(await generate({ seed: { S: `\n ${phrase.replaceAll(' ', ' \t\u3000')} ` } })).toEqual(
      keysOf(seedOf(phrase)),
    );
  });

  it('has another key with another passphrase, whose accents may have any Unicode form', async () => {
    const given = (passphrase: string) => generate({ seed: { S: phrase }, passphrase: { S: passphrase } });
    expect(await given('é')).toEqual(keysOf(seedOf(phrase, 'é')));
    expect(await given('e\u0301')).toEqual(await given('\u00e9'));
    expect(await given('')).toEqual(await generate({ seed: { S: phrase }, passphrase: { N: 0 } }));
  });

  it.each([['a wrong checksum', 'abandon '.repeat(12)], ['an unknown word', phrase.replace('about', 'secretword')], [
    'too few words',
    'abandon about',
  ], ['nothing', '']])('refuses one with %s and repeats no word of it', async (_fault, words) => {
    const error = await generate({ seed: { S: words } }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('seed: must be a BIP-39 phrase');
    expect(String(error)).not.toMatch(/abandon|secretword/);
  });
});

describe('generate_keypair with a given key', () => {
  const { keypair, publicKey, secretKey } = makeKeypair();
  const adapter: Value = { M: { public_key: { B3: publicKey } } };

  it.each<[string, Value, Value]>([
    ['a key pair', { B6: keypair }, { B6: keypair }],
    ['its base58', { S: keypair }, { B6: keypair }],
    ['an array of its bytes', { A: [...base58.decode(keypair)].map((byte): Value => ({ U: String(byte) })) }, {
      B6: keypair,
    }],
    ['a public key', { B3: publicKey }, adapter],
    ["a public key's base58", { S: publicKey }, adapter],
    ['an adapter wallet', adapter, adapter],
  ])('wraps %s and ignores the phrase', async (_form, given, expected) => {
    expect(await generate({ private_key: given, seed: { S: phrase } })).toEqual({
      pubkey: { B3: publicKey },
      keypair: expected,
    });
  });

  it('refuses an invalid key, and repeats nothing of it', async () => {
    const halves = base58.encode(new Uint8Array([...secretKey, ...base58.decode(makeKeypair().publicKey)]));
    const failure = (given: Value) => generate({ private_key: given }).catch((thrown: unknown) => String(thrown));
    const messages = [await failure({ B6: halves }), await failure({ S: `${keypair}0` }), await failure({ U: '1' })];
    expect(messages[0]).toMatch('does not belong');
    expect(messages.slice(1)).toEqual(
      Array(2).fill(
        'ConversionError: private_key: data did not match any variant of untagged enum WalletOrPubkey: ' +
          'must be a key pair, a public key, or a map with its public_key',
      ),
    );
    expect(findSecrets(messages.join('\n'), [secretKey])).toEqual([]);
  });
});

it('generate_keypair makes a new key pair each time if nothing is given', async () => {
  const made = [await generate({}), await generate({ seed: { N: 0 }, private_key: { N: 0 } })];
  expect(made[0]).not.toEqual(made[1]);
  for (const outputs of made) {
    const { B6 } = outputs.keypair as { B6: string };
    expect(outputs).toEqual(keysOf(Buffer.from(base58.decode(B6))));
  }
});
