import { MAX_VALUE_DEPTH } from '../../../../types/values/value.ts';
import { type JsonSchema, ref } from './json_schema.ts';

/** Makes a regular expression for one digit of a range; undefined for an empty range. */
function digitRange(from: number, to: number): string | undefined {
  if (from > to) return undefined;
  return from === to ? String(from) : `[${from}-${to}]`;
}

/** Makes a regular expression for the integers from 0 to `max`, without leading zeros. */
function upTo(max: bigint): string {
  const digits = [...String(max)].map(Number);
  /** Matches the digits from `index` on, given that all earlier digits equal those of `max`. */
  const rest = (index: number): string => {
    const digit = digits[index];
    if (digit === undefined) return '';
    const left = digits.length - index - 1;
    const smaller = digitRange(index === 0 ? 1 : 0, digit - 1);
    const equal = `${digit}${rest(index + 1)}`;
    return smaller === undefined
      ? equal
      : `(?:${smaller}${'[0-9]'.repeat(Math.min(left, 1))}${left > 1 ? `{${left}}` : ''}|${equal})`;
  };
  return `(?:[0-9]{1,${digits.length - 1}}|${rest(0)})`;
}

/** The patterns allow a sign and leading zeros, and both `+0` and `-0`. */
const unsigned = (bits: bigint) => `^(?:\\+?0*${upTo(2n ** bits - 1n)}|-0+)$`;
const signed = (bits: bigint) => `^(?:\\+?0*${upTo(2n ** (bits - 1n) - 1n)}|-0*${upTo(2n ** (bits - 1n))})$`;

/** The most characters of an integer that `decodeValue` reads. */
const MAX_INTEGER_LENGTH = 1_000;

/**
 * Matches text without NUL and lone surrogates. JSON Schema's patterns match code points, so surrogate pairs are
 * allowed.
 */
export const STORABLE = '^[^\\u0000\\uD800-\\uDFFF]*$';

export const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

const integer = (pattern: string): JsonSchema => ({ type: 'string', pattern, maxLength: MAX_INTEGER_LENGTH });

/** The meaning, the content and an example of each tag. */
const tags: Record<string, { title: string; payload: JsonSchema; example: unknown }> = {
  N: { title: 'Null', payload: { const: 0 }, example: 0 },
  S: { title: 'String', payload: { type: 'string', pattern: STORABLE }, example: 'text' },
  B: { title: 'Boolean', payload: { type: 'boolean' }, example: true },
  U: { title: 'Unsigned 64-bit integer', payload: integer(unsigned(64n)), example: '18446744073709551615' },
  I: { title: 'Signed 64-bit integer', payload: integer(signed(64n)), example: '-5' },
  U1: { title: 'Unsigned 128-bit integer', payload: integer(unsigned(128n)), example: '18446744073709551616' },
  I1: { title: 'Signed 128-bit integer', payload: integer(signed(128n)), example: '-9223372036854775809' },
  F: {
    title: 'Float',
    payload: {
      type: 'string',
      pattern:
        '^[+-]?(?:(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])$',
    },
    example: '0.1',
  },
  D: {
    title: 'Decimal',
    payload: {
      type: 'string',
      description: 'Plain, without exponent: a 96-bit integer with at most 28 decimal places.',
      pattern: '^[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)$',
    },
    example: '1.50',
  },
  B3: {
    title: '32 bytes, such as a public key',
    payload: { type: 'string', description: 'Base58 of exactly 32 bytes.', pattern: `^${BASE58}{32,44}$` },
    example: 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs',
  },
  B6: {
    title: '64 bytes, such as a signature',
    payload: { type: 'string', description: 'Base58 of exactly 64 bytes.', pattern: `^${BASE58}{64,88}$` },
    example: '1'.repeat(64),
  },
  BY: {
    title: 'Other bytes',
    payload: {
      type: 'string',
      description: 'Base64; the padding may be left out. In answers, 32 and 64 bytes have tags of their own.',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw](?:={0,2})|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=?)?$',
    },
    example: 'AQI=',
  },
  A: { title: 'Array', payload: { type: 'array', items: ref('Value') }, example: [{ S: 'text' }, { U: '5' }] },
  M: { title: 'Map', payload: ref('ValueMap'), example: { key: { S: 'text' } } },
};

/** A value of the flow runtime. types/values/value.ts decodes it by hand, so its schema is also written by hand. */
export const valueSchema: JsonSchema = {
  description:
    'A value: an object with exactly one member, its tag. Numbers travel as strings, so that no digit is lost. ' +
    `Values nest ${MAX_VALUE_DEPTH} levels deep at most.`,
  oneOf: Object.entries(tags).map(([tag, { title, payload, example }]) => ({
    title,
    type: 'object',
    properties: { [tag]: payload },
    required: [tag],
    additionalProperties: false,
    examples: [{ [tag]: example }],
  })),
};

/** Values by name. */
export const valueMapSchema: JsonSchema = {
  description: "Values by name: a flow's inputs and outputs, by their labels.",
  type: 'object',
  propertyNames: { pattern: STORABLE },
  additionalProperties: ref('Value'),
};

/** The output of a run: one value, a map. */
export const outputSchema: JsonSchema = {
  description: "A run's output: one value, a map by the labels of the flow's outputs.",
  type: 'object',
  properties: { M: ref('ValueMap') },
  required: ['M'],
  additionalProperties: false,
};
