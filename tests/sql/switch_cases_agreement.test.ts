import fc from 'fast-check';
import { parse } from 'lossless-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { readCases } from '../../runner/conditions/cases.ts';
import { OPERATORS } from '../../runner/conditions/condition.ts';
import type { LosslessJson } from '../../types/values/value.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

/** Returns the fault that SQL finds in switches with these cases; null for good ones. */
async function sqlFaults(lists: unknown[]): Promise<(string | null)[]> {
  const rows = await sql<{ fault: string | null }[]>`
    select private.switch_fault(
      jsonb_build_object('sources', '[]'::jsonb, 'targets_form', jsonb_build_object('form_data', jsonb_build_object('cases', t.cases::jsonb)))
    ) as fault
    from unnest(${lists.map((cases) => JSON.stringify(cases))}::text[]) with ordinality as t (cases, position)
    order by t.position`;
  return rows.map(({ fault }) => fault);
}

function isReadable(cases: unknown): boolean {
  try {
    // SAFETY: JSON without loss.
    readCases(parse(JSON.stringify(cases)) as LosslessJson);
    return true;
  } catch {
    return false;
  }
}

it('SQL knows the operators of the runner', async () => {
  const lists = OPERATORS.map((operator) => [{
    name: 'a',
    operator,
    compare_to: operator.endsWith('_with') ? 'text' : 1,
  }]);
  expect(await sqlFaults(lists)).toEqual(lists.map(() => null));
});

it('SQL and the runner agree on generated cases of a switch', async () => {
  const one = fc.record({
    name: fc.constantFrom('a', 'b', 'default', '', '__proto__'),
    operator: fc.constantFrom(...OPERATORS, 'is', 'IS_NULL', ''),
    field: fc.constantFrom('', 'a', 'a.0', 'a..b', '.a', 'a.', null, 3),
    compare_to: fc.constantFrom(1, 1.5, 'x', '', null, true, [], {}),
  }, { requiredKeys: [] });
  const lists = fc.sample(fc.array(one, { maxLength: 2 }), fuzzCases(400))
    // Omit lists in which two cases have one name: SQL refuses such lists, but the runner need not refuse them.
    .filter((cases) => new Set(cases.map(({ name }) => name)).size === cases.length);
  const faults = await sqlFaults(lists);
  const disagreed = lists.flatMap((cases, index) =>
    isReadable(cases) === (faults[index] === null) ? [] : [{ cases, fault: faults[index] }]
  );
  expect(disagreed).toEqual([]);
  expect(faults.filter((fault) => fault === null).length).toBeGreaterThan(10);
});
