import type { Sql } from '../../dev/stack/postgres/postgres.ts';

/** A node of a query plan, in the form of `explain (format json)`. */
interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  Plans?: Plan[];
}

/** Executes a statement and returns its plan, with the buffers that it touched. */
export async function explain(sql: Pick<Sql, 'unsafe'>, statement: string): Promise<Plan> {
  const [row] = await sql.unsafe(`explain (analyze, buffers, format json) ${statement}`);
  return (row!['QUERY PLAN'] as [{ Plan: Plan }])[0].Plan;
}

export const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

/**
 * Calls `store` while triggers and the checks of foreign keys are off, for tests with thousands of rows. `store` has to
 * store the values that triggers would add.
 */
export async function withoutTriggers<T>(sql: Sql, store: () => Promise<T>): Promise<T> {
  await sql`set session_replication_role = replica`;
  try {
    return await store();
  } finally {
    await sql`reset session_replication_role`;
  }
}

/**
 * Executes a statement, which is rolled back. Returns which of these tables were scanned as a whole, and the number of
 * rows that were read.
 */
export async function countReads(
  sql: Sql,
  tables: string[],
  statement: string,
): Promise<{ scanned: string[]; rows: number }> {
  await sql`begin`;
  try {
    const count = () =>
      sql<{ name: string; scans: number; rows: number }[]>`
        select relname as name, seq_scan::int as scans, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
        from pg_stat_xact_all_tables where relname in ${sql(tables)} order by relname`;
    const before = await count();
    await sql.unsafe(statement);
    const after = await count();
    const sum = (counts: typeof before) => counts.reduce((rows, count) => rows + count.rows, 0);
    return {
      scanned: after.filter(({ scans }, index) => scans > before[index]!.scans).map(({ name }) => name),
      rows: sum(after) - sum(before),
    };
  } finally {
    await sql`rollback`;
  }
}

/**
 * Executes each statement six times, because Postgres makes a generic plan at the sixth execution. The connection keeps
 * this plan. Call this while the tables are empty, because the plans for empty tables are the worst ones for full
 * tables.
 */
export async function cachePlans(sql: Sql, statements: string[]): Promise<void> {
  for (const statement of statements) {
    for (let times = 0; times < 6; times++) await sql.unsafe(statement);
  }
}
