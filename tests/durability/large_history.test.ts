import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRpc, type Rpc } from '../../functions/_shared/database.ts';
import { makeRunnerWorker } from '../../functions/runner/runner_worker.ts';
import { readRunnerSettings } from '../../functions/runner/settings.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { waitFor } from '../support/wait.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const MIB = 1_048_576;
/** Bytes that each element of the loop puts out, and how many there are. */
const BYTES = 50_000;
const ELEMENTS = 120;
const RUNS = 3;

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('large_history');
});
afterAll(() => workers?.remove());

/** Makes a text for each element of a loop, and a copy of it; then it waits, and gives their lengths. */
function largeFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const element = flow.foreach(flow.range(flow.input('n')));
  const text = flow.script(`let t = "x"; t.pad(${BYTES}, "x"); t`, { a: element }, 1, 'make').output('u');
  const copy = flow.script('a', { a: text }, 1, 'copy').output('u');
  const lengths = flow.collect(flow.script('a.len()', { a: copy }, 1, 'measure').output('u'));
  flow.output('out', flow.wait(lengths, 3_600_000));
  return flow;
}

it('the histories of large runs come in pages, one run after another, and the runs go on where they were', async () => {
  const { API_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const rpc = makeRpc({
    supabaseUrl: API_URL,
    apikey: SERVICE_ROLE_KEY,
    authorization: `Bearer ${SERVICE_ROLE_KEY}`,
    fetch,
  });
  /** Sizes of the answers, and the runs whose histories are read before any of these runs has gone back or ended. */
  const sizes: number[] = [];
  const open = new Set<string>();
  let mostOpen = 0;
  const watching: Rpc = async (name, args, headers) => {
    const { flow_run_id, results } = args as {
      flow_run_id?: string;
      results?: { flow_run_id: string }[];
    };
    if (name === 'flow_run_history' && flow_run_id !== undefined) open.add(flow_run_id);
    mostOpen = Math.max(mostOpen, open.size);
    if (name === 'release_flow_run' && flow_run_id !== undefined) open.delete(flow_run_id);
    for (const result of results ?? []) open.delete(result.flow_run_id);
    const answer = await rpc<never>(name, args, headers);
    if (name.startsWith('flow_run_history')) sizes.push(JSON.stringify(answer).length);
    return answer;
  };
  const env: Record<string, string> = { RUNNER_MAX_HELD_BYTES: String(8 * MIB) };
  const settings = readRunnerSettings((name) => env[name], false);
  const owner = await workers.addOwner();
  const runIds = await owner.start(
    await owner.storeFlow(largeFlow()),
    Array.from({ length: RUNS }, () => ({ n: integer(ELEMENTS) })),
  );
  const asleep = async () => {
    const [state] = await workers.sql`
      select count(*)::integer as count, min(output_bytes)::integer as bytes
      from private.flow_run_jobs where sleeps_until is not null`;
    return state?.count === RUNS ? state : undefined;
  };
  const drainUntil = async <T>(condition: () => Promise<T | undefined>): Promise<T> =>
    await waitFor(async () => {
      await makeRunnerWorker({ rpc: watching, settings, env: (name) => env[name] }).drain();
      return await condition();
    }, 60_000);

  const { bytes } = await drainUntil(asleep);
  expect(bytes).toBeGreaterThan(2 * BYTES * ELEMENTS);

  // The hour has passed.
  open.clear();
  [mostOpen, sizes.length] = [0, 0];
  await workers.sql`update public.node_run set start_time = start_time - interval '1 hour' where end_time is null`;
  await workers.sql`update private.flow_run_jobs set sleeps_until = now() where sleeps_until is not null`;
  await workers
    .sql`select pgmq.set_vt('flow_runs', message_id, 0) from private.flow_run_jobs where message_id is not null`;
  await drainUntil(async () => {
    const [left] = await workers.sql`select count(*)::integer as count from public.flow_run where end_time is null`;
    return left?.count === 0 || undefined;
  });
  const lengths = { A: Array.from({ length: ELEMENTS }, () => ({ I: String(BYTES) })) };
  expect(await workers.ended(runIds)).toMatchObject(
    runIds.map(() => ({ status: 'succeeded', output: { M: { out: lengths } } })),
  );
  // A page ends with the row that fills it.
  expect(Math.max(...sizes)).toBeLessThan(settings.historyPageBytes + 2 * BYTES);
  expect(sizes.filter((size) => size > MIB).length).toBeGreaterThanOrEqual(2 * RUNS);
  expect(mostOpen).toBe(1);
}, 180_000);
