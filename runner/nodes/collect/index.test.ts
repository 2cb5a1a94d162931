import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { collectNode } from './index.ts';

it('collect outputs the gathered values, and an empty array if there are none', async () => {
  const gathered = { A: [{ U: '1' }, { N: 0 as const }] };
  expect(await runNode(collectNode, { element: gathered })).toEqual({ array: gathered });
  expect(await runNode(collectNode, {})).toEqual({ array: { A: [] } });
});
