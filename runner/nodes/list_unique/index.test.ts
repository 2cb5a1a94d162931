import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { listUniqueNode } from './index.ts';

const unique = async (array: Value[], field?: string) =>
  (await runNode(listUniqueNode, { array: { A: array }, ...(field !== undefined && { field: { S: field } }) }))[
    'unique'
  ];

it.each<[Value[], string | undefined, Value[]]>([
  [[], undefined, []],
  [[{ U: '1' }, { D: '1.0' }, { F: '1' }, { S: '1' }], undefined, [{ U: '1' }, { S: '1' }]],
  [[{ A: [{ U: '1' }] }, { A: [{ I: '1' }] }, { A: [] }], undefined, [{ A: [{ U: '1' }] }, { A: [] }]],
  [
    [{ M: { id: { U: '1' }, at: { U: '1' } } }, { M: { id: { U: '1' }, at: { U: '2' } } }, { M: {} }, { N: 0 }],
    'id',
    [{ M: { id: { U: '1' }, at: { U: '1' } } }, { M: {} }],
  ],
])('keeps of %j by %s', async (array, field, kept) => {
  expect(await unique(array, field)).toEqual({ A: kept });
});
