import { parse } from 'lossless-json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyValue, decimalText, mantissas } from '../../../tests/support/values.ts';
import type { LosslessJson, Value } from '../value.ts';
import { fromWireJson, fromWireJsonText, toWireJson } from './wire_json.ts';

describe('toWireJson', () => {
  it.each<[Value, string]>([
    [{ N: 0 }, 'null'],
    [{ S: 'a"ü\n' }, '"a\\"ü\\n"'],
    [{ B: false }, 'false'],
    [{ U: '18446744073709551615' }, '18446744073709551615'],
    [{ I: '-9223372036854775808' }, '-9223372036854775808'],
    [{ U1: '18446744073709551615' }, '18446744073709551615'],
    [{ U1: '18446744073709551616' }, '18446744073709551616.0'],
    [{ I1: '-9223372036854775809' }, '-9223372036854775809.0'],
    [{ F: '5.0' }, '5.0'],
    [{ F: '1e-7' }, '1e-7'],
    [{ F: '-inf' }, 'null'],
    [{ F: 'NaN' }, 'null'],
    [{ D: '5.00' }, '5'],
    [{ D: '-1.50' }, '-1.5'],
    [{ D: '0.1234567890123456789012345678' }, '0.1234567890123456789012345678'],
    [{ D: '79228162514264337593543950335' }, '79228162514264337593543950335.0'],
    [{ B3: '1'.repeat(32) }, `[${Array(32).fill(0)}]`],
    [{ B6: '1'.repeat(64) }, `[${Array(64).fill(0)}]`],
    [{ BY: 'Af8=' }, '[1,255]'],
    [{ A: [{ U: '1' }, { A: [] }] }, '[1,[]]'],
    [{ M: { a: { M: {} }, 'b"': { N: 0 } } }, '{"a":{},"b\\"":null}'],
  ])('writes %j', (value, text) => expect(toWireJson(value)).toBe(text));

  it('writes JSON for any value', () => {
    fc.assert(fc.property(anyValue, (value) => {
      expect(() => JSON.parse(toWireJson(value))).not.toThrow();
    }));
  });

  it('loses no digit of any number', () => {
    fc.assert(fc.property(anyValue, (value) => {
      for (const tag of ['U', 'I', 'U1', 'I1', 'D'] as const) {
        if (!(tag in value)) continue;
        const [given = ''] = Object.values(value) as [string];
        const canonical = (text: string) => text.includes('.') ? text.replace(/\.?0+$/, '') : text;
        expect(canonical(String(parse(toWireJson(value))))).toBe(canonical(given));
      }
    }));
  });
});

describe('fromWireJsonText', () => {
  it('reads back those parts of a value that JSON can express', () => {
    const isPlain = (value: Value): boolean => {
      if ('A' in value) return value.A.every(isPlain);
      if ('M' in value) return Object.values(value.M).every(isPlain);
      return 'N' in value || 'S' in value || 'B' in value || 'U' in value || ('I' in value && value.I.startsWith('-'));
    };
    fc.assert(fc.property(anyValue.filter(isPlain), (value) => {
      expect(fromWireJsonText(toWireJson(value), 1_048_576)).toEqual(value);
    }));
  });

  it.each([
    ['', 'the text is not JSON'],
    ['{', 'the text is not JSON'],
    ['{"a": 1, "a": 2}', 'the text is not JSON'],
    ['['.repeat(100_000), 'the JSON text is nested deeper than 64 levels'],
    ['['.repeat(65) + ']'.repeat(65), 'the JSON text is nested deeper than 64 levels'],
    [`${'['.repeat(64)}1${']'.repeat(64)}`, 'nested deeper than 64 levels'],
    [`[${'1,'.repeat(200_000)}1]`, 'the JSON text holds more than 131072 values'],
    [' '.repeat(1_048_577), 'the JSON text is larger than 1048576 characters'],
  ])(
    'refuses %.20s and says why',
    (text, message) => {
      expect(() => fromWireJsonText(text, 1_048_576)).toThrow(message);
    },
  );
});

describe('fromWireJson', () => {
  const read = (text: string) => fromWireJson(parse(text) as LosslessJson);

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
    ['-0', { U: '0' }],
    ['1e300', { F: '1e300' }],
    ['1e-29', { F: '1e-29' }],
    ['1e400', { F: 'inf' }],
    [`1${'0'.repeat(39)}`, { F: '1e39' }],
    ['[1, {"a": []}]', { A: [{ U: '1' }, { M: { a: { A: [] } } }] }],
  ])('reads %s', (text, expected) => expect(read(text)).toEqual(expected));

  it('takes no object for a number, whatever its members', () => {
    expect(read('{"isLosslessNumber": true, "value": "5"}')).toEqual({
      M: { isLosslessNumber: { B: true }, value: { S: '5' } },
    });
  });

  it('takes 64 levels, and says where there are more', () => {
    expect(() => read('['.repeat(64) + ']'.repeat(64))).not.toThrow();
    expect(() => read('['.repeat(65) + ']'.repeat(65))).toThrow('nested deeper than 64 levels');
  });

  it('loses no digit of any integer up to 128 bits', () => {
    const tagOf = (value: bigint) => value < 0n ? value < -(2n ** 63n) ? 'I1' : 'I' : value < 2n ** 64n ? 'U' : 'U1';
    const near = [0n, -(2n ** 63n), 2n ** 64n].flatMap((edge) => [edge - 1n, edge, edge + 1n]);
    const integers = fc.oneof(fc.constantFrom(...near), fc.bigInt({ min: -(2n ** 127n), max: 2n ** 128n - 1n }));
    fc.assert(fc.property(integers, (value) => {
      expect(read(String(value))).toEqual({ [tagOf(value)]: String(value) });
    }));
  });

  it('loses no digit of any decimal', () => {
    fc.assert(fc.property(mantissas, fc.integer({ min: 1, max: 28 }), (mantissa, scale) => {
      const text = decimalText(mantissa, scale);
      expect(read(text)).toEqual({ D: text });
    }));
  });
});
