import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFlowClient, type RunEvent } from '../../client/index.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const WATCHERS = 6;
/** The number of waits, one after another, in each part of the flow, and their duration. */
const WAITS = 24;
const WAIT_MS = 1_000;

let workers: WorkerStack;
let owner: FlowOwner;
let worker: WorkerProcess;

beforeAll(async () => {
  workers = await makeWorkerStack('flow-events', {
    functions: ['flow'],
    functionEnv: { RUNNER_DISABLED: '1' },
    // With the default settings, commits are durable as in a hosted project: a killed server loses no event that
    // watchers have received.
    postgresSettings: {},
  });
  owner = await workers.addOwner();
});
afterAll(async () => {
  worker?.process.kill('SIGKILL');
  await workers?.remove();
});

const newWorker = (): WorkerProcess =>
  startWorker({ status: workers.stack.status, runtime: 'deno', env: { RUNNER_LEASE_SECONDS: '2' } });

/** Stores a flow that waits repeatedly, and that calls another flow that waits repeatedly. */
async function storeFlow(): Promise<number> {
  const chain = (flow: FlowBuilder, from: ReturnType<FlowBuilder['input']>, count: number) => {
    let port = from;
    for (let index = 0; index < count; index++) port = flow.toText(flow.wait(port, WAIT_MS));
    return port;
  };
  const called = new FlowBuilder();
  called.output('out', chain(called, called.input('n'), WAITS / 3));
  const flow = new FlowBuilder();
  const call = flow.interflow(await owner.storeFlow(called), { n: flow.input('n') }, ['out']);
  flow.output('out', chain(flow, call.output('out'), WAITS * 2 / 3));
  return await owner.storeFlow(flow);
}

/**
 * Ends parts of the stack during the run. Before it goes on to the next part, each watcher must have received another
 * event or the end of the run.
 */
async function breakParts(told: RunEvent[][]): Promise<void> {
  const breaks = [
    () => workers.stack.restart('function flow', 'SIGKILL'),
    () => workers.stack.restart('Postgres', 'SIGQUIT'),
    async () => {
      await worker.end('SIGKILL');
      worker = newWorker();
    },
    () => workers.stack.restart('PostgREST of the functions', 'SIGKILL'),
    () => workers.stack.restart('gateway'),
    () => workers.stack.restart('Postgres'),
    () => workers.stack.restart('function flow'),
  ];
  for (const breakPart of breaks) {
    const before = told.map((events) => events.length);
    await waitFor(() =>
      told.every((events, index) => events.length > before[index]! || events.at(-1)?.event === 'run_finish') ||
      undefined
    );
    await breakPart();
  }
}

it('watchers receive every event once and in order, even if parts of the stack end meanwhile', async () => {
  worker = newWorker();
  const run = await owner.startRun(await storeFlow(), { n: integer(7) });
  const { API_URL, PUBLISHABLE_KEY } = workers.stack.status;
  const client = createFlowClient({ url: API_URL, key: PUBLISHABLE_KEY, retries: 10 });
  const told: RunEvent[][] = Array.from({ length: WATCHERS }, () => []);
  const watching = told.map(async (events) => {
    for await (const event of client.events(run)) events.push(event);
  });
  await Promise.all([breakParts(told), ...watching]);

  const [first] = told;
  for (const events of told) expect(events).toEqual(first);
  const keys = first!.map(({ event, data }) =>
    [event, data.flow_run_id, ...('node_id' in data ? [data.node_id] : [])].join(' ')
  );
  const rows = await workers.sql<{ key: string }[]>`
    with tree as (select r.id from public.flow_run as r where ${run.flow_run_id} in (r.id, r.parent_flow_run_id))
    select concat_ws(' ', e.event, n.flow_run_id, n.node_id) as key from public.node_run as n
    cross join (values ('node_start'), ('node_finish')) as e (event) where n.flow_run_id in (select id from tree)
    union all select concat_ws(' ', e.event, tree.id) from tree cross join (values ('run_start'), ('run_finish')) as e (event)`;
  expect(keys.toSorted()).toEqual(rows.map(({ key }) => key).toSorted());
  expect(first!.at(-1)).toMatchObject({ event: 'run_finish', data: { status: 'succeeded' } });
  // Events come after the events that caused them.
  const place = (...key: string[]) => keys.indexOf(key.join(' '));
  for (const { event, data } of first!) {
    if (event === 'node_start') {
      const { flow_run_id, node_id } = data;
      expect(place('node_start', flow_run_id, node_id)).toBeGreaterThan(place('run_start', flow_run_id));
      expect(place('node_finish', flow_run_id, node_id)).toBeGreaterThan(place('node_start', flow_run_id, node_id));
      expect(place('run_finish', flow_run_id)).toBeGreaterThan(place('node_finish', flow_run_id, node_id));
    }
  }
});
