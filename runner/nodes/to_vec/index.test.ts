import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { toVecNode } from './index.ts';

it('to_vec outputs an array of both values, or of the first alone', async () => {
  const first = { S: 'a' };
  expect(await runNode(toVecNode, { first, second: { N: 0 } })).toEqual({ result: { A: [first, { N: 0 }] } });
  expect(await runNode(toVecNode, { first })).toEqual({ result: { A: [first] } });
  await expect(runNode(toVecNode, { second: first })).rejects.toThrow('missing field `first`');
});
