import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { calledRun } from '../../support/called_run.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait.ts';

let database: TestDatabase;
let worker: Sql;
let listener: Sql;
let ownerId: string;
const heard: string[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
  [worker, listener] = [database.connect(), database.connect()];
  ownerId = randomUUID();
  await worker`insert into auth.users (id) values (${ownerId})`;
  await listener.listen('flow_run_news', (payload) => heard.push(payload));
});
afterAll(() => database.close());

/** Makes a run in the queue. */
async function startRun(): Promise<string> {
  await worker`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: ownerId, role: 'authenticated' })
  }, false)`;
  const [flow] = await worker`insert into public.flows (user_id) values (${ownerId}) returning id`;
  const [run] = await worker`select public.start_flow(${flow!['id']}) ->> 'flow_run_id' as id`;
  return run!['id'];
}

const follow = (topic: 'ends' | 'events', id: string) =>
  listener`select private.follow_flow_runs(${[id]}::uuid[], ${topic})`;

/**
 * Returns how often an action announced the run. Sends a last notification after the action: when it arrives, all
 * earlier ones have arrived.
 */
async function announced(id: string, work: () => PromiseLike<unknown>): Promise<number> {
  heard.length = 0;
  await work();
  const last = randomUUID();
  await worker`select pg_notify('flow_run_news', ${last})`;
  await waitFor(() => heard.includes(last) || undefined);
  return heard.filter((payload) => payload === id).length;
}

const progress = (rows: { node_runs?: object[]; children?: object[] }) =>
  worker.json(
    { children: [], node_runs: [], transactions: [], logs: [], work_ms: 0, output_bytes: 0, ...rows } as never,
  );
const nodeRun = (id: string, end_time: string | null) => ({
  flow_run_id: id,
  node_id: id,
  times: 0,
  start_time: '2026-01-01T00:00:00Z',
  end_time,
  input: { M: {} },
  output: end_time === null ? null : { M: {} },
  errors: null,
});

/** The actions that give a run events, in their order. */
const moments = (id: string): Record<string, () => PromiseLike<unknown>> => ({
  'its claim': () => worker`select public.claim_flow_runs(1, 60)`,
  'a node that begins': () =>
    worker`select public.checkpoint_flow_run(${id}, 1, 60, ${progress({ node_runs: [nodeRun(id, null)] })})`,
  'a node that ends': () =>
    worker`select public.checkpoint_flow_run(${id}, 1, 60, ${
      progress({ node_runs: [nodeRun(id, '2026-01-01T00:00:01Z')] })
    })`,
  'a run that it calls': () =>
    worker`select public.checkpoint_flow_run(${id}, 1, 60, ${
      progress({ children: [calledRun(randomUUID(), id, 1)] })
    })`,
  'a request for a signature': () => worker`select test.ask(${id}, test.request())`,
  'its end': () => worker`select private.end_flow_run(${id}, 'stopped')`,
});

it('a watcher of a run is notified once for each transaction with events', async () => {
  const id = await startRun();
  await follow('events', id);
  for (const [moment, work] of Object.entries(moments(id))) {
    expect([moment, await announced(id, work)]).toEqual([moment, 1]);
  }
});

it('a session that waits only for the end is not notified of progress', async () => {
  const id = await startRun();
  await follow('ends', id);
  const told: string[] = [];
  for (const [moment, work] of Object.entries(moments(id))) {
    if (await announced(id, work) > 0) told.push(moment);
  }
  expect(told).toEqual(['a request for a signature', 'its end']);
});

it('a repeated report changes nothing and notifies no watcher', async () => {
  const id = await startRun();
  const steps = Object.values(moments(id));
  await steps[0]!();
  await follow('events', id);
  const told: number[] = [];
  for (const step of [1, 1, 2, 2, 1]) told.push(await announced(id, steps[step]!));
  expect(told).toEqual([1, 0, 1, 0, 0]);
});

it('a session that watches no run is not notified', async () => {
  expect(await listener`select public.watched_run_events('{}', '{}') as pages`).toEqual([{ pages: [] }]);
});
