import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { explain, flatten, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;

const ROWS = 5_000;

/** Stores owners with a flow, a deployment and a run each, this many times. */
async function fill(): Promise<void> {
  await sql`insert into auth.users (id, email) select gen_random_uuid(), n || '@example.com' from generate_series(1, ${ROWS}) as n`;
  await sql`insert into public.flows (user_id) select id from auth.users`;
  await sql`insert into private.flow_snapshots (hash, data) select sha256(n::text::bytea), '{}' from generate_series(1, ${ROWS}) as n`;
  await sql`
    insert into public.flow_deployments (id, created_at, user_id, entrypoint, snapshot_hash, chain_network)
    select private.uuid_v7(), now(), f.user_id, f.id, sha256(f.id::text::bytea), f.chain_network from public.flows as f`;
  await sql`
    insert into private.deployment_run_settings (deployment_id, settings)
    select d.id, private.run_settings(d) from public.flow_deployments as d`;
  await sql`
    insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
    select d.user_id, d.entrypoint, 'latest', d.id from public.flow_deployments as d`;
  await sql`
    insert into public.flow_run (user_id, flow_id, deployment_id, started_by, inputs, chain_network)
    select d.user_id, d.entrypoint, d.id, d.user_id, '{"M": {}}', '{"cluster": "devnet"}' from public.flow_deployments as d`;
  await sql`insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state)
    select r.id, r.user_id, d.snapshot_hash, '{"chain_network": {"url": "https://example.com"}}', 'ended' from public.flow_run as r join public.flow_deployments as d on d.id = r.deployment_id`;
  await sql`insert into private.idempotency_keys (key_hash, request_hash, flow_run_id)
    select sha256(uuid_send(id)), sha256('x'), id from public.flow_run`;
  // One of these rows is looked up below.
  await sql`insert into private.deployment_usage (deployment_id, share, slot)
    select d.id, g.share, s.slot
    from (select id from public.flow_deployments order by id limit ${ROWS / 10}) as d
    cross join unnest('{guests,others}'::text[]) as g (share) cross join generate_series(-32, 31) as s (slot)`;
  // A few jobs are ready, and many sleep.
  await sql`insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state, due_at)
    select gen_random_uuid(), u.id, sha256('x'), '{}', case when n <= 10 then 'ready' else 'sleeping' end::private.job_state,
      case when n > 10 then now() + interval '1 hour' end
    from generate_series(1, ${ROWS}) as n cross join (select id from auth.users limit 1) as u`;
}

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  await withoutTriggers(sql, fill);
  await sql`analyze`;
});
afterAll(() => database.close());

/** The statements of a start and of a claim, as their functions have them. Each finds one row among thousands. */
const statements: Record<string, string> = {
  "the tag's deployment": `select t.deployment_id from public.flow_deployments_tags as t
    where t.entrypoint = (select entrypoint from picked) and t.tag = 'latest'`,
  'the deployment':
    'select d from public.flow_deployments as d where d.id = coalesce(null, (select id from picked)) for key share',
  'the caller and the deployment': `select d.* from auth.users as u, public.flow_deployments as d
    where u.id = (select user_id from picked) and d.id = coalesce(null, (select id from picked)) for key share of u, d`,
  'the settings of the runs':
    'select s.settings from private.deployment_run_settings as s where s.deployment_id = (select id from picked)',
  'the newest id of the flow': `select d.id from public.flow_deployments as d
    where d.entrypoint = (select entrypoint from picked) and d.user_id = (select user_id from picked) order by d.id desc limit 1`,
  'the usage of a deployment':
    `select sum(u.in_flight) from private.deployment_usage as u where u.deployment_id = (select id from picked) and u.share in ('guests', 'others')`,
  'the runs that are there to be claimed':
    "select from private.flow_run_jobs as j where j.state in ('ready', 'lost') limit 10",
  'the runs whose time has come': `select from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())`,
  'the idempotency key': `select k.* from private.idempotency_keys as k where k.key_hash = sha256('nothing')`,
  'the run of a job': 'select r.* from public.flow_run as r where r.id = (select run_id from picked)',
  'the job of a run':
    'select j.* from private.flow_run_jobs as j where j.flow_run_id = (select run_id from picked) for no key update',
  'the runs of a deployment':
    'select r.* from public.flow_run as r where r.deployment_id = (select id from picked) order by r.id desc limit 50',
};

it.each(Object.entries(statements))('%s is found by an index', async (_name, statement) => {
  await sql`drop table if exists picked`;
  await sql`create temporary table picked as
    select d.*, r.id as run_id from public.flow_deployments as d join public.flow_run as r on r.deployment_id = d.id
    order by d.id limit 1`;
  const plan = await explain(sql, statement);
  const scans = flatten(plan).filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'picked');
  expect(scans).toEqual([]);
  // A few pages of an index, and at most one page of the table for each row. The sum reads 128 rows, for two groups
  // with 64 slots each. The number of pages does not depend on the number of rows in the table.
  expect(plan['Shared Hit Blocks']).toBeLessThan(statement.startsWith('select sum') ? 160 : 20);
});

it('the check of these statements detects a scan', async () => {
  const plan = await explain(sql, `select from public.flow_run where inputs = '{}'`);
  expect(flatten(plan).map((node) => node['Node Type'])).toContain('Seq Scan');
});

it('a whole start with its checks and inserts touches a bounded number of pages', async () => {
  const [picked] = await sql`select d.id, d.user_id from public.flow_deployments as d limit 1`;
  const explainStart = (userId: string) =>
    sql.begin(async (tx) => {
      await tx`select set_config('request.jwt.claims', ${
        JSON.stringify({ sub: userId, role: 'authenticated' })
      }, true)`;
      return await explain(tx, `select public.start_deployment(id => '${picked!.id}')`);
    });
  expect((await explainStart(picked!.user_id))['Shared Hit Blocks']).toBeLessThan(2_000);
  // Another caller, whose starts are counted, starts the deployment for the first time, and then again.
  await sql`update public.flow_deployments set start_permission = 'Anonymous' where id = ${picked!.id}`;
  const [other] = await sql`select u.id from auth.users as u where u.id <> ${picked!.user_id} limit 1`;
  expect((await explainStart(other!.id))['Shared Hit Blocks']).toBeLessThan(2_000);
  expect((await explainStart(other!.id))['Shared Hit Blocks']).toBeLessThan(2_000);
});
