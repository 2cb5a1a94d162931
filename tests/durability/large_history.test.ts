import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { makeRpc, type Rpc } from '../../platform/database/rpc.ts';
import { makeRunnerWorker } from '../../runner/runner_worker.ts';
import { readRunnerSettings } from '../../runner/settings.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { makeGate } from '../support/gate.ts';
import { waitFor } from '../support/wait.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const MIB = 1_048_576;
/** The bytes that each element of the loop outputs, and the number of elements. */
const BYTES = 12_500;
const ELEMENTS = 120;
const RUNS = 3;
/**
 * The largest history in bytes that a worker may hold. This is less than the history of one run of this test, but more
 * than one page of the history.
 */
const MAX_HELD_BYTES = 2 * MIB;
const PAGE_BYTES = MIB;

let workers: WorkerStack;
let owner: FlowOwner;
beforeAll(async () => {
  workers = await makeWorkerStack('large_history');
  owner = await workers.addOwner();
});
afterAll(() => workers?.remove());

/**
 * A flow with a loop that makes, for each element, a text and a copy of the text. The flow outputs a value made from
 * the lengths of these texts.
 */
function largeFlow(end: (flow: FlowBuilder, lengths: Port) => Port): FlowBuilder {
  const flow = new FlowBuilder();
  const element = flow.foreach(flow.range(flow.input('n')));
  const text = flow.script(`let t = "x"; t.pad(${BYTES}, "x"); t`, { a: element }, 1, 'make').output('u');
  const copy = flow.script('a', { a: text }, 1, 'copy').output('u');
  const lengths = flow.collect(flow.script('a.len()', { a: copy }, 1, 'measure').output('u'));
  flow.output('out', end(flow, lengths));
  return flow;
}

const startRuns = async (flow: FlowBuilder): Promise<string[]> =>
  await owner.start(await owner.storeFlow(flow), Array.from({ length: RUNS }, () => ({ n: integer(ELEMENTS) })));

/**
 * Starts workers that may hold less history than one of these runs has. Observes the functions whose names match
 * `reading`. Records the sizes of the answers of these functions, and the greatest number of runs that were open at the
 * same time. A run is open from the call that reads it until its release or its end.
 */
