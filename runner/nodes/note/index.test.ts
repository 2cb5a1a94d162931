import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { noteNode } from './index.ts';

it('note has no output', async () => {
  expect(await runNode(noteNode, {})).toEqual({});
});
