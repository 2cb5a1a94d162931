import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { cachePlans, countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;

const ENDED = 20_000;

async function fill(): Promise<void> {
  await sql`insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.com')`;
  await sql`insert into public.flows (user_id) select id from auth.users`;
  // One run has ended in each minute, and every tenth of these runs has failed. A hundred runs are waiting.
  await sql`
    insert into public.flow_run (id, user_id, flow_id, inputs, chain_network, status, start_time, end_time, errors)
    select private.uuid_v7(coalesce(end_time, now())), f.user_id, f.id, '{"M": {}}', '{"cluster": "devnet"}', status, now(), end_time,
      case status when 'failed' then '{a failed}'::text[] end
    from public.flows as f cross join (
      select case when n % 10 = 0 then 'failed' else 'succeeded' end, now() - n * interval '1 minute' from generate_series(1, ${ENDED}) as n
      union all select 'waiting', null from generate_series(1, 100)
    ) as run (status, end_time)`;
  await sql`insert into private.flow_snapshots (hash, data) values (sha256(''), '{}'), (sha256('unused'), '{}')`;
  await sql`insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state, due_at)
    select id, user_id, sha256(''), '{"chain_network": {"url": "https://example.com"}}',
      case when end_time is null then 'waiting' else 'ended' end::private.job_state,
      case when end_time is null then now() + interval '1 hour' end
    from public.flow_run`;
  await sql`insert into private.idempotency_keys (key_hash, request_hash, flow_run_id, created_at)
    select sha256(uuid_send(id)), sha256('x'), id, coalesce(end_time, now()) from public.flow_run`;
  // A transaction of each run was signed. One of the waiting runs asks for a signature.
  await sql`insert into private.flow_run_transactions (
      flow_run_id, node_id, times, root_flow_run_id, members, message, has_fees, slot, last_valid_block_height
    )
    select id, id, 0, id, jsonb_build_array(jsonb_build_object('flow_run_id', id, 'node_id', id, 'times', 0)), 'AQID', false, 1, 1
    from public.flow_run`;
  await sql`insert into public.signature_requests (
      id, flow_run_id, node_id, times, root_flow_run_id, owner_id, pubkey, msg, signature, expires_at
    )
    select private.random_id(), r.id, r.id, 0, r.id, r.user_id, 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs', 'AQID',
      case when r.end_time is not null then repeat('1', 64) end, now() + interval '1 hour'
    from public.flow_run as r where r.end_time is not null
      or r.id = (select w.id from public.flow_run as w where w.end_time is null limit 1)`;
}

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  // These plans are made while the tables are empty, and stay in use while the tables grow.
  await cachePlans(sql, [
    `select private.has_claimable_run()`,
    `select public.asking_flow_runs(array[gen_random_uuid()])`,
  ]);
  await withoutTriggers(sql, fill);
});
afterAll(() => database.close());

const TABLES = [
  'flow_run',
  'flow_run_jobs',
  'flow_run_transactions',
  'idempotency_keys',
  'signature_requests',
];

const reads = (statement: string) => countReads(sql, TABLES, statement);

it('the check for claimable runs reads no row of a waiting run', async () => {
  const { scanned, rows } = await reads(`select private.has_claimable_run()`);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThanOrEqual(1);
});

it('a search for signature requests of a hundred runs uses an index', async () => {
  const waiting = await sql<{ id: string }[]>`select id from public.flow_run where end_time is null`;
  const statement = `select public.asking_flow_runs('{${waiting.map(({ id }) => id).join()}}')`;
  expect(await sql.unsafe(statement)).toHaveLength(1);
  const { scanned, rows } = await reads(statement);
  expect(scanned).toEqual([]);
  // For each run, the search reads its parent, its requests and its end.
  expect(rows).toBeLessThan(400);
});

it('the metrics read only the waiting runs, those that failed within the hour, and the queue', async () => {
  // The metrics and the sweep are called only once a minute, so each call may be planned anew, by the latest
  // statistics.
  await sql`analyze`;
  const { scanned, rows } = await reads('select public.runner_metrics()');
  expect(scanned).toEqual([]);
  // The metrics read the jobs of a hundred waiting runs, and some failed runs.
  expect(rows).toBeLessThan(200);
});

it('a sweep finds deletable rows by an index', async () => {
  const { scanned, rows } = await reads(`select public.sweep_runner(max_age => '10 days', max_runs => 20)`);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(1_000);
});

it('the check of these tests detects a scan', async () => {
  expect(await reads(`select count(*) from public.flow_run where inputs = '{}'`)).toEqual({
    scanned: ['flow_run'],
    rows: ENDED + 100,
  });
});
