import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { exactJson, fromJavaScript } from './javascript.ts';
import { decodeValue, type Value, ValueError } from '../value.ts';
import { toBytes } from '../keys.ts';

describe('fromJavaScript', () => {
  it.each<[unknown, Value]>([
    [null, { N: 0 }],
    [true, { B: true }],
    ['text', { S: 'text' }],
    [1, { D: '1' }],
    [-0, { D: '0' }],
    [0.1, { D: '0.1' }],
    [1e-7, { D: '0.0000001' }],
    [1e21, { D: `1${'0'.repeat(21)}` }],
    [-1.5e-10, { D: '-0.00000000015' }],
    [Number.MAX_SAFE_INTEGER, { D: '9007199254740991' }],
    [1e300, { F: '1e300' }],
    [5e-324, { F: '5e-324' }],
    [Number.NaN, { F: 'NaN' }],
    [Number.NEGATIVE_INFINITY, { F: '-inf' }],
    [2n ** 64n - 1n, { U: '18446744073709551615' }],
    [-(2n ** 63n), { I: '-9223372036854775808' }],
    [2n ** 64n, { U1: '18446744073709551616' }],
    [-(2n ** 63n) - 1n, { I1: '-9223372036854775809' }],
    [new Uint8Array(32), { B3: '1'.repeat(32) }],
    [new Uint8Array(64), { B6: '1'.repeat(64) }],
    [Buffer.from([1, 2]), { BY: 'AQI=' }],
    [[1, ['a'], null], { A: [{ D: '1' }, { A: [{ S: 'a' }] }, { N: 0 }] }],
    [{ a: 1, b: undefined, c: {} }, { M: { a: { D: '1' }, c: { M: {} } } }],
    [Object.create(null), { M: {} }],
    [JSON.parse('{"__proto__": 1}'), { M: JSON.parse('{"__proto__": {"D": "1"}}') }],
  ])('gives %o its value', (js, expected) => expect(fromJavaScript(js)).toEqual(expected));

  const loop: unknown[] = [];
  loop.push(loop);

  it.each<[string, unknown, (string | number)[]]>([
    ['undefined', undefined, []],
    ['undefined in an array', { list: [1, undefined] }, ['list', 1]],
    ['a hole in an array', Array(1), [0]],
    ['a function', { a: { b: () => 1 } }, ['a', 'b']],
    ['a symbol', [Symbol('x')], [0]],
    ['a date', { at: new Date(0) }, ['at']],
    ['a map', new Map(), []],
    ['a bigint of 129 bits', [2n ** 128n], [0]],
    ['a bigint below 128 bits', -(2n ** 127n) - 1n, []],
    ['NUL in a text', { a: 'x\0' }, ['a']],
    ['half a character', ['\ud800'], [0]],
    ['NUL in a name', { a: { 'x\0': 1 } }, ['a']],
    ['a cycle', loop, Array(64).fill(0)],
  ])('refuses %s and names the path', (_what, js, path) => {
    const error = (() => {
      try {
        return fromJavaScript(js);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(ValueError);
    expect((error as ValueError).path).toEqual(path);
    expect((error as ValueError).message).toContain(path.join('.'));
  });

  it('says what it refuses', () => {
    expect(() => fromJavaScript({ at: [new Date(0)] })).toThrow('at.0: an instance of Date has no value form');
    expect(() => fromJavaScript({ run: () => 1 })).toThrow('run: function has no value form');
  });

  it('loses nothing of any number: its text is the same float', () => {
    fc.assert(fc.property(fc.double(), (number) => {
      const value = fromJavaScript(number);
      const [text = ''] = Object.values(value) as [string];
      expect(decodeValue(value)).toEqual(value);
      if ('D' in value) expect(text).not.toMatch(/e/i);
      if (Number.isFinite(number)) expect(Number(text)).toBe(number === 0 ? 0 : number);
      else expect(value).toHaveProperty('F');
    }));
  });

  it('gives every bigint of 128 bits in the smallest tag that holds it', () => {
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 127n), max: 2n ** 128n - 1n }), (integer) => {
      const value = fromJavaScript(integer);
      expect(decodeValue(value)).toEqual(value);
      expect(Object.values(value)).toEqual([String(integer)]);
      const is64 = integer >= -(2n ** 63n) && integer < 2n ** 64n;
      expect(Object.keys(value)).toEqual([`${integer < 0n ? 'I' : 'U'}${is64 ? '' : '1'}`]);
    }));
  });

  it('gives values of bytes that convert back to the same bytes, whatever their length and content', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(toBytes(fromJavaScript(bytes))).toEqual(bytes);
    }));
  });
});

it('JSON is the same as that of JSON.stringify, but for bigints, which keep all digits', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      expect(JSON.parse(exactJson(json))).toEqual(JSON.parse(JSON.stringify(json)));
    }),
    { seed: 20261121 },
  );
  expect(exactJson({ a: [18446744073709551615n], b: undefined })).toBe('{"a":[18446744073709551615]}');
  // An object that looks like a LosslessNumber stays an object.
  const trick = { isLosslessNumber: true, value: '7, "inputs": 8' };
  expect(parse(exactJson({ trick }))).toEqual({ trick });
});
