import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let sweeper: Sql;
let starter: Sql;
let admin: Sql;
let userId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  [sweeper, starter, admin] = [database.connect(), database.connect(), database.connect()];
});
afterAll(() => database.close());

/** Makes a flow with a snapshot from a deployment that was deleted. */
beforeEach(async () => {
  userId = randomUUID();
  await starter`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await starter`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: userId, role: 'authenticated' })
  }, false)`;
  await starter`insert into public.flows (user_id, environment) values (${userId}, ${starter.json({ userId })})`;
  await starter`select public.deploy_flow(f.id) from public.flows as f where f.user_id = ${userId}`;
  await starter`delete from public.flow_deployments where user_id = ${userId}`;
});

const begin = (sql: Sql) => sql`begin`;
const commit = (sql: Sql) => sql`commit`;

const startFlow = () =>
  starter`select public.start_flow(f.id) ->> 'flow_run_id' as id from public.flows as f where f.user_id = ${userId}`;

const sweep = async (): Promise<Record<string, unknown>> =>
  (await sweeper<[{ result: Record<string, unknown> }]>`select public.sweep_runner() as result`)[0].result;

const snapshotCount = async (): Promise<number> =>
  (await starter`select from private.flow_snapshots where data #>> '{entry,environment,userId}' = ${userId}`).count;

it('a sweep keeps a snapshot that a start is taking, whichever comes first', async () => {
  await begin(starter);
  await startFlow();
  expect(await sweep()).toMatchObject({ snapshots: 0 });
  await commit(starter);
  expect(await sweep()).toMatchObject({ snapshots: 0 });
  expect(await snapshotCount()).toBe(1);
});

it('a start waits while its snapshot is being swept, and then freezes the flow again', async () => {
  await begin(sweeper);
  expect(await sweep()).toMatchObject({ snapshots: 1 });
  const starting = startFlow();
  await hasToWait(sweeper, starting);
  await commit(sweeper);
  const [run] = await starting;
  expect(await snapshotCount()).toBe(1);
  expect((await starter`select from private.flow_run_jobs where flow_run_id = ${run!.id}`).count).toBe(1);
});

it('a sweep keeps a snapshot whose deployment was deleted during the sweep, after a start of it was stored', async () => {
  const [{ id }] = await starter<[{ id: string }]>`
    select public.deploy_flow(f.id) ->> 'deployment_id' as id from public.flows as f where f.user_id = ${userId}`;
  // Makes a sweep that waits after each read of the pending runs.
  await admin`alter function private.snapshots_of_pending_runs() rename to seen_snapshots`;
  await admin`
    create function private.snapshots_of_pending_runs() returns bytea[] language plpgsql stable as $$
    declare
      v_seen bytea[] := private.seen_snapshots();
    begin
      perform pg_advisory_xact_lock_shared(1);
      return v_seen;
    end;
    $$`;
  try {
    await begin(admin);
    await admin`select pg_advisory_xact_lock(1)`;
    await begin(starter);
    const [run] = await starter`select public.start_deployment(id => ${id}) ->> 'flow_run_id' as id`;
    const sweeping = sweep();
    await hasToWait(starter, sweeping);
    await commit(starter);
    await starter`delete from public.flow_deployments where id = ${id}`;
    await commit(admin);
    expect(await sweeping).toMatchObject({ snapshots: 0 });
    expect(await snapshotCount()).toBe(1);
    expect((await starter`select from private.flow_run_jobs where flow_run_id = ${run!.id}`).count).toBe(1);
  } finally {
    await admin`drop function private.snapshots_of_pending_runs()`;
    await admin`alter function private.seen_snapshots() rename to snapshots_of_pending_runs`;
  }
});

it('a sweep leaves a locked run to the next sweep', async () => {
  await starter`
    insert into public.flow_run (id, user_id, flow_id, status, end_time, inputs, chain_network)
    select private.uuid_v7(now() - interval '32 days'), user_id, id, 'stopped', now() - interval '31 days', '{"M": {}}', '{}'
    from public.flows where user_id = ${userId}`;
  await begin(starter);
  await starter`select from public.flow_run where user_id = ${userId} for no key update`;
  expect(await sweep()).toMatchObject({ runs: 0 });
  await commit(starter);
  expect(await sweep()).toMatchObject({ runs: 1 });
});
