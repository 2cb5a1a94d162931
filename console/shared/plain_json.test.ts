import { describe, expect, test } from 'vitest';
import { parseExactly } from './exact_json.ts';
import { plainOf, plainText, shortText, tagLike } from './plain_json.ts';

const KEY = 'So11111111111111111111111111111111111111112';
const VALUE = {
  M: {
    none: { N: 0 },
    text: { S: '7' },
    whole: { U: '7' },
    negative: { I: '-7' },
    decimal: { D: '2.5' },
    float: { F: '1.5' },
    key: { B3: KEY },
    list: { A: [{ U: '1' }, { U: '2' }] },
  },
};

test('a value becomes plain JSON, and the JSON becomes the same value again', () => {
  const plain = plainOf(VALUE);
  expect(plain).toEqual({
    none: null,
    text: '7',
    whole: 7,
    negative: -7,
    decimal: 2.5,
    float: 1.5,
    key: KEY,
    list: [1, 2],
  });
  expect(tagLike(parseExactly(plainText(VALUE)), VALUE)).toEqual(VALUE);
});

test('numbers that JavaScript would round keep their digits as numbers, or else as texts', () => {
  const value = { M: { large: { U1: '340282366920938463463374607431768211455' }, exact: { D: '2.20' } } };
  const text = plainText(value);
  expect(text).toContain('340282366920938463463374607431768211455');
  expect(tagLike(parseExactly(text), value)).toEqual(value);
  expect(tagLike('340282366920938463463374607431768211455', value.M.large)).toEqual(value.M.large);
  expect(plainOf({ F: 'inf' })).toBe('inf');
  expect(tagLike('inf', { F: 'inf' })).toEqual({ F: 'inf' });
});

describe('a changed value', () => {
  test('keeps the tag of the value that it replaces', () => {
    expect(tagLike('Vote111111111111111111111111111111111111111', { B3: KEY })).toEqual({
      B3: 'Vote111111111111111111111111111111111111111',
    });
    expect(tagLike([1, 2, 3], { A: [{ I: '1' }] })).toEqual({ A: [{ I: '1' }, { I: '2' }, { I: '3' }] });
    expect(tagLike(3, { D: '2.5' })).toEqual({ D: '3' });
  });

  test('gets a tag of its own if the former one does not fit', () => {
    expect(tagLike(-3, { U: '2' })).toEqual({ I: '-3' });
    expect(tagLike(2.5, { U: '2' })).toEqual({ D: '2.5' });
    expect(tagLike('a', { U: '2' })).toEqual({ S: 'a' });
    expect(tagLike({ a: true }, { S: 'x' })).toEqual({ M: { a: { B: true } } });
    expect(tagLike(7)).toEqual({ U: '7' });
  });
});

test('a value is described in a few characters', () => {
  expect(shortText({ S: 'good day' })).toBe('good day');
  expect(shortText({ S: 'x'.repeat(100) })).toBe(`${'x'.repeat(23)}…`);
  expect(shortText({ S: '' })).toBe('empty text');
  expect(shortText({ A: [{ U: '1' }] })).toBe('1 element');
  expect(shortText({ M: { name: { S: 'a' }, age: { U: '1' } } })).toBe('{name, age}');
  expect(shortText({ B: true })).toBe('true');
  expect(shortText({ N: 0 })).toBe('null');
});
