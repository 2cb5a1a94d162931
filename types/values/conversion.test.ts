import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../tests/support/values.ts';
import { type IntegerType, type Tag, TAGS } from './port_types.ts';
import type { Value } from './value.ts';
import {
  ConversionError,
  type Convert,
  readField,
  readFieldOr,
  readOptionalField,
  toArray,
  toBoolean,
  toDecimal,
  toF32,
  toF64,
  toInteger,
  toText,
} from './conversion.ts';
import { toBytes, toKeypair, toPubkey, toSignature, toWallet, toWalletOrPubkey } from './keys.ts';

/** The tags that each conversion takes: + all values of the tag, ~ some of them, - none. */
const table = `
                  N  S  B  U  I  U1 I1 F  D  B3 B6 BY A  M
u8                -  -  -  ~  ~  -  -  -  ~  -  -  -  -  -
u16               -  -  -  ~  ~  -  -  -  ~  -  -  -  -  -
u32               -  -  -  ~  ~  -  -  -  ~  -  -  -  -  -
u64               -  -  -  +  ~  -  -  -  ~  -  -  -  -  -
u128              -  -  -  +  ~  +  ~  -  ~  -  -  -  -  -
i8                -  -  -  ~  ~  -  -  -  ~  -  -  -  -  -
i16               -  -  -  ~  ~  -  -  -  ~  -  -  -  -  -
i32               -  -  -  ~  ~  -  -  -  ~  -  -  -  -  -
i64               -  -  -  ~  +  -  -  -  ~  -  -  -  -  -
i128              -  -  -  +  +  ~  +  -  ~  -  -  -  -  -
f64               -  -  -  +  +  -  -  +  +  -  -  -  -  -
f32               -  -  -  +  +  -  -  +  +  -  -  -  -  -
decimal           -  ~  -  +  +  -  -  ~  +  -  -  -  -  -
boolean           -  -  +  -  -  -  -  -  -  -  -  -  -  -
string            -  +  -  -  -  -  -  -  -  -  -  -  -  -
bytes             -  +  -  -  -  -  -  -  +  +  +  +  ~  -
array             -  -  -  -  -  -  -  -  -  -  -  -  +  -
pubkey            -  ~  -  -  -  -  -  -  -  +  +  ~  ~  ~
keypair           -  ~  -  -  -  -  -  -  -  -  +  ~  ~  -
signature         -  ~  -  -  -  -  -  -  -  -  +  ~  ~  -
wallet            -  ~  -  -  -  -  -  -  -  -  +  ~  ~  ~
wallet-or-pubkey  -  ~  -  -  -  -  -  -  -  +  +  ~  ~  ~
`;

const integerTypes: IntegerType[] = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'i128'];

const conversions: Record<string, Convert<unknown>> = {
  ...Object.fromEntries(integerTypes.map((type) => [type, toInteger(type)])),
  f64: toF64,
  f32: toF32,
  decimal: toDecimal,
  boolean: toBoolean,
  string: toText,
  bytes: toBytes,
  array: toArray,
  pubkey: toPubkey,
  keypair: toKeypair,
  signature: toSignature,
  wallet: toWallet,
  'wallet-or-pubkey': toWalletOrPubkey,
};

type Mark = '+' | '~' | '-';
const [head = '', ...lines] = table.trim().split('\n');
const rows = lines.map((line) => line.split(/ +/) as [string, ...Mark[]]);
const markOf = (wanted: string, tag: Tag): Mark => {
  const [, ...marks] = rows.find(([name]) => name === wanted)!;
  return marks[TAGS.indexOf(tag)]!;
};

const error = (run: () => unknown): unknown => {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
};

const adapter = (key: Value, more: { [name: string]: Value } = {}): Value => ({ M: { public_key: key, ...more } });
const ones = (count: number): Value => ({ S: '1'.repeat(count) });
const numbers = (count: number): Value => ({ A: Array.from({ length: count }, (): Value => ({ U: '0' })) });
// 32 and 64 bytes have tags of their own, B3 and B6. But a node may output them under BY.
const raw = (count: number): Value => ({ BY: Buffer.alloc(count).toString('base64') });

const ofLength = (count: number): Value[] => [ones(count), raw(count), numbers(count)];
const keys = [...ofLength(32), ...ofLength(64)];
const bytesOf = (members: Value[]): Value => ({ A: members });

