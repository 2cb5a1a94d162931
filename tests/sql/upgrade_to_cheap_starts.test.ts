import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../supabase/local/postgres.ts';
import { calledRun } from '../support/called_run.ts';
import { makeOldDatabase, type OldDatabase } from '../support/upgraded_database.ts';

/** The last migration before starts, claims and ends were made to cost less. */
const BEFORE = '20261121195810';
const KEY = 'So11111111111111111111111111111111111111112';

let database: OldDatabase;
let sql: Sql;
let flowId: number;
let deploymentId: string;
let runs: Record<'failed' | 'parent' | 'counted' | 'others', string>;
/** Run tokens of the failed run, the oldest first: one for each secret that there has been. */
const tokens: string[] = [];
const [ownerId, otherId, childId] = [randomUUID(), randomUUID(), randomUUID()];

const actAs = (claims: object) => sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, false)`;
const signIn = (id: string) => actAs({ sub: id, role: 'authenticated' });

async function start(publicKey: string | null = null): Promise<string> {
  const [{ id }] = await sql<[{ id: string }]>`
    select public.start_deployment(id => ${deploymentId}, public_key => ${publicKey}) ->> 'flow_run_id' as id`;
  return id;
}

const inFlight = async (): Promise<number> => {
  const [row] = await sql<[{ runs: number }]>`
    select coalesce(sum(in_flight), 0)::int as runs from private.deployment_usage where deployment_id = ${deploymentId} and share = 'all'`;
  return row.runs;
};

beforeAll(async () => {
  database = await makeOldDatabase(BEFORE);
  sql = database.sql;
  for (const id of [ownerId, otherId]) {
    await sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
  }
  await signIn(ownerId);
  [{ id: flowId }] = await sql<[{ id: number }]>`
    insert into public.flows (user_id, is_public, start_shared, start_unverified) values (${ownerId}, true, true, true) returning id`;
  [{ id: deploymentId }] = await sql<[{ id: string }]>`select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`;

  const failed = await start();
  await sql`select public.claim_flow_runs(1, 3600)`;
  await sql`select public.finish_flow_run(${failed}, 1, 'failed', '{"M": {}}', array['a node failed'], '{}', '{}')`;
  for (let secret = 0; secret < 3; secret++) {
    if (secret > 0) await sql`select private.rotate_run_token_secret()`;
    const [row] = await sql<[{ token: string }]>`select private.run_token(${failed}) as token`;
    tokens.push(row.token);
  }
  const parent = await start();
  await sql`select public.claim_flow_runs(1, 3600)`;
  const child = calledRun(childId, parent, flowId);
  await sql`select public.checkpoint_flow_run(${parent}, 1, 3600, ${
    sql.json({ children: [child], node_runs: [], transactions: [], logs: [], work_ms: 1 })
  })`;
  await signIn(otherId);
  const others = await start();
  await actAs({ role: 'anon' });
  runs = { failed, parent, others, counted: await start(KEY) };
  // Turns were ahead of the messages' numbers where runs were handed back often.
  await sql`update private.flow_run_jobs set turn = turn + 1000`;

  await database.upgrade();
});
afterAll(() => database.drop());

it('a run that failed before counts among those that failed within the hour', async () => {
  const [row] = await sql`
    select j.failed_at = r.end_time as "isKept" from private.flow_run_jobs as j join public.flow_run as r on r.id = j.flow_run_id
    where r.id = ${runs.failed}`;
  expect(row).toEqual({ isKept: true });
});

it('runs of before go on, and count until they end', async () => {
  expect(await inFlight()).toBe(2);
  await sql`select public.claim_flow_runs(10, 3600)`;
  for (const id of [runs.counted, runs.parent]) {
    await sql`select public.finish_flow_run(${id}, 1, 'succeeded', '{"M": {}}', null, '{}', '{}')`;
  }
  expect(await inFlight()).toBe(1);
  expect(await sql`select status from public.flow_run where id = ${childId}`).toEqual([{ status: 'failed' }]);
});

it('a run and what it called keep the time in their ids, or in what told of them', async () => {
  const rows = await sql`
    select r.id from public.flow_run as r where r.created_at is distinct from private.uuid_v7_time(r.id) and r.id <> ${childId}`;
  expect(rows).toHaveLength(0);
});

it('run tokens of the present secret and the one before it show their runs, and older ones do not', async () => {
  const shown: (string | null)[] = [];
  for (const token of tokens) {
    await sql`select set_config('request.headers', ${JSON.stringify({ 'x-flow-run-token': token })}, false)`;
    const [row] = await sql<[{ id: string | null }]>`select private.token_run_id() as id`;
    shown.push(row.id);
  }
  await sql`select set_config('request.headers', '', false)`;
  expect(shown).toEqual([null, runs.failed, runs.failed]);
  expect(await sql`select private.run_token(${runs.failed}) as token`).toEqual([{ token: tokens.at(-1) }]);
});

it('new runs are started beside them, after those of their owner', async () => {
  await signIn(ownerId);
  const id = await start();
  const [row] = await sql`
    select max(j.turn) filter (where j.flow_run_id <> ${id}) < max(j.turn) filter (where j.flow_run_id = ${id}) as "isAfter"
    from private.flow_run_jobs as j where j.message_id is not null`;
  expect(row).toEqual({ isAfter: true });
});

it('a starter who is deleted is named no more, and runs of a deleted flow go with their jobs', async () => {
  await sql`delete from auth.users where id = ${otherId}`;
  expect(await sql`select started_by from public.flow_run where id = ${runs.others}`).toEqual([{ started_by: null }]);
  await sql`delete from auth.users where id = ${ownerId}`;
  const left = await sql`
    select flow_run_id::text as id from private.flow_run_jobs union all select id::text from public.flow_run
    union all select message ->> 'flow_run_id' from pgmq.q_flow_runs`;
  expect(left).toHaveLength(0);
});
