import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyValue } from '../../tests/support/values.ts';
import type { Value } from './value.ts';
import { insertAt, parsePath, PathError, removeAt, valueAt, type ValuePath } from './path.ts';

/** Lists the paths of all values inside a value. */
function pathsOf(value: Value): ValuePath[] {
  const members = 'A' in value ? [...value.A.entries()] : 'M' in value ? Object.entries(value.M) : [];
  return [[], ...members.flatMap(([name, member]) => pathsOf(member).map((path) => [String(name), ...path]))];
}

/** A value with the path of a value inside it. */
const located = anyValue.chain((value) => fc.tuple(fc.constant(value), fc.constantFrom(...pathsOf(value))));

describe('parsePath', () => {
  it.each([
    ['', []],
    ['/', ['']],
    ['/a/b', ['a', 'b']],
    ['a/b', ['a', 'b']],
    ['//', ['', '']],
    ['a/', ['a', '']],
    ['~1~0/~01', ['/~', '~1']],
    ['/0/-', ['0', '-']],
  ])('reads %j as %j', (text, path) => expect(parsePath(text)).toEqual(path));

  it.each(['~', '/a~', 'a~2', '~~0'])('refuses %j', (text) => expect(() => parsePath(text)).toThrow(PathError));

  it('reads back every path that was written with escapes', () => {
    fc.assert(fc.property(fc.array(fc.string()), (path) => {
      const text = path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
      expect(parsePath(text)).toEqual(path);
    }));
  });
});

const whole: Value = { M: { list: { A: [{ S: 'a' }, { S: 'b' }] }, text: { S: 'x' } } };

describe('valueAt', () => {
  it.each<[string, Value | undefined]>([
    ['', whole],
    ['list/1', { S: 'b' }],
    ['list/2', undefined],
    ['list/01', undefined],
    ['list/-1', undefined],
    ['list/-', undefined],
    ['list/1e0', undefined],
    ['list/length', undefined],
    ['text/0', undefined],
    ['text/length', undefined],
    ['toString', undefined],
    ['no/member', undefined],
  ])('gives at %j %j', (path, expected) => expect(valueAt(whole, parsePath(path))).toEqual(expected));
});

describe('removeAt', () => {
  it('removes the value at a path, and changes neither the rest nor its input', () => {
    fc.assert(fc.property(located, ([value, path]) => {
      const before = JSON.stringify(value);
      const found = removeAt(value, path);
      expect(found?.removed).toEqual(valueAt(value, path));
      expect(JSON.stringify(value)).toBe(before);
      expect(pathsOf(found!.rest).length).toBe(Math.max(pathsOf(value).length - pathsOf(found!.removed).length, 1));
    }));
  });

  it('returns undefined if there is no value at the path', () => {
    for (const path of ['list/2', 'list/-', 'text/0', 'none', '__proto__']) {
      expect(removeAt(whole, parsePath(path))).toBeUndefined();
    }
  });
});

describe('insertAt', () => {
  it('inserts a removed value at its old path', () => {
    fc.assert(fc.property(located, ([value, path]) => {
      const { removed, rest } = removeAt(value, path)!;
      expect(insertAt(rest, path, removed)).toEqual(value);
    }));
  });

  it('inserts a value at its path, and does not change its input', () => {
    const inserted: Value = { S: 'inserted' };
    fc.assert(fc.property(located, ([value, path]) => {
      const before = JSON.stringify(value);
      expect(valueAt(insertAt(value, path, inserted)!, path)).toEqual(inserted);
      expect(JSON.stringify(value)).toBe(before);
      if ('A' in valueAt(value, path)!) {
        const list = valueAt(insertAt(value, [...path, '-'], inserted)!, path) as { A: Value[] };
        expect(list.A.at(-1)).toEqual(inserted);
      }
    }));
  });

  it.each<[string, Value | undefined]>([
    ['', { N: 0 }],
    ['list/2', { M: { list: { A: [{ S: 'a' }, { S: 'b' }, { N: 0 }] }, text: { S: 'x' } } }],
    ['list/0', { M: { list: { A: [{ N: 0 }, { S: 'a' }, { S: 'b' }] }, text: { S: 'x' } } }],
    ['text', { M: { list: { A: [{ S: 'a' }, { S: 'b' }] }, text: { N: 0 } } }],
    ['list/3', undefined],
    ['list/00', undefined],
    ['list/x', undefined],
    ['text/0', undefined],
    ['none/member', undefined],
    ['list/-/a', undefined],
  ])('puts null at %j, which gives %j', (path, expected) => {
    expect(insertAt(whole, parsePath(path), { N: 0 })).toEqual(expected);
  });
});
