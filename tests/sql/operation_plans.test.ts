import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../supabase/local/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { countReads } from '../support/plans.ts';

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
  await sql`insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id)
    select id, user_id, sha256(''), 'https://example.com',
      case when end_time is null then (select pgmq.send('flow_runs', jsonb_build_object('flow_run_id', id), 3600)) end
    from public.flow_run`;
  await sql`insert into private.idempotency_keys (key_hash, request_hash, flow_run_id, created_at)
    select sha256(uuid_send(id)), sha256('x'), id, coalesce(end_time, now()) from public.flow_run`;
  await sql`analyze`;
});
afterAll(() => database.drop());

const TABLES = ['flow_run', 'flow_run_jobs', 'idempotency_keys', 'q_flow_runs'];

const reads = (statement: string) => countReads(sql, TABLES, statement);

it('the metrics read the runs that wait, those that failed within the hour, and the queue', async () => {
  const { scanned, rows } = await reads('select public.runner_metrics()');
  expect(scanned.filter((name) => name !== 'q_flow_runs')).toEqual([]);
  // A hundred that wait, their messages, twice, their jobs, and again they themselves, and six that failed.
  expect(rows).toBeLessThan(600);
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
