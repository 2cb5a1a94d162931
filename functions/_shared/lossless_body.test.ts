import { parse } from 'lossless-json';
import { expect, it } from 'vitest';
import { rawMember } from './lossless_body.ts';

const read = (text: string) => rawMember(text, JSON.parse(text), 'values').text;

it.each([
  ['{"values":{"a":1.50}}', '{"a":1.50}'],
  [' { "a" : [1, {"values": 2}] , "values" : {"a" : 1e400} , "b": "values" } ', ' {"a" : 1e400} '],
  [String.raw`{"v\u0061lues":"a\"},{:","x":{}}`, String.raw`"a\"},{:"`],
  ['{"__proto__":{"values":1},"values":12345678901234567890}', '12345678901234567890'],
  ['{"inputs":{"values":{}},"values":[[],{},[{"values":[]}]]}', '[[],{},[{"values":[]}]]'],
])('extracts the member of %s unchanged', (text, member) => {
  expect(read(text)).toBe(member);
  // A parser that keeps all digits reads the whole text and gives the expected member.
  expect(parse(read(text))).toEqual((parse(text) as { values: unknown }).values);
});

it.each([
  '{"values":{},"values":{}}',
  String.raw`{"values":{},"v\u0061lues":1}`,
  '{"values":{"a":[{"b":1,"b":2}]}}',
  '{"inputs":{"a":1,"a":1},"values":{}}',
  '{"values":{"__proto__":1,"__proto__":1}}',
])('refuses %s, in which two members have one name', (text) => {
  expect(() => read(text)).toThrow('The body has an object with two members of the same name.');
});
