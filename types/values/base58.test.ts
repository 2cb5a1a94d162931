import { base58 } from '@scure/base';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase58 } from './base58.ts';

it('decodeBase58 decodes bytes of the wanted length only', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(70), (bytes, length) => {
    const text = base58.encode(bytes);
    expect(decodeBase58(text, bytes.length)).toEqual(bytes);
    if (length !== bytes.length) expect(decodeBase58(text, length)).toBeUndefined();
  }));
});

it('decodeBase58 accepts the longest text of any bytes', () => {
  for (const length of [1, 32, 64]) {
    const bytes = new Uint8Array(length).fill(255);
    expect(decodeBase58(base58.encode(bytes), length)).toEqual(bytes);
  }
});

it('decodeBase58 refuses text that is not base58', () => {
  for (const text of ['0', 'O', 'I', 'l', ' ', 'ü', '1 ']) expect(decodeBase58(text, 1)).toBeUndefined();
});
