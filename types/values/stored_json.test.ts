import { parse, stringify } from 'lossless-json';
import { expect, it } from 'vitest';
import { parseStoredJson } from './stored_json.ts';

it.each([
  'null',
  ' true ',
  '"text"',
  '-0.1e+5',
  '123456789012345678901234567890.000',
  '[]',
  '{}',
  '[[], {}, [1, "a", false, null]]',
  '{"a": {"b": [1, {"c": "d"}]}, "": 0}',
  String.raw`["\"", "\\", "\\\"", "a\\", "\u00e9\n", "\ud83e\udd80", ",]}:"]`,
  String.raw`{"\"": {"\\": 1}, "é": "🦀"}`,
])('parses %s as lossless-json does', (text) => {
  const value = parseStoredJson(text);
  expect(value).toEqual(parse(text));
  expect(stringify(value)).toBe(stringify(parse(text)));
});

it('parses long texts, with and without escapes', () => {
  const texts = ['x'.repeat(2_000_000), '\\"\n'.repeat(300_000), '🦀'.repeat(100_000)];
  expect(parseStoredJson(JSON.stringify(texts))).toEqual(texts);
});

it('a member of the name __proto__ is a member', () => {
  const value = parseStoredJson('{"__proto__": {"a": "b"}}') as object;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value)).toEqual(['__proto__']);
});

it.each([
  '',
  '"',
  '"a',
  '[1',
  '[1 2]',
  '[,]',
  '{"a"}',
  '{"a": 1,}',
  '{a: 1}',
  '1 2',
  'nul',
  '--1',
  '[1,]',
  '{1: 2}',
])(
  'refuses %j, which is not JSON',
  (text) => {
    expect(() => parseStoredJson(text)).toThrow();
  },
);
