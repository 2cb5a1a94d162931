import { parse } from 'lossless-json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, jsonToValue, type LosslessJson, type Value, ValueError, valueToText } from './value.ts';

const key = '11111111111111111111111111111111';
const key64 = '1'.repeat(64);

describe('decodeValue', () => {
  it.each<[unknown, Value]>([
    [{ N: 0 }, { N: 0 }],
    [{ S: '' }, { S: '' }],
    [{ B: false }, { B: false }],
    [{ U: '+018446744073709551615' }, { U: '18446744073709551615' }],
    [{ I: '-9223372036854775808' }, { I: '-9223372036854775808' }],
    [{ U1: '340282366920938463463374607431768211455' }, { U1: '340282366920938463463374607431768211455' }],
    [{ I1: '-170141183460469231731687303715884105728' }, { I1: '-170141183460469231731687303715884105728' }],
    [{ F: '1.7976931348623157E308' }, { F: '1.7976931348623157e308' }],
    [{ D: '1.50' }, { D: '1.50' }],
    [{ B3: key }, { B3: key }],
    [{ B6: key64 }, { B6: key64 }],
    [{ BY: 'AQI' }, { BY: 'AQI=' }],
    [{ BY: '' }, { BY: '' }],
    [{ BY: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, { B3: key }],
    [{ A: [{ S: 'x' }, { N: 0 }] }, { A: [{ S: 'x' }, { N: 0 }] }],
    [{ M: { a: { M: {} } } }, { M: { a: { M: {} } } }],
  ])('reads %j', (json, expected) => expect(decodeValue(json)).toEqual(expected));

  it.each<[unknown, (string | number)[]]>([
    [5, []],
    [null, []],
    [[], []],
    [{}, []],
    [{ S: 'a', B: true }, []],
    [{ X: 1 }, []],
    [{ toString: 'x' }, []],
    [{ N: 1 }, ['N']],
    [{ N: null }, ['N']],
    [{ B: 'true' }, ['B']],
    [{ U: 5 }, ['U']],
    [{ U: '-1' }, ['U']],
    [{ U: '18446744073709551616' }, ['U']],
    [{ I: '9223372036854775808' }, ['I']],
    [{ U1: '340282366920938463463374607431768211456' }, ['U1']],
    [{ I1: '170141183460469231731687303715884105728' }, ['I1']],
    [{ F: 'x' }, ['F']],
    [{ D: '1e5' }, ['D']],
    [{ B3: key64 }, ['B3']],
    [{ B3: '0OIl' }, ['B3']],
    [{ B6: key }, ['B6']],
    [{ BY: '!' }, ['BY']],
    [{ S: '\0' }, ['S']],
    [{ S: '\ud800' }, ['S']],
    [{ A: [{ S: 'x' }, 5] }, ['A', 1]],
    [{ M: { a: { A: [{ U: 'x' }] } } }, ['M', 'a', 'A', 0, 'U']],
  ])('refuses %j and names the path %j', (json, path) => {
    const error = (() => {
      try {
        return decodeValue(json);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(ValueError);
    expect((error as ValueError).path).toEqual(path);
  });

  it('keeps a member called __proto__ a member', () => {
    const value = decodeValue(JSON.parse('{"M": {"__proto__": {"S": "x"}}}')) as { M: Record<string, Value> };
    expect(Object.keys(value.M)).toEqual(['__proto__']);
    expect(JSON.stringify(value)).toBe('{"M":{"__proto__":{"S":"x"}}}');
  });

  it('gives canonical values back as they are', () => {
    const leaf = fc.oneof(
      fc.constant<Value>({ N: 0 }),
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')).map((text): Value => ({ S: text })),
      fc.boolean().map((value): Value => ({ B: value })),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value): Value => ({ U: String(value) })),
    );
    const { value } = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value'), { maxLength: 4 }).map((A): Value => ({ A }))),
    }));
    fc.assert(fc.property(value, (given) => {
      expect(decodeValue(given)).toEqual(given);
    }));
  });
});

describe('jsonToValue', () => {
  const read = (text: string) => jsonToValue(parse(text) as LosslessJson);

  it.each<[string, Value]>([
    ['null', { N: 0 }],
    ['true', { B: true }],
    ['"text"', { S: 'text' }],
    ['3', { U: '3' }],
    ['-3', { I: '-3' }],
    ['18446744073709551616', { U1: '18446744073709551616' }],
    ['-9223372036854775809', { I1: '-9223372036854775809' }],
    ['1.5', { D: '1.5' }],
    ['1.50', { D: '1.50' }],
    ['0.1234567890123456789012345678', { D: '0.1234567890123456789012345678' }],
    ['1e3', { D: '1000' }],
    ['1e300', { F: '1e300' }],
    ['[1, {"a": []}]', { A: [{ U: '1' }, { M: { a: { A: [] } } }] }],
  ])('reads %s', (text, expected) => expect(read(text)).toEqual(expected));

  it('loses no digit of any integer up to 128 bits', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (value) => {
      expect(read(String(value))).toEqual(value < 2n ** 64n ? { U: String(value) } : { U1: String(value) });
    }));
  });
});

describe('valueToText', () => {
  it.each<[Value, string]>([
    [{ S: 'as it is' }, 'as it is'],
    [{ U: '5' }, '5'],
    [{ D: '1.50' }, '1.50'],
    [{ F: '1e16' }, '10000000000000000'],
    [{ B3: key }, key],
    [{ B: true }, '{\n  "B": true\n}'],
    [{ A: [{ U: '1' }] }, '{\n  "A": [\n    {\n      "U": "1"\n    }\n  ]\n}'],
  ])('writes %j', (value, expected) => expect(valueToText(value)).toBe(expected));
});
