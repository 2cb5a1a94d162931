import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

const KEY = 'So11111111111111111111111111111111111111112';

let database: TestDatabase;
let counter: Sql;
let observer: Sql;
let starter: Sql;
let deploymentId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  [counter, observer, starter] = [database.connect(), database.connect(), database.connect()];
  const ownerId = randomUUID();
  await counter`insert into auth.users (id, email) values (${ownerId}, ${`${ownerId}@example.com`})`;
  await counter`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: ownerId, role: 'authenticated' })
  }, false)`;
  [{ id: deploymentId }] = await counter<[{ id: string }]>`
    with flow as (
      insert into public.flows (user_id, is_public, start_shared, start_unverified) values (${ownerId}, true, true, true) returning id
    )
    select public.deploy_flow(flow.id) ->> 'deployment_id' as id from flow`;
});
afterAll(() => database.close());

beforeEach(async () => {
  await observer`select private.set_max_queue_length(1000)`;
});

const start = () => codeOf(starter`select public.start_deployment(id => ${deploymentId}, public_key => ${KEY})`);

/**
 * A transaction needs a lock to count the queue. Holds this lock until the work is done, so that no other transaction
 * counts the queue in the meantime.
 */
const whileItIsCounted = (work: () => Promise<void>) =>
  counter.begin(async (tx) => {
    await tx`select private.lock_queue_check(true)`;
    await work();
  });

it('while the queue has room, a start does not wait for a transaction that counts it', async () => {
  expect(await start()).toBe('done');
  await observer`select setval('private.queue_check_start', 0)`;
  await whileItIsCounted(async () => expect(await start()).toBe('done'));
});

it.each([
  ['it was full', 'done', () => observer`select setval('private.queue_full_until', private.queue_clock() - 1)`],
  ['its limit was set', 'queue_full', () => observer`select private.set_max_queue_length(0)`],
])('when %s, starts wait for what the next count finds', async (_name, outcome, change) => {
  await change();
  await observer`select setval('private.queue_check_start', 0)`;
  let starting: Promise<string> | undefined;
  await whileItIsCounted(async () => {
    starting = start();
    await hasToWait(observer, starting);
  });
  expect(await starting).toBe(outcome);
});

it('starts that waited for a count of a full queue do not wait for each other', async () => {
  await observer`select setval('private.queue_check_start', 0), setval('private.queue_full_until', private.queue_clock() - 1)`;
  const another = database.connect();
  await starter`begin`;
  let first: Promise<string> | undefined;
  let second: Promise<string> | undefined;
  await whileItIsCounted(async () => {
    first = start();
    await hasToWait(observer, first);
    second = codeOf(another`select public.start_deployment(id => ${deploymentId}, public_key => ${KEY})`);
    await hasToWait(observer, second, 2);
    await observer`select setval('private.queue_full_until', private.queue_clock() + 60000)`;
  });
  expect(await first).toBe('done');
  expect(await Promise.race([second, new Promise((done) => setTimeout(done, 60_000, 'waits for the first'))])).toBe(
    'done',
  );
  await starter`rollback`;
});
