import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../supabase/local/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let sql: Sql;

const ENDED = 20_000;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  await sql`insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.com')`;
  await sql`insert into public.flows (user_id) select id from auth.users`;
  // A run has ended each minute, one in ten of them failed; a hundred wait.
  await sql`
    insert into public.flow_run (user_id, flow_id, inputs, chain_network, status, start_time, end_time, errors)
    select f.user_id, f.id, '{"M": {}}', '{"cluster": "devnet"}', status, now(), end_time,
      case status when 'failed' then '{a failed}'::text[] end
    from public.flows as f cross join (
      select case when n % 10 = 0 then 'failed' else 'succeeded' end, now() - n * interval '1 minute' from generate_series(1, ${ENDED}) as n
      union all select 'waiting', null from generate_series(1, 100)
    ) as run (status, end_time)`;
  await sql`insert into private.flow_snapshots (hash, data) values (sha256(''), '{}'), (sha256('unused'), '{}')`;
  await sql`insert into private.flow_run_jobs (flow_run_id, snapshot_hash, chain_url)
    select id, sha256(''), 'https://example.com' from public.flow_run`;
  await sql`insert into private.idempotency_keys (key_hash, request_hash, flow_run_id, created_at)
    select sha256(uuid_send(id)), sha256('x'), id, coalesce(end_time, now()) from public.flow_run`;
  await sql`select pgmq.send('flow_runs', jsonb_build_object('flow_run_id', id), 3600) from public.flow_run where end_time is null`;
  await sql`analyze`;
});
afterAll(() => database.drop());

const TABLES = ['flow_run', 'flow_run_jobs', 'idempotency_keys', 'q_flow_runs'];

/** Scans of whole tables, and rows read, by table: the server's counters before a statement and after it, which is taken back. */
async function reads(statement: string): Promise<{ scanned: string[]; rows: number }> {
  await sql`begin`;
  try {
    const count = () =>
      sql<{ name: string; scans: number; rows: number }[]>`
        select relname as name, seq_scan::int as scans, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
        from pg_stat_xact_all_tables where relname in ${sql(TABLES)} order by relname`;
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

it('the metrics read the runs that wait, those that failed within the hour, and the queue', async () => {
  const { scanned, rows } = await reads('select public.runner_metrics()');
  expect(scanned.filter((name) => name !== 'q_flow_runs')).toEqual([]);
  // A hundred that wait, their messages, twice, and again they themselves, and six that failed.
  expect(rows).toBeLessThan(500);
});

it('whether the queue is left alone is one look at its index', async () => {
  const { scanned, rows } = await reads(`select private.has_queued_run('2 seconds')`);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThanOrEqual(1);
});

it('a sweep finds by index what it deletes', async () => {
  const { scanned, rows } = await reads(`select public.sweep_runner(max_age => '10 days', max_runs => 20)`);
  expect(scanned.filter((name) => name !== 'q_flow_runs')).toEqual([]);
  expect(rows).toBeLessThan(1_000);
});

it('the check sees a scan where there is one', async () => {
  expect(await reads(`select count(*) from public.flow_run where inputs = '{}'`)).toEqual({
    scanned: ['flow_run'],
    rows: ENDED + 100,
  });
});
