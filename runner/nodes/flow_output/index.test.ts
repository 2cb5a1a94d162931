import { expect, it } from 'vitest';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import { flowOutputNode } from './index.ts';

it('flow_output outputs its input under its label, and fails without an input', () => {
  const run = (inputs: Parameters<typeof flowOutputNode.run>[0]['inputs']) =>
    flowOutputNode.run(makeNodeCall(flowOutputNode, { inputs, inputNames: ['c'] }));
  expect(run({ c: { U: '3' } })).toEqual({ c: { U: '3' } });
  expect(() => run({})).toThrow('missing field `c`');
});
