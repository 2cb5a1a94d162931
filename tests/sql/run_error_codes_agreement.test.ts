import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { errorCodes } from '../../types/errors.ts';
import { isStoreError, runErrors } from '../../types/run_errors.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

const known: string[] = [...Object.keys(runErrors), ...Object.keys(errorCodes).filter(isStoreError)];

it('the database knows the codes of the runner and of key-value stores, and no others', async () => {
  const words = [...new Set([...known, ...Object.keys(errorCodes), 'amount', 'mint_account'])];
  const lines = (word: string) => [`${word}: text`, `Name 01930000-0000-7000-8000-000000000001#2: ${word}: text`];
  const rows = await sql`
    select distinct private.error_code(line) as code from unnest(${words.flatMap(lines)}::text[]) as line`;
  expect(new Set(rows.map(({ code }) => code))).toEqual(new Set([...known, null]));
});

/** Lists the texts in a source that look like error codes and begin a string, as in 'code: message'. */
const codesIn = (source: string): string[] =>
  [...source.matchAll(/['"`]([a-z][a-z0-9]*(?:_[a-z0-9]+)+): /g)].map(([, code]) => code!);

const RUNNER = 'runner';
const files = readdirSync(RUNNER, { recursive: true, encoding: 'utf8' }).map((file) => join(RUNNER, file));

it('the runner writes codes only by codedError, which knows all of them', () => {
  const fields = files.filter((file) => file.endsWith('/definition.json')).flatMap((file) => {
    const { targets, 'targets_form.json_schema': form } = JSON.parse(readFileSync(file, 'utf8'));
    return [...(targets as { name: string }[]).map(({ name }) => name), ...Object.keys(form?.properties ?? {})];
  });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  // A line of the log, which is no error, and members of form data.
  const others = new Set([...fields, 'log_lines_limit', 'answered_by', 'shown_inputs']);
  const written = sources.flatMap((file) => codesIn(readFileSync(file, 'utf8')).map((code) => ({ file, code })));
  expect(written.length).toBeGreaterThan(3);
  expect(written.filter(({ code }) => !others.has(code))).toEqual([]);
});

it('the database writes no unknown code', () => {
  const ends = readFileSync('sql/600_queue/41_take_jobs.sql', 'utf8');
  expect(codesIn(ends).filter((code) => !known.includes(code))).toEqual([]);
  expect(codesIn(ends)).toContain('worker_lost');
});
