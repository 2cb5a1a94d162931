import { base58 } from '@scure/base';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../../dev/docs/openapi.ts';
import { decodeValue, ValueError } from '../../types/values/value.ts';

const { schemas } = openapiDocument().components;
const ajv = new Ajv2020({ strictTypes: false, validateFormats: false });
ajv.addVocabulary(['components']);
const validate = ajv.compile({ $ref: '#/components/schemas/Value', components: { schemas } });

function decodes(json: unknown): boolean {
  try {
    decodeValue(json);
    return true;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

const bytes = (length: number, byte: number) => base58.encode(new Uint8Array(length).fill(byte));
const nested = (levels: number): unknown => levels === 0 ? { A: [] } : { A: [nested(levels - 1)] };

/** Makes a value of the tag for each payload. */
const tagged = (tag: string, payloads: unknown[]): unknown[] => payloads.map((payload) => ({ [tag]: payload }));

const goodValues: unknown[] = [
  { N: 0 },
  ...tagged('S', ['', 'text, ü, 🦊, \u{10ffff}\n']),
  ...tagged('B', [true, false]),
  ...tagged('U', ['0', '-0', '+0', '007', '+5', '18446744073709551615', `${'0'.repeat(900)}1`]),
  ...tagged('I', ['-9223372036854775808', '9223372036854775807', '-1', '+1', '-007']),
  ...tagged('U1', ['340282366920938463463374607431768211455']),
  ...tagged('I1', ['-170141183460469231731687303715884105728', '170141183460469231731687303715884105727']),
  ...tagged('F', ['0.1', '.5', '5.', '-1e-7', '1E+400', 'inf', '-Infinity', 'NaN', '+nan']),
  ...tagged('D', ['1.50', '-0.5', '.5', '5.', '+79228162514264337593543950335', '0.0000000000000000000000000001']),
  ...tagged('B3', [bytes(32, 0), bytes(32, 255)]),
  ...tagged('B6', [bytes(64, 0), bytes(64, 255)]),
  ...tagged('BY', ['', 'AA', 'AA=', 'AA==', 'AQI', 'AQI=', '+/+/', 'AAAAAA==']),
  ...tagged('A', [[], [{ S: 'x' }, { A: [{ N: 0 }] }]]),
  ...tagged('M', [{}, { 'any name, ü': { M: { '': { U: '1' } } } }]),
  nested(62),
];

const badValues: unknown[] = [
  null,
  5,
  'S',
  [],
  [{ S: 'x' }],
  {},
  { S: 'x', B: true },
  { X: 'x' },
  { s: 'x' },
  ...tagged('N', [1, null, '0', false]),
  ...tagged('S', [5, null, 'NUL \0', 'half \ud83d', '\udd8a\ud83e']),
  ...tagged('B', ['true', 0, null]),
  ...tagged('U', [5, '', '-1', '1.0', '1e3', ' 1', '1_000', '0x10', '18446744073709551616', `${'0'.repeat(1_000)}1`]),
  ...tagged('I', ['9223372036854775808', '-9223372036854775809', '--1', '+', '-']),
  ...tagged('U1', ['340282366920938463463374607431768211456']),
  ...tagged('I1', ['170141183460469231731687303715884105728', '-170141183460469231731687303715884105729']),
  ...tagged('F', [1.5, '', '.', 'e5', '1e', '1,5', 'infinit', 'nan0', '0x1p3']),
  ...tagged('D', [1.5, '', '.', '-', '1e5', '1.5.0', '1,5', 'NaN']),
  ...tagged('B3', ['', 'l', bytes(31, 0), bytes(33, 255), `${bytes(32, 255)}0`, 5]),
  ...tagged('B6', ['', bytes(63, 0), bytes(32, 255)]),
  ...tagged('BY', ['A', 'AB', 'AAA==', '====', 'AA===', 'A A=', '-_-_', 'AQI=AQI=', 'AAB', null]),
  ...tagged('A', [null, {}, 'x', [5], [{ S: 5 }]]),
  ...tagged('M', [null, [], 'x', { a: 5 }, { a: { X: 1 } }, { 'NUL \0': { N: 0 } }, { '\ud83d': { N: 0 } }]),
];

describe('the JSON Schema of a value and decodeValue', () => {
  it('accept the same good values', () => {
    expect(goodValues.filter((json) => !validate(json) || !decodes(json))).toEqual([]);
  });

  it('refuse the same bad values', () => {
    expect(badValues.filter((json) => validate(json) || decodes(json))).toEqual([]);
  });

  it('agree on integers near every limit, in every spelling', () => {
    const limits = [0n, 1n << 63n, 1n << 64n, 1n << 127n, 1n << 128n];
    const near = fc.tuple(fc.constantFrom(...limits), fc.bigInt({ min: -200n, max: 200n }), fc.boolean()).map(
      ([limit, offset, isNegative]) => isNegative ? -(limit + offset) : limit + offset,
    );
    const anywhere = fc.bigInt({ min: -(1n << 130n), max: 1n << 130n });
    const written = fc.tuple(fc.oneof(near, anywhere), fc.nat(3), fc.boolean()).map(([number, zeros, hasPlus]) => {
      const digits = '0'.repeat(zeros) + String(number).replace('-', '');
      return number < 0n ? `-${digits}` : `${hasPlus ? '+' : ''}${digits}`;
    });
    fc.assert(
      fc.property(fc.constantFrom('U', 'I', 'U1', 'I1'), written, (tag, text) => {
        expect([tag, text, validate({ [tag]: text })]).toEqual([tag, text, decodes({ [tag]: text })]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('agree on generated texts under the tags of text, bytes and floats', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String({ maxLength: 24 }),
      fc.string({ unit: fc.constantFrom(...'AQgwE4=+/'), maxLength: 9 }),
      fc.double().map(String),
      fc.string({ unit: fc.constantFrom(...'+-.0159eEinfatyINFNAT'), maxLength: 9 }),
    );
    fc.assert(
      fc.property(fc.constantFrom('S', 'F', 'BY'), text, (tag, payload) => {
        expect([tag, payload, validate({ [tag]: payload })]).toEqual([tag, payload, decodes({ [tag]: payload })]);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each<[string, unknown]>([
    ['values that are nested too deeply', nested(64)],
    ['decimals of more than 96 bits', { D: '79228162514264337593543950336' }],
    ['decimals with more than 28 places', { D: '0.00000000000000000000000000001' }],
    ['base58 of 33 bytes that has as few digits as 32 may have', { B3: bytes(33, 0) }],
  ])('differ on %s, which the schema describes in words', (_what, json) => {
    expect([validate(json), decodes(json)]).toEqual([true, false]);
  });
});
