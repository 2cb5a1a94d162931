import { base64 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../tests/support/values.ts';
import { TAGS } from './port_types.ts';
import { bytesToValue, decodeValue, type Value, ValueError, valueToText } from './value.ts';

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

  it("lists the tags for an unknown one, and describes a tag's content", () => {
    expect(() => decodeValue({ X: 1 })).toThrow(
      'there is no tag "X"; the tags are S, N, B, U, I, U1, I1, F, D, B3, B6, BY, A and M',
    );
    expect(() => decodeValue({ U: 5 })).toThrow('U: must be an integer from 0 to 2^64-1, as a string');
  });

  it('keeps a member called __proto__ a member', () => {
    const value = decodeValue(JSON.parse('{"M": {"__proto__": {"S": "x"}}}')) as { M: Record<string, Value> };
    expect(Object.keys(value.M)).toEqual(['__proto__']);
    expect(JSON.stringify(value)).toBe('{"M":{"__proto__":{"S":"x"}}}');
  });

  it.each(TAGS)('returns canonical values of tag %s unchanged, also through JSON', (tag) => {
    fc.assert(fc.property(valuesOf[tag], (given) => {
      expect(decodeValue(given)).toEqual(given);
      expect(decodeValue(JSON.parse(JSON.stringify(given)))).toEqual(given);
    }));
  });

  it.each([
    ['U', 0n, 2n ** 64n - 1n],
    ['I', -(2n ** 63n), 2n ** 63n - 1n],
    ['U1', 0n, 2n ** 128n - 1n],
    ['I1', -(2n ** 127n), 2n ** 127n - 1n],
    ['D', 1n - 2n ** 96n, 2n ** 96n - 1n],
  ])('accepts under tag %s exactly the numbers from %d to %d', (tag, min, max) => {
    for (const edge of [min, min + 1n, max - 1n, max]) {
      expect(decodeValue({ [tag]: String(edge) })).toEqual({ [tag]: String(edge) });
    }
    for (const beyond of [min - 1n, max + 1n]) expect(() => decodeValue({ [tag]: String(beyond) })).toThrow(ValueError);
  });

  it('gives bytes of every length the right tag', () => {
    fc.assert(fc.property(fc.oneof(fc.constantFrom(32, 64), fc.nat(70)), fc.nat(255), (length, byte) => {
      const bytes = new Uint8Array(length).fill(byte);
      const value = decodeValue({ BY: base64.encode(bytes) });
      expect(value).toEqual(bytesToValue(bytes));
      expect(Object.keys(value)).toEqual([length === 32 ? 'B3' : length === 64 ? 'B6' : 'BY']);
    }));
  });

  it('accepts 64 levels, and names the path of a deeper one', () => {
    const nested = (levels: number): unknown => levels === 1 ? { A: [] } : { A: [nested(levels - 1)] };
    expect(() => decodeValue(nested(64))).not.toThrow();
    expect(() => decodeValue(nested(65))).toThrow('A.0.A.0.A.0');
  });

  it('refuses base58 that is far too long without decoding it', () => {
    const begin = performance.now();
    expect(() => decodeValue({ B6: 'z'.repeat(2_000_000) })).toThrow('B6: must be base58 of 64 bytes');
    expect(performance.now() - begin).toBeLessThan(1_000);
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
