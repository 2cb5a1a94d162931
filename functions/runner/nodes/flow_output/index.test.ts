import { expect, it } from 'vitest';
import { flowOutputNode } from './index.ts';

it('flow_output gives its input under its label, and fails without one', () => {
  const run = (inputs: Parameters<typeof flowOutputNode.run>[0]['inputs']) =>
    flowOutputNode.run({ inputs, formData: { label: 'c' }, signal: new AbortController().signal, log: () => {} });
  expect(run({ c: { U: '3' } })).toEqual({ c: { U: '3' } });
  expect(() => run({})).toThrow('missing field `c`');
});
