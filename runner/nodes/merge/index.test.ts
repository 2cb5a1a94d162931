import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzCases } from '../../../tests/support/fuzz_cases.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { anyValue } from '../../../tests/support/values.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { mergeNode } from './index.ts';

it('merge passes the first value on, in the order of its inputs, and null is one', async () => {
  expect(await runNode(mergeNode, { c: { U: '3' }, b: { N: 0 } })).toEqual({ value: { N: 0 } });
  expect(await runNode(mergeNode, { e: { S: 'last' } })).toEqual({ value: { S: 'last' } });
});

it('merge leaves its output unset if no input has a value', async () => {
  expect(await runNode(mergeNode, {})).toEqual({});
});

it('merge passes any value on unchanged', async () => {
  const inputs = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), anyValue, { minKeys: 1 });
  await fc.assert(
    fc.asyncProperty(inputs, async (given: ValueMap) => {
      const [first = ''] = Object.keys(given).toSorted();
      expect(await runNode(mergeNode, given)).toEqual({ value: given[first] });
    }),
    { numRuns: fuzzCases(60) },
  );
});
