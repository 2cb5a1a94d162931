import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow, postingFlow, waitFlow } from '../support/mixed_flows.ts';
import { type SilentServer, startSilentServer } from '../support/silent_server.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerOptions, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const HOUR = 3_600_000;
const SLEEPERS = 290;
const SLOTS = 16;
/**
 * The timeout of HTTP requests is longer than any test. So no request to the silent server times out and frees the slot
 * of its run. A worker has as many slots as it may execute runs at once.
 */
const PATIENCE = { HTTP_TIMEOUT_MS: String(HOUR) };

let workers: WorkerStack;
let silent: SilentServer;
let greedy: FlowOwner;
let other: FlowOwner;
let running: WorkerProcess[] = [];
// Only the test calls the function `runner`, so that the function does not compete with workers of other tests.
beforeAll(async () => {
  [workers, silent] = await Promise.all([
    makeWorkerStack('fair_slots', {
      functions: ['runner'],
      watch: false,
      sweep: false,
      functionEnv: { ...PATIENCE, ALLOW_PRIVATE_NETWORK: '1', RUNNER_SLICE_MS: '5000' },
    }),
    startSilentServer(),
  ]);
  [greedy, other] = await Promise.all([workers.addOwner(), workers.addOwner()]);
}, 120_000);
afterEach(async () => {
  await Promise.all(running.map((worker) => worker.end('SIGKILL')));
  running = [];
  await workers.sql`delete from public.flow_run`;
});
afterAll(() => Promise.all([workers?.remove(), silent?.close()]));

const poke = async () => {
  const { FUNCTIONS_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const headers = { authorization: `Bearer ${SERVICE_ROLE_KEY}` };
  expect((await fetch(`${FUNCTIONS_URL}/runner`, { method: 'POST', headers })).status).toBe(202);
};
const startWorkers = (count: number, env: Record<string, string> = {}, over?: WorkerOptions['over']) => {
  const started = Array.from(
    { length: count },
    () => startWorker({ status: workers.stack.status, over, runtime: 'deno', env: { ...PATIENCE, ...env } }),
  );
  running.push(...started);
  return Promise.all(started.map((worker) => worker.ready()));
};

const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ n: integer(n) }));
const startTrivial = async (owner = other) => await owner.start(await owner.storeFlow(chainFlow(3)), inputs(3));
/** Starts runs of the owner that call the silent server. With `canBeginAgain`, their node may be repeated. */
const startSilent = async (owner: FlowOwner, count: number, canBeginAgain = false) => {
  const flow = new FlowBuilder();
  flow.output('out', flow.use('http_request', { url: flow.input('url') }).output('body'));
  const flowId = await owner.storeFlow(canBeginAgain ? flow : postingFlow());
  return await owner.start(flowId, Array.from({ length: count }, () => ({ url: { S: silent.url } })));
};
const stateOf = async (runIds: string[]) => {
  const [state] = await workers.sql<[{ ended: number; held: number; asleep: number }]>`
    select count(*) filter (where r.end_time is not null)::integer as ended,
      count(*) filter (where j.state in ('held', 'lost'))::integer as held,
      count(*) filter (where j.state = 'sleeping')::integer as asleep
    from public.flow_run as r join private.flow_run_jobs as j on j.flow_run_id = r.id where r.id = any (${runIds}::uuid[])`;
  return state;
};
const succeeded = async (runIds: string[]) =>
  expect((await workers.ended(runIds)).map(({ status }) => status)).toEqual(runIds.map(() => 'succeeded'));

it("if all slots are taken, even the reserved ones, the runs of a new owner wait for the end of another owner's slice", async () => {
  const third = await workers.addOwner();
  await startWorkers(1, { RUNNER_CONCURRENCY: '2', RUNNER_RESERVED_SLOTS: '1', RUNNER_SLICE_MS: '1000' });
  const first = await startSilent(greedy, 4, true);
  await waitFor(() => silent.waiting() === 2 || undefined);
  const second = await startSilent(other, 1);
  // The worker may release a run of the first owner before the request of the second run arrives. So there may never be
  // three requests at once, and the test waits instead until the second run is held.
  await waitFor(async () => (await stateOf(second)).held === 1 || undefined);
  await succeeded(await startTrivial(third));
  expect([(await stateOf(first)).ended, (await stateOf(second)).ended]).toEqual([0, 0]);
});

