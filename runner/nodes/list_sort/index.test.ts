import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { listSortNode } from './index.ts';

const sort = async (array: Value[], more: ValueMap = {}) =>
  (await runNode(listSortNode, { array: { A: array }, ...more }))['sorted'];
const NULL: Value = { N: 0 };
const person = (name: string, age?: number): Value => ({
  M: { name: { S: name }, ...(age !== undefined && { age: { U: String(age) } }) },
});

it.each<[Value[], ValueMap, Value[]]>([
  [[], {}, []],
  [[{ U: '10' }, { I: '-1' }, { D: '9.5' }, { F: '1e1' }, { F: '-inf' }], {}, [
    { F: '-inf' },
    { I: '-1' },
    { D: '9.5' },
    { U: '10' },
    { F: '1e1' },
  ]],
  [[{ S: 'b' }, NULL, { S: 'a' }, { S: 'B' }], {}, [{ S: 'B' }, { S: 'a' }, { S: 'b' }, NULL]],
  [[{ S: 'a' }, NULL, { S: 'b' }], { descending: { B: true } }, [{ S: 'b' }, { S: 'a' }, NULL]],
  [
    [person('Ada', 36), person('Bob'), person('Cy', 7), person('Di', 36)],
    { field: { S: 'age' } },
    [person('Cy', 7), person('Ada', 36), person('Di', 36), person('Bob')],
  ],
  // Equal elements keep their order in both directions.
  [[person('Ada', 1), person('Bob', 1)], { field: { S: 'age' }, descending: { B: true } }, [
    person('Ada', 1),
    person('Bob', 1),
  ]],
])('sorts %j by %j', async (array, more, sorted) => {
  expect(await sort(array, more)).toEqual({ A: sorted });
});

it.each<[Value[], string]>([
  [[{ U: '1' }, { S: 'x' }], 'array: element 1: invalid type: string, expected a number'],
  [[{ S: 'x' }, { U: '1' }], 'array: element 1: invalid type: integer `1`, expected a string'],
  [[{ F: 'NaN' }], 'array: element 0: invalid type: floating point `NaN`, expected a number'],
  [[{ A: [] }], 'array: element 0: invalid type: sequence, expected a number'],
])('refuses %j: %s', async (array, error) => {
  await expect(sort(array)).rejects.toThrow(error);
});
