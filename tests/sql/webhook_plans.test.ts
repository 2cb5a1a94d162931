import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { cachePlans, countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;
let userId: string;

const OWNERS = 50;
const DELIVERIES = 20_000;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  // These plans are made while the tables are empty, and stay in use while the tables grow.
  await cachePlans(sql, [
    `select * from public.claim_webhook_deliveries(64, 60)`,
    `select private.end_flow_run(gen_random_uuid(), 'stopped')`,
    `select private.queue_webhook_deliveries(jsonb_build_array(jsonb_build_object('flow_run_id', gen_random_uuid(), 'event', 'stopped', 'data', '{}'::jsonb)))`,
  ]);
  await withoutTriggers(sql, async () => {
    await sql`insert into auth.users (id, email) select gen_random_uuid(), n || '@example.com' from generate_series(1, ${OWNERS}) as n`;
    await sql`insert into public.flows (user_id) select id from auth.users`;
    await sql`
      insert into public.flow_run (user_id, flow_id, inputs, chain_network) select user_id, id, '{"M": {}}', '{"cluster": "devnet"}' from public.flows`;
    // Half of the deliveries are done; the others wait for a later attempt. Each owner has five deployments.
    await sql`
      insert into public.webhook_deliveries (user_id, flow_run_id, deployment_id, event, url, payload, status, next_attempt_at)
      select r.user_id, r.id, md5(r.user_id::text || n % 5)::uuid, 'succeeded', 'https://example.com',
        jsonb_build_object('data', jsonb_build_object('flow_id', r.flow_id)), case when n % 2 = 0 then 'pending' else 'delivered' end,
        case when n % 2 = 0 then now() + interval '1 hour' end
      from public.flow_run as r cross join generate_series(1, ${DELIVERIES / OWNERS}) as n`;
  });
  const [user] = await sql`select id from auth.users limit 1`;
  userId = user!.id;
});
afterAll(() => database.close());

const TABLES = ['webhook_deliveries', 'flow_run', 'flow_run_jobs', 'flow_deployments'];

it('a search for due webhooks reads no row if none is due', async () => {
  expect(await countReads(sql, TABLES, 'select * from public.claim_webhook_deliveries(64, 60)')).toEqual({
    scanned: [],
    rows: 0,
  });
});

it('a claim reads the due deliveries, one row of each other owner, and few rows of each deployment of the owner', async () => {
  await sql`
    update public.webhook_deliveries set next_attempt_at = now()
    where id in (select id from public.webhook_deliveries where user_id = ${userId} and status = 'pending' limit 3)`;
  await sql`analyze`;
  const reads = await countReads(sql, TABLES, 'select * from public.claim_webhook_deliveries(64, 60)');
  expect(reads.scanned).toEqual([]);
  expect(reads.rows).toBeLessThan(OWNERS + 60);
});

it('the end of a run without on_end reads neither a delivery nor its deployment', async () => {
  const end = `select private.end_flow_run(id, 'stopped') from public.flow_run where end_time is null limit 1`;
  expect(await countReads(sql, ['webhook_deliveries', 'flow_deployments'], end)).toEqual({ scanned: [], rows: 0 });
});

it("a page of a deployment's messages reads no others of its owner", async () => {
  const page = `
    select * from public.webhook_deliveries where user_id = '${userId}' and deployment_id = '${crypto.randomUUID()}'
    order by id desc limit 26`;
  expect(await countReads(sql, TABLES, page)).toEqual({ scanned: [], rows: 0 });
});

it('the end of a run with on_end stores a delivery and reads no waiting one', async () => {
  await withoutTriggers(sql, async () => {
    await sql`update public.flow_run set deployment_id = gen_random_uuid() where user_id = ${userId}`;
    await sql`
      insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings)
      select id, user_id, 'hash', '{"on_end": {"url": "https://example.com", "events": ["stopped"]}}'
      from public.flow_run where user_id = ${userId}`;
  });
  const told = async () =>
    (await sql`select count(*)::integer as count from public.webhook_deliveries where event = 'stopped'`)[0]!.count;
  const tell = `
    select private.queue_webhook_deliveries(jsonb_build_array(jsonb_build_object('flow_run_id', id, 'event', 'stopped', 'data', '{}'::jsonb)))
    from public.flow_run where user_id = '${userId}' limit 1`;
  expect(await countReads(sql, ['webhook_deliveries'], tell)).toEqual({ scanned: [], rows: 0 });
  await sql.unsafe(tell);
  expect(await told()).toBe(1);
});
