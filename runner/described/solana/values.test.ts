import { expect, it } from 'vitest';
import type { TypeNode } from '../../../types/described/solana/type_node.ts';
import { ConversionError } from '../../../types/values/conversion.ts';
import { toCodecValue } from './values.ts';

const fixed = (encoding: 'base16' | 'base58' | 'base64'): TypeNode => ({
  kind: 'fixedSizeTypeNode',
  size: 2,
  type: { kind: 'stringTypeNode', encoding },
});

it.each([['base16', 'top secret'], ['base58', '0OIl'], ['base64', '***']] as const)(
  'a text that is not in %s is refused, and not quoted',
  (encoding, text) => {
    const convert = () => toCodecValue(fixed(encoding), { S: text }, new Map());
    expect(convert).toThrow(ConversionError);
    expect(convert).toThrow(new ConversionError(`must be a text in ${encoding}`));
  },
);

it('a text that is too long is refused', () => {
  expect(() => toCodecValue(fixed('base16'), { S: '010203' }, new Map())).toThrow('at most 2 bytes, not 3');
  expect(toCodecValue(fixed('base16'), { S: '0aF0' }, new Map())).toBe('0aF0');
});
