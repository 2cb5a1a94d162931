import { expect, it } from 'vitest';
import { makeNodeCall, runNode } from '../../../tests/support/node_call.ts';
import { printNode } from './index.ts';

it('print outputs its input as text and logs it', () => {
  const lines: string[][] = [];
  const call = makeNodeCall(printNode, { inputs: { print: { D: '1.50' } }, log: (...line) => lines.push(line) });
  expect(printNode.run(call)).toEqual({ __print_output: { S: '1.50' } });
  expect(lines).toEqual([['Info', '1.50']]);
});

it('print fails without an input', async () => {
  await expect(runNode(printNode, {})).rejects.toThrow('missing field `print`');
});
