import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { FUNCTION_WORDS, KEYWORDS, RESERVED } from '../../runner/rhai/tokens.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

it('SQL knows the words that the parser of scripts refuses as names', async () => {
  const words = [...KEYWORDS, ...RESERVED, ...FUNCTION_WORDS, 'source', 'ENV'];
  const [row] = await sql<[{ unknown: string[]; text: string }]>`
    select
      array(
        select w.word from unnest(${words}::text[]) as w (word)
        where private.script_names_fault(array[w.word], 'input', true) is null
      ) as unknown,
      pg_get_functiondef('private.script_names_fault'::regproc) as text`;
  expect(row.unknown).toEqual([]);
  const listed = /'\{([^}]*)\}'/.exec(row.text)![1]!.split(',').map((word) => word.trim().replaceAll('"', ''));
  expect(listed.toSorted()).toEqual([...new Set(words)].toSorted());
});