it('a wait continues after its worker is killed, and counts from its beginning', async () => {
  const [runId] = await greedy.start(await greedy.storeFlow(waitFlow(HOUR)), inputs(1));
  await startWorkers(1);
  await waitFor(async () => (await stateOf([runId!])).asleep === 1 || undefined);
  await Promise.all(running.splice(0).map((worker) => worker.end('SIGKILL')));
  const waiting = () =>
    workers.sql<{ start_time: Date; goes_on_after: number }[]>`
      select n.start_time, extract(epoch from j.due_at - n.start_time)::float8 as goes_on_after
      from public.node_run as n join private.flow_run_jobs as j on j.flow_run_id = n.flow_run_id
      where n.flow_run_id = ${runId!} and n.end_time is null`;
  const [before] = await waiting();

  // Make the run due too early. If a worker then claims the run, the worker lets it sleep until the original time.
  await workers.sql`update private.flow_run_jobs set due_at = now() where flow_run_id = ${runId!}`;
  const claims = async () =>
    (await workers.sql`select claim_number from private.flow_run_jobs where flow_run_id = ${runId!}`)[0]?.claim_number;
  await startWorkers(1);
  await waitFor(async () => (await claims()) >= 2 && (await stateOf([runId!])).asleep === 1 || undefined);
  const [again] = await waiting();
  expect(again?.start_time).toEqual(before?.start_time);
  expect(Math.abs(again!.goes_on_after - before!.goes_on_after)).toBeLessThan(10);

  // Simulates that an hour has passed since the node's start.
  await workers
    .sql`update public.node_run set start_time = start_time - interval '1 hour' where flow_run_id = ${runId!}`;
  await workers.sql`update private.flow_run_jobs set due_at = now() where flow_run_id = ${runId!}`;
  await succeeded([runId!]);
});

// These tests come last, with the function `runner` as their last case. The function continues to claim runs for some
// time after its test. So it would take runs of a later test that counts slots.
describe.each([
  { who: 'a worker', begin: () => startWorkers(1), tell: async () => {} },
  { who: 'a worker over Postgres', begin: () => startWorkers(1, {}, 'Postgres'), tell: async () => {} },
  { who: 'three workers', begin: () => startWorkers(3), tell: async () => {} },
  { who: 'the function', begin: poke, tell: poke },
])('with $who', ({ begin, tell }) => {
  it(`${SLEEPERS} sleeping runs delay no other run, and no worker holds them`, async () => {
    const sleepers = await greedy.start(await greedy.storeFlow(waitFlow(HOUR)), inputs(SLEEPERS));
    await begin();
    const trivial = await startTrivial();
    await tell();
    await succeeded(trivial);
    expect((await stateOf(sleepers)).ended).toBe(0);
    await waitFor(async () => (await stateOf(sleepers)).asleep === SLEEPERS || undefined);
    expect(await stateOf(sleepers)).toEqual({ ended: 0, held: 0, asleep: SLEEPERS });
    // The sleeping runs do not delay a later run either.
    const later = await startTrivial();
    await tell();
    await succeeded(later);
    expect((await stateOf(sleepers)).asleep).toBe(SLEEPERS);
  }, 120_000);

  it(
    'endless scripts delay no other run: they run one after the other in a thread of their own',
    async () => {
      const flow = new FlowBuilder();
      flow.output('out', flow.script('loop {}', {}, 1, 'endless').output('u'));
      const runIds = await greedy.start(await greedy.storeFlow(flow), inputs(100).map(() => ({})));
      await begin();
      await waitFor(async () => (await stateOf(runIds)).held > 0 || undefined);
      const trivial = await startTrivial();
      await tell();
      await succeeded(trivial);
      expect((await stateOf(runIds)).ended).toBeLessThan(50);
    },
    120_000,
  );

  it("unanswered requests keep only their owner's slots and delay no other owner", async () => {
    const runIds = await startSilent(greedy, 4 * SLOTS);
    await begin();
    await waitFor(() => silent.waiting() >= SLOTS || undefined);
    const trivial = await startTrivial();
    await tell();
    await succeeded(trivial);
    expect((await stateOf(runIds)).ended).toBe(0);
    expect(silent.waiting()).toBeGreaterThanOrEqual(SLOTS);
  });
});
