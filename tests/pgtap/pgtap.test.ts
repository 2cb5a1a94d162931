import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

const suiteDir = import.meta.dirname;
const files = readdirSync(suiteDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.sql'))
  .sort();

let database: TestDatabase;
let sql: Sql;
const assertionCount = { ran: 0 };

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});
afterAll(async () => {
  await database.close();
  console.log(`pgTAP: ${files.length} files, ${assertionCount.ran} assertions`);
});

/**
 * Runs one pgTAP file in a transaction that is rolled back, and in a session without earlier state. Returns its
 * lines.
 */
async function runTap(file: string): Promise<string[]> {
  try {
    const results = await sql.unsafe(
      `begin; set local search_path = public, tap; ${readFileSync(join(suiteDir, file), 'utf8')}; rollback;`,
    );
    // A sequence of statements returns one list of rows for each statement. The only texts in these rows are the lines
    // of TAP.
    const lists = results as unknown as Record<string, unknown>[][];
    return lists.flat().flatMap((row) => Object.values(row)).flatMap((value) =>
      typeof value === 'string' ? value.split('\n') : []
    );
  } finally {
    // The connection is used again for the next file. A new connection would have to compile pgTAP again, which takes
    // most of the time.
    await sql`rollback`.simple();
    await sql`discard all`.simple();
  }
}

/** The faults in TAP output: failed assertions with their diagnostics, a missing plan, a wrong count. */
function tapFaults(lines: string[]): string[] {
  const plan = lines.map((line) => /^1\.\.(\d+)/.exec(line)?.[1]).find((count) => count !== undefined);
  const assertions = lines.filter((line) => /^(not )?ok \d+/.test(line));
  return [
    ...lines.filter((line) => line.startsWith('not ok') || line.startsWith('#')),
    ...(plan === undefined ? ['no plan'] : []),
    ...(plan !== undefined && Number(plan) !== assertions.length ? [`planned ${plan}, ran ${assertions.length}`] : []),
  ];
}

describe.each([...new Set(files.map(dirname))])('%s', (folder) => {
  const claims = files.filter((file) => dirname(file) === folder).map((file) =>
    [basename(file, '.test.sql').replaceAll('_', ' '), file] as const
  );
  it.each(claims)('%s', async (_claim, file) => {
    const lines = await runTap(file);
    assertionCount.ran += lines.filter((line) => line.startsWith('ok ')).length;
    expect(tapFaults(lines)).toEqual([]);
  });
});

describe('the pgTAP runner', () => {
  it('finds failed assertions, missing ones and missing plans', () => {
    expect(tapFaults(['1..1', 'not ok 1 - x', '# Failed test 1'])).toHaveLength(2);
    expect(tapFaults(['1..2', 'ok 1 - x'])).toEqual(['planned 2, ran 1']);
    expect(tapFaults(['ok 1 - x'])).toEqual(['no plan']);
    expect(tapFaults(['1..1', 'ok 1 - x'])).toEqual([]);
  });
});