function smallWorkers(reading: RegExp) {
  const { API_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const rpc = makeRpc({
    restUrl: `${API_URL}/rest/v1`,
    apikey: SERVICE_ROLE_KEY,
    authorization: `Bearer ${SERVICE_ROLE_KEY}`,
    fetch,
  });
  const seen = { sizes: [] as number[], mostOpen: 0 };
  const open = new Set<string>();
  const watching: Rpc = async (name, args, headers) => {
    const { flow_run_id, results } = args as {
      flow_run_id?: string;
      results?: { flow_run_id: string }[];
    };
    if (reading.test(name) && flow_run_id !== undefined) open.add(flow_run_id);
    seen.mostOpen = Math.max(seen.mostOpen, open.size);
    if (name === 'release_flow_run' && flow_run_id !== undefined) open.delete(flow_run_id);
    for (const result of results ?? []) open.delete(result.flow_run_id);
    const answer = await rpc<never>(name, args, headers);
    if (reading.test(name)) seen.sizes.push(JSON.stringify(answer).length);
    return answer;
  };
  const env: Record<string, string> = { RUNNER_MAX_HELD_BYTES: String(MAX_HELD_BYTES), ALLOW_PRIVATE_NETWORK: '1' };
  const settings = { ...readRunnerSettings((name) => env[name], false), historyPageBytes: PAGE_BYTES };
  return {
    seen,
    /** Drains the queue, with a new worker each time, until the condition holds. */
    drainUntil: async <T>(condition: () => Promise<T | undefined>): Promise<T> =>
      await waitFor(async () => {
        await makeRunnerWorker({ rpc: watching, settings, env: (name) => env[name] }).drain();
        return await condition();
      }, 60_000),
    /** Expects that each run was read in pages, and only after the previous one was released or ended. */
    expectPages: () => {
      // A page ends with the row that fills it. So a page may be larger than its limit by one row.
      expect(Math.max(...seen.sizes)).toBeLessThan(settings.historyPageBytes + 2 * BYTES);
      expect(seen.sizes.filter((size) => size > PAGE_BYTES / 4).length).toBeGreaterThanOrEqual(2 * RUNS);
      expect(seen.mostOpen).toBe(1);
    },
  };
}

const allEnded = async () => {
  const [left] = await workers.sql`select count(*)::integer as count from public.flow_run where end_time is null`;
  return left?.count === 0 || undefined;
};

const LENGTHS = { A: Array.from({ length: ELEMENTS }, () => ({ I: String(BYTES) })) };
const SUCCEEDED = { status: 'succeeded', output: { M: { out: LENGTHS } } };

it(
  'the histories of large runs are read in pages, one run after another, and the runs continue where they were',
  async () => {
    const runIds = await startRuns(largeFlow((flow, lengths) => flow.wait(lengths, 3_600_000)));
    const first = smallWorkers(/^flow_run_history/);
    const asleep = async () => {
      const [state] = await workers.sql`
      select count(*)::integer as count, min(output_bytes)::integer as bytes
      from private.flow_run_jobs where state = 'sleeping'`;
      return state?.count === RUNS ? state : undefined;
    };
    const { bytes } = await first.drainUntil(asleep);
    expect(bytes).toBeGreaterThan(2 * BYTES * ELEMENTS);

    // Simulates that the waiting nodes began an hour ago.
    await workers.sql`update public.node_run set start_time = start_time - interval '1 hour' where end_time is null`;
    await workers.sql`update private.flow_run_jobs set due_at = now() where due_at is not null`;
    const later = smallWorkers(/^flow_run_history/);
    await later.drainUntil(allEnded);
    expect(await workers.ended(runIds)).toMatchObject(runIds.map(() => SUCCEEDED));
    later.expectPages();
  },
  180_000,
);

it(
  'taken-over executions of large redriven runs are read in pages, one run after another, and do not run again',
  async () => {
    const gate = await makeGate();
    onTestFinished(gate.close);
    const runIds = await startRuns(largeFlow((flow, lengths) => {
      const url = flow.script(`"${gate.url}?" + a.len()`, { a: lengths }, 1, 'url').output('u');
      const got = flow.use('http_request', { url }, { form: { method: 'GET' }, title: 'gate' });
      return flow.script('if b == () { throw "closed" } a', { a: lengths, b: got.output('body') }, 1, 'passed').output(
        'u',
      );
    }));
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await smallWorkers(/^never/).drainUntil(allEnded);
    // The runs fail as expected. For each, the worker logs a line for the operator.
    expect(warned.mock.calls.map(([line]) => JSON.parse(line))).toEqual(
      runIds.map(() => expect.objectContaining({ event: 'run_finished', status: 'failed' })),
    );
    warned.mockRestore();
    expect(await workers.ended(runIds)).toMatchObject(runIds.map(() => ({ status: 'failed' })));

    gate.open();
    const redrivenIds = await owner.redrive(runIds);
    const { drainUntil, expectPages } = smallWorkers(/^earlier_flow_runs/);
    await drainUntil(allEnded);
    expect(await workers.ended(redrivenIds)).toMatchObject(redrivenIds.map(() => SUCCEEDED));
    expectPages();
    const executed = await workers.sql`
    select count(*)::integer as count from public.node_run
    where flow_run_id = any (${redrivenIds}::uuid[]) and not is_taken_over group by flow_run_id`;
    // The three executions are the gate, the node after it, and the output.
    expect(executed.map(({ count }) => count)).toEqual(redrivenIds.map(() => 3));
  },
  180_000,
);
