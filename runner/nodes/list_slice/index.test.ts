import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { listSliceNode } from './index.ts';

const slice = async (more: ValueMap) =>
  (await runNode(listSliceNode, { array: { A: ['0', '1', '2', '3'].map((U) => ({ U })) }, ...more }))['slice'];

it.each<[ValueMap, string]>([
  [{}, '0123'],
  [{ start: { U: '1' } }, '123'],
  [{ start: { U: '1' }, end: { U: '3' } }, '12'],
  [{ start: { I: '-2' } }, '23'],
  [{ end: { I: '-1' } }, '012'],
  [{ start: { N: 0 }, end: { N: 0 } }, '0123'],
  [{ start: { U: '3' }, end: { U: '1' } }, ''],
  [{ start: { I: '-9223372036854775808' }, end: { U: '9223372036854775807' } }, '0123'],
])('takes %j', async (more, digits) => {
  expect(await slice(more)).toEqual({ A: [...digits].map((U) => ({ U })) });
});