/** Examples for conversions that take only some values of a tag. The ranges below test integers. */
const examples: [wanted: string, taken: Value[], refused: Value[]][] = [
  ['decimal', [{ S: ' 1.5e3\n' }, { F: '0.1' }], [{ S: '' }, { S: '1,5' }, { F: 'NaN' }, { F: '-inf' }, { F: '1e29' }]],
  ['bytes', [bytesOf([]), bytesOf([{ U: '255' }, { I: '0' }, { D: '1.0' }])], [
    bytesOf([{ U: '256' }]),
    bytesOf([{ I: '-1' }]),
    bytesOf([{ S: '1' }]),
    bytesOf([bytesOf([])]),
  ]],
  ['pubkey', [...keys, ...keys.map((key) => adapter(key))], [
    ...ofLength(33),
    { S: '0'.repeat(32) },
    { M: {} },
    { M: { publicKey: ones(32) } },
    adapter(ones(32), { token: ones(1) }),
    adapter(adapter(ones(32))),
  ]],
  ...['keypair', 'signature'].map((wanted): [string, Value[], Value[]] => [wanted, ofLength(64), [
    ...ofLength(32),
    ...ofLength(65),
  ]]),
  ['wallet', [...ofLength(64), ...keys.map((key) => adapter(key)), adapter(ones(32), { token: ones(1) })], [
    ...ofLength(32),
    { M: {} },
    adapter({ N: 0 }),
    adapter(adapter(ones(32))),
  ]],
  ['wallet-or-pubkey', [...keys, ...keys.map((key) => adapter(key)), adapter(ones(32), { token: ones(1) })], [
    ...ofLength(33),
    { M: {} },
    adapter({ N: 0 }),
    adapter(adapter(ones(32))),
  ]],
];

describe('the conversions', () => {
  it('are all in the table, with every tag', () => {
    expect(head.trim().split(/ +/)).toEqual(TAGS);
    expect(rows.map(([wanted]) => wanted).toSorted()).toEqual(Object.keys(conversions).toSorted());
    expect(rows.map((row) => row.length)).toEqual(rows.map(() => TAGS.length + 1));
  });

  it.each(rows)('to %s take from each tag what the table says', (wanted) => {
    for (const tag of TAGS) {
      const mark = markOf(wanted, tag);
      fc.assert(
        fc.property(valuesOf[tag], (value) => {
          const thrown = error(() => conversions[wanted]!(value));
          if (thrown !== undefined) expect(thrown).toBeInstanceOf(ConversionError);
          if (mark !== '~') expect([tag, thrown === undefined]).toEqual([tag, mark === '+']);
        }),
        { numRuns: 30 },
      );
    }
  });

  it('have examples of both kinds wherever the table says that some values are taken', () => {
    const tagsOf = (values: Value[]) => new Set(values.flatMap((value) => Object.keys(value)));
    for (const [wanted, ...marks] of rows.filter(([name]) => !integerTypes.includes(name as IntegerType))) {
      const some = TAGS.filter((_, index) => marks[index] === '~').toSorted();
      const [, taken, refused] = examples.find(([name]) => name === wanted) ?? [wanted, [], []];
      expect([wanted, [...tagsOf(refused)].toSorted()]).toEqual([wanted, some]);
      expect([wanted, [...tagsOf(taken)].toSorted()]).toEqual([wanted, some]);
    }
  });

  it.each(examples)('to %s take the examples that they should, and refuse the others', (wanted, taken, refused) => {
    expect(taken.filter((value) => error(() => conversions[wanted]!(value)))).toEqual([]);
    expect(refused.filter((value) => !(error(() => conversions[wanted]!(value)) instanceof ConversionError))).toEqual(
      [],
    );
  });
});

