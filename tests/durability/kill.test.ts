import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ValueMap } from '../../types/values/value.ts';
import type { FlowBuilder } from '../support/flow_builder.ts';
import { type EffectServer, startEffectServer } from '../support/effect_server.ts';
import { callingFlow, chainFlow, loopFlow, postingFlow, waitFlow } from '../support/mixed_flows.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type EndedRun, type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/**
 * The number of kills is large enough that each kind of flow loses workers at each kind of moment. `KILLS=500 npm test
 * -- kill` kills more.
 */
const KILLS = Number(process.env.KILLS ?? 15);
const RUNS = KILLS * 10;
const INPUTS = 10;
/**
 * Returns the milliseconds before a kill. The result depends only on the number of the kill, so that a failure can be
 * reproduced.
 */
const killAfterMs = (kill: number): number => 20 + (kill * 7919) % 500;

let workers: WorkerStack;
let server: EffectServer;
let owner: FlowOwner;

beforeAll(async () => {
  [workers, server] = await Promise.all([makeWorkerStack('kill'), startEffectServer(15)]);
  owner = await workers.addOwner();
});
afterAll(() => Promise.all([workers?.remove(), server?.close()]));

/**
 * Starts a worker. Every second worker reaches the database through PostgREST, the others by connections of their own.
 */
const newWorker = (kill: number): WorkerProcess =>
  startWorker({
    status: workers.stack.status,
    over: kill % 2 === 0 ? 'PostgREST' : 'Postgres',
    runtime: 'deno',
    // With so many kills, a run may lose many workers in a row without a fault of its own.
    env: { RUNNER_LEASE_SECONDS: '3', RUNNER_MAX_LOST_CLAIMS: '1000', RUNNER_CONCURRENCY: '8' },
  });

/** Stores the flows under test, by the names of their kinds. */
async function storeFlows(): Promise<Record<string, number>> {
  const store = (flow: FlowBuilder) => owner.storeFlow(flow);
  const chain = await store(chainFlow(5));
  return {
    chain: await store(chainFlow(40)),
    loop: await store(loopFlow()),
    wait: await store(waitFlow(120)),
    call: await store(callingFlow(chain)),
    post: await store(postingFlow()),
  };
}

it(
  `every run ends with its usual output while ${KILLS} workers are killed, and no outside effect happens twice`,
  async () => {
    const flows = await storeFlows();
    const kinds = Object.keys(flows);
    const inputsOf = (kind: string, run: number): ValueMap =>
      kind === 'post' ? { url: { S: `${server.url}/${run}` } } : { n: integer(run % INPUTS) };

    // First run each kind once with each input, without kills.
    const calm = newWorker(0);
    const expected = new Map<string, EndedRun['output']>();
    for (const kind of kinds.filter((kind) => kind !== 'post')) {
      const inputs = Array.from({ length: INPUTS }, (_, run) => inputsOf(kind, run));
      const ended = await workers.ended(await owner.start(flows[kind]!, inputs));
      for (const [run, { status, output }] of ended.entries()) {
        expect(status).toBe('succeeded');
        expected.set(`${kind} ${run}`, output);
      }
    }
    expect(await calm.end('SIGTERM')).toBe(0);

    const runIds = new Map<string, { kind: string; run: number }>();
    const startSome = async (from: number, count: number) => {
      for (const [index, kind] of kinds.entries()) {
        const runs = Array.from({ length: count }, (_, run) => from + run).filter((run) =>
          run % kinds.length === index
        );
        const ids = await owner.start(flows[kind]!, runs.map((run) => inputsOf(kind, run)));
        ids.forEach((id, position) => runIds.set(id, { kind, run: runs[position]! }));
      }
    };
    let kills = 0;
    const killOnAndOn = async () => {
      while (kills < KILLS) {
        const kill = kills++;
        const worker = newWorker(kill);
        await Promise.all([worker.ready(), startSome(kill * 10, 10)]);
        await new Promise((resolve) => setTimeout(resolve, killAfterMs(kill)));
        expect(await worker.end('SIGKILL')).toBe('SIGKILL');
      }
    };
    await Promise.all([killOnAndOn(), killOnAndOn()]);
    expect(runIds.size).toBe(RUNS);
    const last = newWorker(1);
    const ended = await workers.ended([...runIds.keys()]);
    await last.end('SIGTERM');

    let unknownOutcomes = 0;
    for (const { id, status, output, errors } of ended) {
      const { kind, run } = runIds.get(id)!;
      if (kind !== 'post') {
        expect({ kind, run, status, output, errors }).toEqual({
          kind,
          run,
          status: 'succeeded',
          output: expected.get(`${kind} ${run % INPUTS}`),
          errors: null,
        });
        continue;
      }
      const count = server.counts.get(`/${run}`) ?? 0;
      if (status === 'succeeded') {
        expect([run, output, count]).toEqual([run, { M: { out: { M: { path: { S: `/${run}` } } } } }, 1]);
      } else {
        // The request of the run was under way when its worker died. The request's effect is unknown, and the run
        // reports that.
        unknownOutcomes++;
        expect(errors).toEqual([expect.stringMatching(/^Post [0-9a-f-]{36}: outcome_unknown: /)]);
        expect(count).toBeLessThanOrEqual(1);
      }
    }
    const [numbers] = await workers.sql`
    select count(*) filter (where j.claim_number > 1)::integer as taken_over, max(j.claim_number) as most_claims
    from private.flow_run_jobs as j where j.flow_run_id = any (${[...runIds.keys()]}::uuid[])`;
    console.log(JSON.stringify({ kills: KILLS, runs: RUNS, ...numbers, unknown_outcomes: unknownOutcomes }));
    // If kills disturbed no run, the test would prove nothing.
    expect(numbers?.taken_over).toBeGreaterThan(KILLS / 10);

    const [left] = await workers.sql`
    select
      (select count(*)::integer from private.flow_run_jobs where state <> 'ended') as jobs,
      (select count(*)::integer from public.flow_run where end_time is null) as unended,
      (select count(*)::integer from public.node_run as n join public.flow_run as r on r.id = n.flow_run_id
        where n.end_time is null and r.status = 'succeeded') as unended_nodes`;
    expect(left).toEqual({ jobs: 0, unended: 0, unended_nodes: 0 });
  },
  600_000,
);
