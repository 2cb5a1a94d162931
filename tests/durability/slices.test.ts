import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow, waitFlow } from '../support/mixed_flows.ts';
import { startWorker } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const SLICE_MS = 400;
const BUSY_MS = 40;
/** Counting this far takes several times as long as a slice. */
const COUNT = 250_000;

let workers: WorkerStack;
let owner: FlowOwner;
// The stack has no sweeper. So at the end of a slice, only a request of the function to itself can continue the run.
beforeAll(async () => {
  workers = await makeWorkerStack('slices', {
    functions: ['runner'],
    watch: false,
    sweep: false,
    functionEnv: { RUNNER_SLICE_MS: String(SLICE_MS), RUNNER_SLICE_BUSY_MS: String(BUSY_MS) },
  });
  owner = await workers.addOwner();
});
afterAll(() => workers?.remove());

const poke = async () => {
  const { FUNCTIONS_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const headers = { authorization: `Bearer ${SERVICE_ROLE_KEY}` };
  expect((await fetch(`${FUNCTIONS_URL}/runner`, { method: 'POST', headers })).status).toBe(202);
};

/** A flow whose script counts up to this number. */
function countingFlow(limit: number): FlowBuilder {
  const flow = new FlowBuilder();
  const script = flow.script(`let i = 0; while i < ${limit} { i += 1; let text = "" + i; } i`, {}, 1, 'count');
  flow.output('out', script.output('u'));
  return flow;
}

const claimsOf = async (runId: string): Promise<number> => {
  const [job] = await workers.sql`select claim_number from private.flow_run_jobs where flow_run_id = ${runId}`;
  return job?.claim_number;
};

it('a run that waits longer than a slice continues in the next claim, and its time counts from the beginning', async () => {
  const [runId] = await owner.start(await owner.storeFlow(waitFlow(1_500)), [{ n: integer(1) }]);
  await poke();
  const [run] = await workers.ended([runId!]);
  expect(run).toMatchObject({ status: 'succeeded', output: { M: { out: { U: '1' } } } });
  // How often it is claimed depends on the machine: a slice also ends when the function has computed for BUSY_MS.
  expect(await claimsOf(runId!)).toBeGreaterThan(1);
  const [node] = await workers.sql`
    select extract(epoch from n.end_time - n.start_time)::float8 as seconds
    from public.node_run as n where n.flow_run_id = ${runId!} and n.input -> 'M' ? 'duration_ms'`;
  expect(node?.seconds).toBeGreaterThanOrEqual(1.5);
});

it('a run that computes longer than a slice continues in the next claim, and no node runs twice', async () => {
  // The chain has enough work for several slices. Each slice reads the results of the earlier ones, so a longer chain
  // would take far longer.
  const length = 1_500;
  const [runId] = await owner.start(await owner.storeFlow(chainFlow(length)), [{ n: integer(1) }]);
  await poke();
  const [run] = await workers.ended([runId!]);
  expect(run).toMatchObject({ status: 'succeeded', output: { M: { out: { S: '1' } } }, errors: null });
  expect(await claimsOf(runId!)).toBeGreaterThan(1);
  const [nodes] = await workers.sql`
    select count(*)::integer as count, count(*) filter (where end_time is null)::integer as unended
    from public.node_run where flow_run_id = ${runId!}`;
  expect(nodes).toEqual({ count: length + 2, unended: 0 });
});

it('a script that needs more than a slice fails, and its error recommends a long-lived worker', async () => {
  const flowId = await owner.storeFlow(countingFlow(COUNT));
  const [runId] = await owner.start(flowId, [{}]);
  await poke();
  const [run] = await workers.ended([runId!]);
  expect(run?.status).toBe('failed');
  expect(run?.errors).toEqual([
    expect.stringMatching(/^count [0-9a-f-]{36}: node_cpu_limit: not finished after 40 ms .*npm run worker/),
  ]);

  // Before the function `runner` rests, it looks for runs once more, and might take the next run from the worker. So
  // restart the function: a new process looks for runs only when it gets a request.
  await workers.stack.restart('function runner', 'SIGKILL');
  const [again] = await owner.start(flowId, [{}]);
  const worker = startWorker({ status: workers.stack.status, runtime: 'deno' });
  expect(await workers.ended([again!])).toMatchObject([{
    status: 'succeeded',
    output: { M: { out: { I: String(COUNT) } } },
  }]);
  expect(await worker.end('SIGTERM')).toBe(0);
});

it('short scripts that the end of a slice cuts off are run again and succeed', async () => {
  const long = await owner.start(await owner.storeFlow(countingFlow(COUNT)), [{}]);
  const short = await owner.start(await owner.storeFlow(countingFlow(500)), Array.from({ length: 20 }, () => ({})));
  await poke();
  const ended = await workers.ended([...long, ...short]);
  expect(ended.map(({ status }) => status)).toEqual(['failed', ...short.map(() => 'succeeded')]);
});