describe('toInteger', () => {
  const integerTags = ['U', 'I', 'U1', 'I1', 'D'] as const;
  const ranges: Record<string, [bigint, bigint]> = {
    u8: [0n, 255n],
    u16: [0n, 65_535n],
    u32: [0n, 4_294_967_295n],
    u64: [0n, 18_446_744_073_709_551_615n],
    u128: [0n, 2n ** 128n - 1n],
    i8: [-128n, 127n],
    i16: [-32_768n, 32_767n],
    i32: [-2_147_483_648n, 2_147_483_647n],
    i64: [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
    i128: [-(2n ** 127n), 2n ** 127n - 1n],
  };
  /** The integers that each tag can hold. For decimals, only the integers within 64 bits. */
  const held: Record<typeof integerTags[number], [bigint, bigint]> = {
    U: ranges.u64!,
    I: ranges.i64!,
    U1: ranges.u128!,
    I1: ranges.i128!,
    D: [-(2n ** 63n), 2n ** 64n - 1n],
  };
  const isIn = ([min, max]: [bigint, bigint], integer: bigint) => integer >= min && integer <= max;
  const edges = [...new Set(Object.values(ranges).flat().flatMap((edge) => [edge - 1n, edge, edge + 1n]))];

  it.each(integerTypes)('gives %s exactly within its range and refuses what is beyond, at every border', (type) => {
    const canHold = (tag: typeof integerTags[number], integer: bigint) =>
      tag === 'D' ? integer > -(2n ** 90n) && integer < 2n ** 90n : isIn(held[tag], integer);
    const check = (tag: typeof integerTags[number], integer: bigint, zeros: number) => {
      // SAFETY: each of these tags takes a string.
      const value = {
        [tag]: tag === 'D' && zeros > 0 ? `${integer}.${'0'.repeat(zeros)}` : String(integer),
      } as Value;
      const isTaken = markOf(type, tag) !== '-' && isIn(held[tag], integer) && isIn(ranges[type]!, integer);
      if (isTaken) expect(toInteger(type)(value)).toBe(integer);
      else expect(() => toInteger(type)(value)).toThrow(ConversionError);
    };
    for (const tag of integerTags) {
      for (const edge of edges) if (canHold(tag, edge)) check(tag, edge, Number(edge & 1n));
    }
    const integers = fc.bigInt({ min: -(2n ** 127n), max: 2n ** 128n - 1n });
    fc.assert(
      fc.property(fc.constantFrom(...integerTags), integers, fc.nat(5), (tag, integer, zeros) => {
        fc.pre(canHold(tag, integer));
        check(tag, integer, zeros);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[IntegerType, Value, string]>([
    ['u64', { U1: '5' }, 'invalid type: integer `5` as u128, expected u64'],
    ['u64', { I1: '5' }, 'invalid type: integer `5` as i128, expected u64'],
    ['u64', { F: '5.0' }, 'invalid type: floating point `5.0`, expected u64'],
    ['u64', { B: true }, 'invalid type: boolean `true`, expected u64'],
    ['u64', { N: 0 }, 'invalid type: unit value, expected u64'],
    ['i8', { A: [] }, 'invalid type: sequence, expected i8'],
    ['i8', { M: {} }, 'invalid type: map, expected i8'],
    ['u8', { U: '256' }, 'invalid value: integer `256`, expected u8'],
    ['u64', { I: '-1' }, 'invalid value: integer `-1`, expected u64'],
    ['u64', { D: '1.5' }, 'invalid value: decimal `1.5`, expected u64'],
    // The error quotes no part of a text or of bytes, because they may be a secret.
    ['u64', { S: 'secret' }, 'invalid type: string, expected u64'],
    ['u64', { BY: 'AQI=' }, 'invalid type: byte array, expected u64'],
  ])('to %s says what is wrong with %j', (type, value, message) => {
    expect(error(() => toInteger(type)(value))).toEqual(new ConversionError(message));
  });
});

describe('toF64 and toF32', () => {
  it('give the nearest float', () => {
    fc.assert(fc.property(fc.oneof(valuesOf.U, valuesOf.I, valuesOf.D), (value) => {
      const [text] = Object.values(value) as [string];
      expect(toF64(value)).toBe(Number(text));
      expect(toF32(value)).toBe(Math.fround(Number(text)));
    }));
  });

  it.each<[string, number]>([
    ['NaN', Number.NaN],
    ['inf', Number.POSITIVE_INFINITY],
    ['-inf', Number.NEGATIVE_INFINITY],
    ['-0.0', -0],
    ['1e-7', 1e-7],
  ])('give the float %s', (text, float) => expect(toF64({ F: text })).toBe(float));
});

describe('toDecimal', () => {
  it.each<[Value, string]>([
    [{ D: '1.50' }, '1.50'],
    [{ U: '18446744073709551615' }, '18446744073709551615'],
    [{ I: '-9223372036854775808' }, '-9223372036854775808'],
    [{ F: '0.1' }, '0.1'],
    [{ S: '\t1.50 ' }, '1.50'],
    [{ S: '1.5e-3' }, '0.0015'],
    [{ S: `0.${'0'.repeat(27)}16` }, `0.${'0'.repeat(27)}2`],
  ])('gives %j as %s', (value, text) => expect(toDecimal(value).toString()).toBe(text));
});

describe('fields', () => {
  const toU64 = toInteger('u64');
  const fields = { amount: { U: '5' }, none: { N: 0 }, text: { S: 'x' } } as const;

  it('are read when they are there', () => {
    expect(readField(fields, 'amount', toU64)).toBe(5n);
    expect(readOptionalField(fields, 'amount', toU64)).toBe(5n);
    expect(readFieldOr(fields, 'amount', 7n, toU64)).toBe(5n);
  });

  it('may be absent or null when they are optional, and absent when they have a default', () => {
    expect(readOptionalField(fields, 'absent', toU64)).toBeUndefined();
    expect(readOptionalField(fields, 'none', toU64)).toBeUndefined();
    expect(readFieldOr(fields, 'absent', 7n, toU64)).toBe(7n);
  });

  it.each<[string, () => unknown, string]>([
    ['is missing', () => readField(fields, 'absent', toU64), 'missing field `absent`'],
    ['is null', () => readField(fields, 'none', toU64), 'none: invalid type: unit value, expected u64'],
    ['has a default and is null', () => readFieldOr(fields, 'none', 7n, toU64), 'none: invalid type: unit value'],
    ['is optional and of another type', () => readOptionalField(fields, 'text', toU64), 'text: invalid type: string'],
    [
      'is not a wallet',
      () => readField(fields, 'text', toWallet),
      'text: data did not match any variant of untagged enum Wallet: must be a key pair, or a map with its public_key',
    ],
  ])('are named when one %s', (_how, read, message) => {
    const thrown = error(read);
    expect(thrown).toBeInstanceOf(ConversionError);
    expect(String(thrown)).toContain(message);
    expect((thrown as ConversionError).input).toMatch(/^(absent|none|text)$/);
  });

  it('let errors of other kinds through', () => {
    const fault = new RangeError('of the node itself');
    const convert = () => {
      throw fault;
    };
    expect(error(() => readField(fields, 'amount', convert))).toBe(fault);
  });
});
