import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, mantissas, scales } from '../../tests/support/values.ts';
import { bytesToValue, type Value } from './value.ts';
import { toBytes, toKeypair, toPubkey, toSignature, toWallet, toWalletOrPubkey, walletToValue } from './keys.ts';

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

/** Returns all values that convert to a key of these bytes. */
const formsOf = (bytes: Uint8Array): Value[] => [
  bytesToValue(bytes),
  { S: base58.encode(bytes) },
  { BY: Buffer.from(bytes).toString('base64') },
  { A: [...bytes].map((byte): Value => ({ U: String(byte) })) },
];

describe('toBytes', () => {
  it('gives bytes of any content back, by themselves and as an array of numbers', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(toBytes(bytesToValue(bytes))).toEqual(bytes);
      expect(toBytes({ A: [...bytes].map((byte): Value => ({ U: String(byte) })) })).toEqual(bytes);
    }));
  });

  it('gives the UTF-8 of a text, also of one that is base58', () => {
    for (const text of ['', 'ü🦊', '1'.repeat(32)]) expect(Buffer.from(toBytes({ S: text })).toString()).toBe(text);
  });

  it.each([
    ['0', '00000000 000000000000000000000000'],
    ['1.50', '00000200 960000000000000000000000'],
    ['-1.5', '00000180 0f0000000000000000000000'],
    ['-79228162514264337593543950335', '00000080 ffffffffffffffffffffffff'],
    ['18446744073709551616', '00000000 000000000000000001000000'],
    [`0.${'0'.repeat(27)}1`, '00001c00 010000000000000000000000'],
  ])('gives the decimal %s as rust_decimal lays it out', (text, hex) => {
    expect(Buffer.from(toBytes({ D: text })).toString('hex')).toBe(hex.replace(' ', ''));
  });

  it("gives all of any decimal's mantissa, scale and sign", () => {
    fc.assert(fc.property(mantissas, scales, (mantissa, scale) => {
      const bytes = Buffer.from(toBytes({ D: decimalText(mantissa, scale) }));
      const magnitude = bytes.readBigUInt64LE(4) + (BigInt(bytes.readUInt32LE(12)) << 64n);
      expect([bytes.length, bytes[2], bytes[3]! >> 7 ? -magnitude : magnitude]).toEqual([16, scale, mantissa]);
      expect([bytes[0], bytes[1], bytes[3]! & 0x7f]).toEqual([0, 0, 0]);
    }));
  });
});

describe('keys', () => {
  it('are read from every form, of a key pair its public half', () => {
    fc.assert(
      fc.property(bytesOf(32), bytesOf(32), (secret, publicBytes) => {
        const publicKey = base58.encode(publicBytes);
        const keypair = new Uint8Array([...secret, ...publicBytes]);
        const publicForms = formsOf(publicBytes);
        const pairForms = formsOf(keypair);
        const all = [...publicForms, ...pairForms];
        const adapters = all.map((key): Value => ({ M: { public_key: key } }));
        for (const value of [...all, ...adapters]) expect(toPubkey(value)).toBe(publicKey);
        for (const value of pairForms) {
          expect(toKeypair(value)).toEqual(keypair);
          expect(toSignature(value)).toEqual(keypair);
          expect(toWallet(value)).toEqual({ type: 'keypair', publicKey, keypair });
          expect(toWalletOrPubkey(value)).toEqual(toWallet(value));
        }
        for (const value of adapters) expect(toWallet(value)).toEqual({ type: 'adapter', publicKey });
        for (const value of [...adapters, ...publicForms]) {
          expect(toWalletOrPubkey(value)).toEqual({ type: 'adapter', publicKey });
        }
        for (const value of publicForms) expect(() => toWallet(value)).toThrow('untagged enum Wallet');
      }),
      { numRuns: 25 },
    );
  });

  it('are passed on in the form that they had', () => {
    fc.assert(fc.property(bytesOf(64), (bytes) => {
      const keypair = bytesToValue(bytes);
      const adapter: Value = { M: { public_key: bytesToValue(bytes.subarray(32)) } };
      expect(walletToValue(toWallet(keypair))).toEqual(keypair);
      expect(walletToValue(toWallet(adapter))).toEqual(adapter);
    }));
  });

  it.each<[string, () => unknown, string]>([
    ['no key at all', () => toPubkey({ U: '1' }), 'invalid type: integer `1`, expected a public key'],
    ['a map without one', () => toPubkey({ M: {} }), 'invalid type: map, expected a public key'],
    ['a text that is not a key', () => toPubkey({ S: 'secret' }), 'invalid value: string, expected a public key'],
    [
      'a public key for a pair',
      () => toKeypair({ B3: '1'.repeat(32) }),
      'invalid type: byte array, expected a key pair',
    ],
    ['null for a signature', () => toSignature({ N: 0 }), 'invalid type: unit value, expected a signature'],
    ['a member that is not a byte', () => toBytes({ A: [{ U: '256' }] }), 'invalid value: integer `256`, expected u8'],
    ['no bytes', () => toBytes({ U: '1' }), 'invalid type: integer `1`, expected bytes'],
  ])('say what is wrong with %s', (_what, run, message) => expect(run).toThrow(message));
});
