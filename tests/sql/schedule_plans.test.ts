import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { cachePlans, countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;
let flowId: number;

const SCHEDULES = 5_000;
const RUNS = 10_000;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  await sql`insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.com')`;
  await sql`insert into public.flows (user_id) select id from auth.users`;
  const [flow] = await sql`select id, user_id from public.flows`;
  flowId = flow!.id;
  await sql`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: flow!.user_id, role: 'authenticated' })
  }, false)`;
  await sql`select public.deploy_flow(${flowId})`;
  // These plans are made while the tables are empty, and stay in use while the tables grow.
  await cachePlans(sql, [
    `select public.start_due_schedules()`,
    `select public.flow_run_stats(flow => ${flowId}, since => now() - interval '1 hour')`,
    `select * from public.redrive_flow_runs(flow => ${flowId}, error_code => 'other')`,
  ]);
  await withoutTriggers(sql, async () => {
    await sql`
      insert into public.flow_schedules (user_id, flow, tag, cron, is_active, next_start_at)
      select user_id, id, 'latest', '0 0 1 1 *', n % 2 = 0, case when n % 2 = 0 then now() + interval '1 day' end
      from public.flows cross join generate_series(1, ${SCHEDULES}) as n`;
    await sql`
      insert into public.flow_run (id, created_at, user_id, flow_id, inputs, chain_network, status, start_time, end_time)
      select private.uuid_v7(at), at, user_id, id, '{"M": {}}', '{"cluster": "devnet"}', 'succeeded', at, at
      from public.flows cross join (select now() - n * interval '1 minute' as at from generate_series(1, ${RUNS}) as n) as t`;
  });
});
afterAll(() => database.close());

it('a search for due schedules reads no row if none is due', async () => {
  expect(await countReads(sql, ['flow_schedules'], 'select public.start_due_schedules()')).toEqual({
    scanned: [],
    rows: 0,
  });
});

it('the statistics of runs read only the counted runs, by an index', async () => {
  const stats = (since: string) =>
    countReads(
      sql,
      ['flow_run'],
      `select public.flow_run_stats(flow => ${flowId}, since => now() - interval '${since}')`,
    );
  expect(await stats('1 hour')).toMatchObject({ scanned: [] });
  expect((await stats('1 hour')).rows).toBeLessThan(70);
  // The statistics read at most as many runs as they may count.
  expect((await stats('30 days')).rows).toBeLessThan(5_010);
});

it('long errors of runs are read neither by the statistics nor by a search for runs to redrive', async () => {
  const [flow] =
    await sql`insert into public.flows (user_id) select user_id from public.flows limit 1 returning id, user_id`;
  const { id, user_id: userId } = flow!;
  await sql`
    insert into public.flow_run (user_id, flow_id, inputs, chain_network, status, start_time, end_time, error_code, errors)
    select ${userId}, ${id}, '{"M": {}}', '{"cluster": "devnet"}', 'failed', now(), now(), 'boom',
      (select array_agg(rpad('boom: ' || n || i, 4000, md5(n::text || i))) from generate_series(1, 100) as i)
    from generate_series(1, 50) as n`;
  const [table] =
    await sql`select reltoastrelid::regclass::text as name from pg_class where oid = 'public.flow_run'::regclass`;
  const chunks = (statement: string) => countReads(sql, [table!.name.replace('pg_toast.', '')], statement);
  expect(await chunks(`select public.flow_run_stats(flow => ${id})`)).toMatchObject({ rows: 0 });
  expect(await chunks(`select * from public.redrive_flow_runs(flow => ${id}, error_code => 'other')`)).toMatchObject({
    rows: 0,
  });
  const [stats] = await sql`select public.flow_run_stats(flow => ${id}) -> 'failures' as failures`;
  expect(stats!.failures).toEqual([{ code: 'boom', count: 50 }]);
  // This proves that the measurement includes the reading of long errors.
  expect((await chunks(`select sum(length(errors[1])) from public.flow_run where flow_id = ${id}`)).rows)
    .toBeGreaterThan(50);
});
