import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzCases } from '../../../tests/support/fuzz_cases.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { anyValue } from '../../../tests/support/values.ts';
import { branchNode } from './index.ts';

it('branch passes a value through output or rejected, and leaves the other one unset', async () => {
  const value = { M: { age: { U: '20' } } };
  const inputs = { value, operator: { S: 'gte' }, field: { S: 'age' } };
  expect(await runNode(branchNode, { ...inputs, compare_to: { D: '18.0' } })).toEqual({ output: value });
  expect(await runNode(branchNode, { ...inputs, compare_to: { D: '21' } })).toEqual({ rejected: value });
});

it('branch fails without a value, without an operator, and for a value that the operator refuses', async () => {
  await expect(runNode(branchNode, { operator: { S: 'is_null' } })).rejects.toThrow('missing field `value`');
  await expect(runNode(branchNode, { value: { N: 0 } })).rejects.toThrow('missing field `operator`');
  await expect(runNode(branchNode, { value: { N: 0 }, operator: { S: 'is_true' } }))
    .rejects.toThrow('value: invalid type: unit value, expected a boolean');
});

it('branch passes any value on unchanged, through one output', async () => {
  await fc.assert(
    fc.asyncProperty(anyValue, anyValue, async (value, compare_to) => {
      const outputs = await runNode(branchNode, { value, operator: { S: 'eq' }, compare_to });
      expect(Object.values(outputs)).toEqual([value]);
    }),
    { numRuns: fuzzCases(60) },
  );
});
