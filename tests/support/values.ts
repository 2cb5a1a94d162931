import { base58, base64 } from '@scure/base';
import fc from 'fast-check';
import { formatFloat } from '../../types/values/number_text.ts';
import { type Tag, TAGS } from '../../types/values/port_types.ts';
import type { Value } from '../../types/values/value.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((given) => !given.includes('\0'));

/** Ordinary names, and names that JavaScript objects treat specially. */
const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '0', '-', 'a/b', 'a~b', ''));

const integer = (min: bigint, max: bigint) => fc.bigInt({ min, max }).map(String);

const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });

/** Writes the decimal of a mantissa and a scale, with all decimal places. */
export function decimalText(mantissa: bigint, scale: number): string {
  const digits = String(mantissa < 0n ? -mantissa : mantissa).padStart(scale + 1, '0');
  const split = digits.length - scale;
  return `${mantissa < 0n ? '-' : ''}${digits.slice(0, split)}${scale === 0 ? '' : `.${digits.slice(split)}`}`;
}

/** Generates mantissas of every size, not only large ones. */
export const mantissas = fc.tuple(
  fc.integer({ min: 0, max: 96 }),
  fc.bigInt({ min: 0n, max: 2n ** 96n - 1n }),
  fc.boolean(),
)
  .map(([bits, mantissa, isNegative]) => (isNegative ? -1n : 1n) * BigInt.asUintN(bits, mantissa));

export const scales = fc.integer({ min: 0, max: 28 });

/** Generates values of each tag in canonical form. Members of A and M have any tag. */
export const valuesOf = fc.letrec<Record<Tag | 'any', Value>>((tie) => ({
  N: fc.constant({ N: 0 }),
  S: text.map((S) => ({ S })),
  B: fc.boolean().map((B) => ({ B })),
  U: integer(0n, 2n ** 64n - 1n).map((U) => ({ U })),
  I: integer(-(2n ** 63n), 2n ** 63n - 1n).map((I) => ({ I })),
  U1: integer(0n, 2n ** 128n - 1n).map((U1) => ({ U1 })),
  I1: integer(-(2n ** 127n), 2n ** 127n - 1n).map((I1) => ({ I1 })),
  F: fc.double().map((float) => ({ F: formatFloat(float) })),
  D: fc.tuple(mantissas, scales).map(([mantissa, scale]) => ({ D: decimalText(mantissa, scale) })),
  B3: bytes(32, 32).map((given) => ({ B3: base58.encode(given) })),
  B6: bytes(64, 64).map((given) => ({ B6: base58.encode(given) })),
  BY: fc.oneof(bytes(0, 31), bytes(33, 63), bytes(65, 70)).map((given) => ({ BY: base64.encode(given) })),
  A: fc.array(tie('any'), { maxLength: 4 }).map((A) => ({ A })),
  M: fc.dictionary(name, tie('any'), { maxKeys: 4 }).map((M) => ({ M })),
  any: fc.oneof({ maxDepth: 4, withCrossShrink: true }, ...TAGS.map((tag) => tie(tag))),
}));

export const anyValue = valuesOf.any;
