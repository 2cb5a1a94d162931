import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { foreachNode } from './index.ts';

it.each<[Value, Value]>([
  [{ A: [{ U: '1' }, { S: 'x' }] }, { A: [{ U: '1' }, { S: 'x' }] }],
  [{ A: [] }, { A: [] }],
  [{ S: 'alone' }, { A: [{ S: 'alone' }] }],
  [{ N: 0 }, { A: [{ N: 0 }] }],
])('foreach outputs, for %j, the elements %j', async (array, element) => {
  expect(await runNode(foreachNode, { array })).toEqual({ element });
});

it('foreach fails without an array', async () => {
  await expect(runNode(foreachNode, {})).rejects.toThrow('missing field `array`');
});
