import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  // The disk space that a statement may use. A statement that needs more fails.
  await sql`set temp_file_limit = '48MB'`;
});

afterAll(() => database.close());

const withOptions = (options: unknown) => ({
  type: 'native',
  data: { node_id: 'x', version: '1', display_name: 'x', options },
  sources: [],
  targets: [],
});

const many = (count: number): true[] => Array<true>(count).fill(true);

const nested = (levels: number, name: string, inside: unknown): unknown =>
  levels === 0 ? inside : { [`${levels}${name}`]: nested(levels - 1, name, inside) };

it.each<[string, unknown, string[]]>([
  ['a long name above many values', { ['m'.repeat(150_000)]: many(10_000) }, [
    'has a name of more than 256 characters',
  ]],
  ['long paths to many values', nested(50, 'm'.repeat(240), many(10_000)), []],
  ['1 MiB of values, deep down', Array.from({ length: 55 }).reduce((inside) => [inside], many(230_000)), [
    'holds more than 256 KiB',
  ]],
])('a definition with %s is checked without copying it repeatedly', async (_what, options, messages) => {
  const [row] = await sql<[{ faults: { message: string }[] }]>`
    select private.node_definition_faults(${sql.json(withOptions(options) as never)}) as faults`;
  expect(row.faults.map(({ message }) => message)).toEqual(messages);
});
