import { expect, test } from 'vitest';
import { indentJson, membersOf } from './json_text.ts';

const TEXT = String.raw`{"a":[1.50,18446744073709551615],"b:\"}":{"c":{},"d":[],"e":[{"f":null}]},"g":"x , y","h":1e2}`;

test('JSON is indented like JSON.stringify does, and keeps its digits', () => {
  const plain = '{"a":[1,2,{}],"b":{"c":[],"d":"x: {,}"},"e":null}';
  expect(indentJson(plain)).toBe(`${JSON.stringify(JSON.parse(plain), undefined, 2)}\n`);
  expect(indentJson(TEXT).replaceAll(/\s/g, '')).toBe(TEXT.replaceAll(/\s/g, ''));
});

test('the members of an object keep their texts', () => {
  expect(membersOf(indentJson(TEXT))).toEqual({
    a: '[1.50,18446744073709551615]',
    'b:"}': '{"c":{},"d":[],"e":[{"f":null}]}',
    g: '"x , y"',
    h: '1e2',
  });
  expect(membersOf('{}')).toEqual({});
});
