import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { fuzzCases } from '../../../tests/support/fuzz_cases.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { anyValue } from '../../../tests/support/values.ts';
import type { Value } from '../../../types/values/value.ts';
import { filterNode } from './index.ts';

const person = (age: number): Value => ({ M: { age: { U: String(age) } } });
const ADULTS = { operator: { S: 'gte' }, field: { S: 'age' }, compare_to: { U: '18' } };

it('filter divides an array in order', async () => {
  const array = { A: [person(20), person(17), person(18)] };
  expect(await runNode(filterNode, { ...ADULTS, array }))
    .toEqual({ filtered: { A: [person(20), person(18)] }, rejected: { A: [person(17)] } });
  expect(await runNode(filterNode, { ...ADULTS, array: { A: [] } }))
    .toEqual({ filtered: { A: [] }, rejected: { A: [] } });
});

it('filter tells the index of an element that the operator refuses', async () => {
  const array: Value = { A: [person(20), { M: { age: { S: '17' } } }] };
  await expect(runNode(filterNode, { ...ADULTS, array })).rejects
    .toThrow('array: element 1: at the path in field: invalid type: string, expected a number');
  await expect(runNode(filterNode, { ...ADULTS, array: { A: [{ M: {} }] } })).rejects
    .toThrow('array: element 0: at the path in field: there is no value, expected a number');
});

it('filter refuses what is not an array, and a wrong condition also for an empty array', async () => {
  await expect(runNode(filterNode, { ...ADULTS, array: person(1) })).rejects
    .toThrow('array: invalid type: map, expected a sequence');
  await expect(runNode(filterNode, { array: { A: [] }, operator: { S: 'is' } })).rejects
    .toThrow('operator: must be one of is_null');
});

it('filter checks the time limit now and then', async () => {
  const checkTime = vi.fn<() => void>();
  await runNode(filterNode, {
    operator: { S: 'is_null' },
    array: { A: Array.from({ length: 2_500 }, (): Value => ({ N: 0 })) },
  }, { checkTime });
  expect(checkTime).toHaveBeenCalledTimes(2);
});

it('filter loses, changes and repeats no element', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyValue, { maxLength: 8 }), anyValue, async (A, compare_to) => {
      const outputs = await runNode(filterNode, { array: { A }, operator: { S: 'eq' }, compare_to });
      const { filtered, rejected } = outputs as { filtered: { A: Value[] }; rejected: { A: Value[] } };
      const [remaining, refused] = [[...filtered.A], [...rejected.A]];
      const merged = A.map((element) => element === remaining[0] ? remaining.shift() : refused.shift());
      expect(merged).toEqual(A);
      expect([remaining, refused]).toEqual([[], []]);
    }),
    { numRuns: fuzzCases(60) },
  );
});
