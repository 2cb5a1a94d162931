import { expect, it } from 'vitest';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import { toStringNode } from './index.ts';

it('to_string outputs its input as text, and the empty text without an input', () => {
  const run = (inputs: Parameters<typeof toStringNode.run>[0]['inputs']) =>
    toStringNode.run(makeNodeCall(toStringNode, { inputs }));
  expect(run({ stringify: { D: '1.50' } })).toEqual({ result: { S: '1.50' } });
  expect(run({})).toEqual({ result: { S: '' } });
});
