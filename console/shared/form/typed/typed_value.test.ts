import { expect, it } from 'vitest';
import { KEEPS_DIGITS, parseExactly } from '../../exact_json.ts';
import {
  convert,
  faultOfRow,
  kindOfText,
  kindOfValue,
  KINDS,
  kindsOfJsonTypes,
  NEW_ROW,
  readRows,
  readText,
  rowsOf,
} from './typed_value.ts';

it.each([
  ['text', 'a'],
  ['number', 1.5],
  ['boolean', false],
  ['list', []],
  ['map', {}],
  ['json', null],
  ['number', parseExactly('18446744073709551615')],
  [undefined, undefined],
])('the kind %s is that of %j', (kind, value) => {
  expect(kindOfValue(value)).toBe(kind);
});

it.each([
  [['a', 1, true, null, [2], { b: 3 }], false],
  [{ a: 'x', b: 2, c: false, d: null, e: [1], 'f g': { h: 1 } }, true],
])('rows keep the types of %j', (value, isNamed) => {
  expect(readRows(rowsOf(value), isNamed)).toEqual({ value });
});

it('a text stays a text, even if it looks like a number or like JSON', () => {
  expect(readRows([{ name: '', kind: 'text', text: '007' }, { name: '', kind: 'text', text: '[1]' }], false))
    .toEqual({ value: ['007', '[1]'] });
});

it.each(['9007199254740993', '1234567890123456789012345', '-1e400'])(
  'the number %s keeps its digits, or is refused by a browser that would round it',
  (text) => {
    const read = readText('number', text);
    if (KEEPS_DIGITS) expect(JSON.stringify('value' in read && read.value)).toBe(text);
    else expect(read).toEqual({ fault: expect.stringContaining('too many digits') });
  },
);

it('a number that JavaScript holds is read as it is', () => {
  expect(readText('number', '9007199254740991')).toEqual({ value: 9007199254740991 });
  expect(readText('number', '0.5')).toEqual({ value: 0.5 });
});

it.each([['12', 'number'], ['[1]', 'list'], ['{"a":1}', 'map'], ['true', 'boolean'], ['"a"', undefined], [
  'a',
  undefined,
]])(
  'the text %s may be meant as %s',
  (text, kind) => {
    expect(kindOfText(text)).toBe(kind);
  },
);

it.each([
  [['array'], ['list', 'json']],
  [['object'], ['map', 'json']],
  [['string', 'array'], ['text', 'list', 'json']],
  [['string', 'null'], ['text', 'json']],
  [[undefined], KINDS],
])('the types %j allow the kinds %j', (types, kinds) => {
  expect(kindsOfJsonTypes(types)).toEqual(kinds);
});

it('names the fault of a row, and has no value then', () => {
  expect(faultOfRow({ name: '', kind: 'number', text: 'x' }, false)).toBe('This is not a number.');
  expect(faultOfRow({ name: '', kind: 'text', text: 'x' }, true)).toBe('A name is missing.');
  expect(faultOfRow({ name: 'a', kind: 'boolean', text: '' }, true)).toBe('A value is missing.');
  expect(readRows([{ name: 'a', kind: 'json', text: '{' }], true)).toEqual({ fault: 'This is not JSON.' });
  const twice = { name: 'a', kind: 'text', text: '' } as const;
  expect(readRows([twice, twice], true)).toEqual({ fault: 'The name a is there twice.' });
});

it('rows that are not begun are left out of a map, and nothing is no value', () => {
  expect(readRows([NEW_ROW], true)).toEqual({ value: undefined });
  expect(readRows([], false)).toEqual({ value: undefined });
  expect(readRows([NEW_ROW], false)).toEqual({ value: [''] });
  expect(readText('json', ' ')).toEqual({ value: undefined });
});

it.each(
  [
    ['1.5', 'number', 1.5],
    ['x', 'number', undefined],
    [5, 'text', '5'],
    ['x', 'list', ['x']],
    ['x', 'map', undefined],
    [{ a: 1 }, 'json', { a: 1 }],
    ['true', 'boolean', true],
  ] as const,
)('%j as %s is %j', (value, kind, converted) => {
  expect(convert(value, kind)).toEqual(converted);
});
