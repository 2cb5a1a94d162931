import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let workers: [Sql, Sql];
let admin: Sql;
let userId: string;
let runId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  workers = [database.connect(), database.connect()];
  admin = database.connect('supabase_admin');
});
afterAll(() => database.close());

/** Makes an owner, a run that has not ended, and ten due webhooks. */
beforeEach(async () => {
  userId = randomUUID();
  await admin`delete from public.webhook_deliveries where true`;
  await admin`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await admin`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: userId, role: 'authenticated' })
  }, false)`;
  const [run] = await admin`
    select test.start_and_keep('run', test.deploy_telling()) as id`;
  runId = run!.id;
  await admin`select test.queue_webhooks(${userId}, 10)`;
});

const claim = async (sql: Sql): Promise<string[]> =>
  (await sql`select c.id from public.claim_webhook_deliveries(100, 60) as c`).map(({ id }) => id);

const deliveriesOfRun = async (): Promise<number> => {
  const [row] = await admin`
    select count(*)::integer as count from public.webhook_deliveries where flow_run_id = ${runId} and payload ? 'type'`;
  return row!.count;
};

it('two concurrent workers claim no webhook twice, and at most four of one owner', async () => {
  const [first, second] = workers;
  await first`begin`;
  const claimed = await claim(first);
  const waiting = claim(second);
  await hasToWait(admin, waiting);
  await first`commit`;
  expect([claimed.length, await waiting]).toEqual([4, []]);
  // An answered post makes room for another.
  await first`select public.store_webhook_attempt(${claimed[0]!}, 1, 200)`;
  const [others, more] = await Promise.all(workers.map(claim));
  expect([...others!, ...more!]).toHaveLength(1);
  expect(claimed).not.toContain([...others!, ...more!][0]);
});

it('if the end of a run is rolled back, no message is sent; if a run ends twice at once, one message is sent', async () => {
  const [first, second] = workers;
  await admin`begin`;
  await admin`select public.stop_flow_run(${runId})`;
  expect(await deliveriesOfRun()).toBe(1);
  await admin`rollback`;
  expect(await deliveriesOfRun()).toBe(0);

  const finish = (sql: Sql) =>
    sql`
      select public.finish_flow_runs(jsonb_build_array(jsonb_build_object(
        'flow_run_id', ${runId}::text, 'claim_number', 1, 'status', 'succeeded', 'not_run', '[]'::jsonb,
        'progress', '{"children": [], "node_runs": [], "transactions": [], "logs": [], "work_ms": 0}'::jsonb
      )))`;
  await admin`select public.claim_flow_runs(100, 60)`;
  await Promise.all([finish(first), finish(second)]);
  await finish(first);
  expect(await deliveriesOfRun()).toBe(1);
});

it('if a run is deleted while its webhook is posted, the webhook is deleted, and a report about it changes nothing', async () => {
  const [first] = workers;
  const claimed = await claim(first);
  await admin`delete from auth.users where id = ${userId}`;
  await first`select public.store_webhook_attempt(${claimed[0]!}, 1, 410)`;
  expect(await admin`select from public.webhook_deliveries`).toHaveLength(0);
});
