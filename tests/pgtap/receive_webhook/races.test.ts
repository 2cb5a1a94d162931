import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let first: Sql;
let second: Sql;
let admin: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  [first, second] = [database.connect(), database.connect()];
  admin = database.connect('supabase_admin');
});
afterAll(() => database.close());

let userId: string;
let token: string;

/** Makes an owner with a webhook of one deployment. */
beforeEach(async () => {
  userId = randomUUID();
  await admin`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await admin`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: userId, role: 'authenticated' })
  }, false)`;
  const node = {
    id: randomUUID(),
    data: {
      type: 'native',
      node_id: 'flow_input',
      sources: [{ id: 'out', name: 'out', type: 'free' }],
      targets: [],
      targets_form: { form_data: { label: 'event' } },
    },
  };
  const [flow] = await admin`
    insert into public.flows (user_id, nodes) values (${userId}, ${admin.json([node])}) returning id`;
  const [made] = await admin`
    select public.create_webhook('event', deployment_id => (public.deploy_flow(${
    flow!.id
  }) ->> 'deployment_id')::uuid) ->> 'url' as url`;
  token = made!.url.slice(-46);
});

/** Sends a request to the webhook. Returns its run, or the code of the refusal. */
async function receive(sql: Sql, id = randomUUID()): Promise<string> {
  const [row] = await sql`select public.receive_webhook(${token}, '{}', ${sql.json({ 'webhook-id': id })}) as answer`;
  return row!.answer.flow_run_id ?? row!.answer.code;
}
const runs = async (): Promise<string[]> =>
  (await admin`select id from public.flow_run where user_id = ${userId} order by id`).map(({ id }) => id);

it('a repeated request waits for the first one, and returns its run', async () => {
  const id = randomUUID();
  await first`begin`;
  const run = await receive(first, id);
  const repetition = receive(second, id);
  await hasToWait(admin, repetition);
  await first`commit`;
  expect(await repetition).toBe(run);
  expect(await runs()).toEqual([run]);
});

it('if the first request was rolled back, a repeated request starts the run', async () => {
  const id = randomUUID();
  await first`begin`;
  await receive(first, id);
  const repetition = receive(second, id);
  await hasToWait(admin, repetition);
  await first`rollback`;
  const run = await repetition;
  expect(await runs()).toEqual([run]);
});

it('other requests do not wait, not even to store their result for the owner', async () => {
  // The first request stores the description of the deployment's inputs. Other requests would wait for that.
  const zero = await receive(first);
  await first`begin`;
  const one = await receive(first);
  const other = await receive(second);
  await first`commit`;
  expect(await runs()).toEqual([zero, one, other]);
});

it('the deletion of a webhook waits for a request under way, and no run starts afterwards', async () => {
  await first`begin`;
  const run = await receive(first);
  const deleting = second`delete from public.flow_webhooks where user_id = ${userId}`;
  await hasToWait(admin, deleting);
  await first`commit`;
  await deleting;
  await expect(receive(first)).rejects.toThrow('webhook_not_found');
  expect(await runs()).toEqual([run]);
});

it.each([
  ['a webhook', 'public.flow_webhooks', 'webhook_not_found'],
  ['its deployment', 'public.flow_deployments', 'deployment_not_found'],
])('a request that finds %s being deleted starts nothing', async (_what, table, code) => {
  await first`begin`;
  await first.unsafe(`delete from ${table} where user_id = '${userId}'`);
  const receiving = receive(second);
  await hasToWait(admin, receiving);
  await first`commit`;
  expect(await receiving).toBe(code);
  expect(await runs()).toEqual([]);
});

it('after the commit of is_active = false, no run starts', async () => {
  await first`begin`;
  await first`update public.flow_webhooks set is_active = false where user_id = ${userId}`;
  // This request does not wait. It is the last one that starts a run.
  await receive(second);
  await first`commit`;
  await expect(receive(second)).rejects.toThrow('webhook_not_found');
});

it('the deletion of a user waits for a request under way, and deletes its run, too', async () => {
  await first`begin`;
  await receive(first);
  const deleting = second`delete from auth.users where id = ${userId}`;
  await hasToWait(admin, deleting);
  await first`commit`;
  await deleting;
  expect(await runs()).toEqual([]);
  expect(
    (await admin`select from private.flow_webhook_secrets as s
    left join public.flow_webhooks as w on w.id = s.webhook_id where w.id is null`).count,
  ).toBe(0);
});
