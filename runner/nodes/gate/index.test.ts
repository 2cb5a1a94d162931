import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { gateNode } from './index.ts';

it('gate passes a value through output or rejected, and leaves the other one unset', async () => {
  const value = { N: 0 } as const;
  expect(await runNode(gateNode, { condition: { B: true }, value })).toEqual({ output: value });
  expect(await runNode(gateNode, { condition: { B: false }, value })).toEqual({ rejected: value });
});

it('gate fails without a value, and for a condition that is not a boolean', async () => {
  await expect(runNode(gateNode, { condition: { B: true } })).rejects.toThrow('missing field `value`');
  await expect(runNode(gateNode, { condition: { U: '1' }, value: { N: 0 } }))
    .rejects.toThrow('condition: invalid type: integer `1`, expected a boolean');
});
