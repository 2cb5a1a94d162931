import { expect, it } from 'vitest';
import { isStored, readRows, toPairs } from './pair_rows.ts';

it('rows show maps and lists of pairs of texts, numbers and booleans', () => {
  const rows = [{ name: 'a', value: 'x' }, { name: 'b', value: '1' }, { name: 'c', value: 'true' }];
  expect(readRows([['a', 'x'], ['b', 1], ['c', true]])).toEqual(rows);
  expect(readRows({ a: 'x', b: 1, c: true })).toEqual(rows);
  expect([undefined, null, [], {}].map(readRows)).toEqual([[], [], [], []]);
});

it.each([['text'], [5], [['a']], [[['a']]], [[['a', ['list']]]], [{ a: null }], [[[1, 'x']]]])(
  'rows do not show %j',
  (stored) => {
    expect(readRows(stored)).toBeUndefined();
  },
);

it('rows without a name are not stored', () => {
  const rows = [{ name: 'a', value: '1' }, { name: '', value: '2' }, { name: 'a', value: '' }];
  expect(toPairs(rows)).toEqual([['a', '1'], ['a', '']]);
  expect(toPairs([{ name: '', value: 'x' }])).toBeUndefined();
  expect([isStored(rows, { a: 1 }), isStored(rows.slice(0, 2), { a: 1 })]).toEqual([false, true]);
});
