import fc from 'fast-check';
import { parse } from 'lossless-json';
import { expect, it } from 'vitest';
import { fuzzCases } from '../../../tests/support/fuzz_cases.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { anyValue } from '../../../tests/support/values.ts';
import type { LosslessJson, Value } from '../../../types/values/value.ts';
import { switchNode } from './index.ts';

const run = (value: Value, cases: unknown) =>
  // SAFETY: `parse` returns JSON whose numbers keep their digits.
  runNode(switchNode, { value }, { formData: parse(JSON.stringify({ cases })) as LosslessJson });

const CASES = [
  { name: 'none', operator: 'is_empty' },
  { name: 'large', operator: 'gte', compare_to: 18446744073709551615n, field: null },
  { name: 'known', operator: 'eq', field: 'kind', compare_to: 'user' },
].map((one) => ({ ...one, ...(typeof one.compare_to === 'bigint' && { compare_to: 1_000 }) }));

it('switch passes a value through the first case that holds, or through default', async () => {
  expect(await run({ N: 0 }, CASES)).toEqual({ none: { N: 0 } });
  expect(await run({ U: '1000' }, CASES)).toEqual({ large: { U: '1000' } });
  expect(await run({ U: '999' }, CASES)).toEqual({ default: { U: '999' } });
  expect(await run({ U: '1' }, [{ name: 'a', operator: 'is_not_null' }, { name: 'b', operator: 'is_not_null' }]))
    .toEqual({ a: { U: '1' } });
});

it('switch names the case whose operator refuses the value', async () => {
  await expect(run({ S: 'x' }, CASES)).rejects.toThrow('value: cases[1]: invalid type: string, expected a number');
});

it.each<[unknown, string]>([
  [undefined, 'form_data.cases: must be an array of 1 to 100 cases'],
  [{}, 'form_data.cases: must be an array of 1 to 100 cases'],
  [[], 'form_data.cases: must be an array of 1 to 100 cases'],
  [Array.from({ length: 101 }, () => CASES[0]), 'form_data.cases: must be an array of 1 to 100 cases'],
  [[null], 'form_data.cases[0]: must be an object with a name other than default'],
  [[{ name: 'default', operator: 'is_null' }], 'form_data.cases[0]: must be an object with a name other than default'],
  [[CASES[0], { name: 'x' }], 'form_data.cases[1]: missing field `operator`'],
  [[{ name: 'x', operator: 'is' }], 'form_data.cases[0]: operator: must be one of is_null'],
  [[{ name: 'x', operator: 'gt', compare_to: 'y' }], 'form_data.cases[0]: compare_to: invalid type: string'],
])('switch refuses the cases %j: %s', async (cases, message) => {
  await expect(run({ N: 0 }, cases)).rejects.toThrow(message);
});

it('switch passes any value on unchanged through one output, or fails', async () => {
  const name = fc.constantFrom('a', '__proto__', 'constructor', '');
  const operator = fc.constantFrom('is_null', 'gt', 'eq', 'contains', 'x');
  const cases = fc.array(fc.record({ name, operator, compare_to: fc.jsonValue({ maxDepth: 2 }) }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(anyValue, fc.oneof(cases, fc.jsonValue()), async (value, given) => {
      const outputs = await run(value, given).catch((error: unknown) => {
        expect(String(error)).toMatch(/^ConversionError: (value|form_data\.cases)/);
        return { failed: value };
      });
      expect(Object.values(outputs)).toEqual([value]);
    }),
    { numRuns: fuzzCases(150) },
  );
});
