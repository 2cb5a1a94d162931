import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../supabase/local/postgres.ts';
import { makeOldDatabase, type OldDatabase } from '../support/upgraded_database.ts';

/** The last migration of the schema whose runs are to be taken over. */
const BEFORE_ENGINE = '20261121020000';

let database: OldDatabase;
let sql: Sql;

interface StartedRun {
  id: string;
  messageId: string;
}

/** Starts a run of the signed-in user's flow with the functions of before. */
async function start(): Promise<StartedRun> {
  const [{ id }] = await sql<[{ id: string }]>`
    select public.start_flow(f.id) ->> 'flow_run_id' as id from public.flows as f`;
  const [{ messageId }] = await sql<[{ messageId: string }]>`
    select m.msg_id as "messageId" from pgmq.q_flow_runs as m where m.message ->> 'flow_run_id' = ${id}`;
  return { id, messageId };
}

const runs: { [state in 'queued' | 'running' | 'second' | 'waiting' | 'ended' | 'stopped' | 'deleted']?: StartedRun } =
  {};

beforeAll(async () => {
  database = await makeOldDatabase(BEFORE_ENGINE);
  sql = database.sql;

  const userId = randomUUID();
  await sql`insert into auth.users (id, email) values (${userId}, 'owner@example.com')`;
  await sql`insert into public.flows (user_id) values (${userId})`;
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: userId, role: 'authenticated' })}, false)`;

  runs.ended = await start();
  await sql`select public.claim_flow_runs(1, 3600)`;
  await sql`select public.finish_flow_run(${runs.ended.id}, ${runs.ended.messageId}, 1, 'succeeded', '{"M": {}}')`;
  runs.running = await start();
  await sql`select public.claim_flow_runs(1, 0)`;
  await sql`select public.checkpoint_flow_run(${runs.running.id}, ${runs.running.messageId}, 1, 0, ${
    sql.json([{ node_id: randomUUID(), times: 0, start_time: new Date(), end_time: new Date(), input: { M: {} } }])
  })`;
  runs.queued = await start();
  runs.second = await start();
  runs.waiting = await start();
  await sql`select pgmq.delete('flow_runs', ${runs.waiting.messageId}::bigint)`;
  // Both leave their messages behind.
  runs.stopped = await start();
  await sql`select public.stop_flow_run(${runs.stopped.id})`;
  runs.deleted = await start();
  await sql`delete from public.flow_run where id = ${runs.deleted.id}`;

  await database.upgrade();
});
afterAll(() => database.drop());

it('an upgrade leaves each run that has not ended its message, or gives it one, and nobody else', async () => {
  const messages = await sql<{ runId: string; messageId: string; isOfJob: boolean }[]>`
    select m.message ->> 'flow_run_id' as "runId", m.msg_id as "messageId", j.message_id = m.msg_id as "isOfJob"
    from pgmq.q_flow_runs as m left join private.flow_run_jobs as j on j.flow_run_id = (m.message ->> 'flow_run_id')::uuid
    order by m.msg_id`;
  const kept = [runs.running, runs.queued, runs.second].map((run) => ({
    runId: run!.id,
    messageId: run!.messageId,
    isOfJob: true,
  }));
  expect(messages.slice(0, 3)).toEqual(kept);
  expect(messages.slice(3)).toMatchObject([{ runId: runs.waiting!.id, isOfJob: true }]);
});

it('an upgraded run is claimed in its turn, with what was stored of it, and the worker of before counts as lost', async () => {
  const claims = await sql<{ flow_run_id: string; attempt: number; lost_claim_count: number; node_runs: number }[]>`
    select flow_run_id, attempt, lost_claim_count, json_array_length(public.flow_run_history(flow_run_id) -> 'node_runs') as node_runs
    from public.claim_flow_runs(10, 3600)`;
  const fresh = { attempt: 1, lost_claim_count: 0, node_runs: 0 };
  expect(claims).toEqual([
    { flow_run_id: runs.running!.id, attempt: 2, lost_claim_count: 1, node_runs: 1 },
    { flow_run_id: runs.queued!.id, ...fresh },
    { flow_run_id: runs.second!.id, ...fresh },
    { flow_run_id: runs.waiting!.id, ...fresh },
  ]);
  await sql`select public.finish_flow_run(flow_run_id, j.attempt, 'succeeded', '{"M": {}}', null, '{}', '{}')
    from private.flow_run_jobs as j where j.message_id is not null`;
  expect(await sql`select from pgmq.q_flow_runs`).toHaveLength(0);
  expect(
    await sql`select r.status, count(*)::int from public.flow_run as r group by r.status order by r.status`,
  ).toEqual([{ status: 'stopped', count: 1 }, { status: 'succeeded', count: 5 }]);
});
