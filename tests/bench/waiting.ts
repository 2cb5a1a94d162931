import { waitFlow } from '../support/mixed_flows.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker } from '../support/worker_process.ts';
import { type BenchStack, withBenchStack, withFunctions } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { makeHttpClient } from './http_client.ts';
import type { Plan } from './plan.ts';
import { percentile } from './statistics.ts';

const CALLERS = 200;
const RUN_SECONDS = 5;
/** The milliseconds after the end of a run within which its caller must have the answer. */
const ANSWER_MS = 300;

/** The result of one measurement of all callers. */
interface Waited {
  /** The database's queries for the callers, per second and caller. */
  queries: number;
  /** The milliseconds between the end of each run and its answer. */
  delays: number[];
}

/**
 * Counts the queries of waiting calls. Before each of its queries, PostgREST runs another query that sets the caller;
 * these are not counted.
 */
async function countQueries({ sql }: BenchStack): Promise<number> {
  const [row] = await sql`
    select coalesce(sum(calls), 0)::integer as calls from pg_stat_statements
    where toplevel and query ~ 'pgrst_source' and query ~ '"public"\\."(await_)?flow_run(_result)?"'`;
  return row!.calls;
}

async function waitForAll(bench: BenchStack, flowId: number, callers: number): Promise<Waited> {
  const { owner, status, sql } = bench;
  const client = makeHttpClient(callers);
  const headers = { authorization: `Bearer ${owner.token}` };
  const runIds = await bench.startFlow(flowId, Array.from({ length: callers }, () => ({ n: { U: '7' } })));
  await waitFor(async () => {
    const [row] = await sql`select count(*)::integer as count from public.flow_run where status = 'queued'`;
    return row!.count === 0 || undefined;
  });
  const before = await countQueries(bench);
  const began = Date.now();
  try {
    const answers = await Promise.all(runIds.map(async (id) => {
      const url = `${status.FUNCTIONS_URL}/flow/output/${id}?wait=25`;
      const output = await client.send({ url, method: 'GET', headers });
      if (output !== '{"M":{"out":{"U":"7"}}}') throw new Error(`run ${id} gave ${output}`);
      return { id, at: Date.now() };
    }));
    const seconds = (Date.now() - began) / 1_000;
    const queries = (await countQueries(bench) - before) / seconds / callers;
    const ends = await sql`
      select id, extract(epoch from end_time) * 1000 as at from public.flow_run where id = any (${runIds}::uuid[])`;
    const endOf = new Map(ends.map((run) => [run.id, Number(run.at)]));
    return { queries, delays: answers.map(({ id, at }) => at - endOf.get(id)!) };
  } finally {
    client.close();
  }
}

/** Measures the cost of waiting for many runs, and the delay of the answers after their ends. */
export const measureWaiting = (plan: Plan): Promise<Part[]> =>
  withBenchStack('waiting', async (bench) => {
    await bench.sql`create extension pg_stat_statements`;
    const callers = Math.max(CALLERS / plan.shrink, 10);
    const flowId = await bench.storeFlow(waitFlow(RUN_SECONDS * 1_000));
    const worker = startWorker({ status: bench.status, env: { RUNNER_CONCURRENCY: String(callers) } });
    const rounds: Waited[] = [];
    try {
      await worker.ready();
      for (let round = 0; round < plan.rounds; round++) rounds.push(await waitForAll(bench, flowId, callers));
    } finally {
      await worker.end('SIGTERM');
    }
    const against = (baseline: number, of: (waited: Waited) => number): Round[] =>
      rounds.map((waited) => ({ measured: of(waited), baseline }));
    return [
      makePart({
        name: `${callers} callers: queries a second and caller, against one`,
        unit: 'queries',
        goal: 1,
        rounds: against(1, ({ queries }) => queries),
      }),
      makePart({
        name: `the last answer after the end of its run, against ${ANSWER_MS} ms`,
        unit: 'ms',
        goal: 1,
        rounds: against(ANSWER_MS, ({ delays }) => Math.max(...delays)),
      }),
      makePart({
        name: `the median answer after the end of its run, against ${ANSWER_MS} ms`,
        unit: 'ms',
        rounds: against(ANSWER_MS, ({ delays }) => percentile(delays, 0.5)),
      }),
    ];
  }, {
    ...withFunctions,
    functionEnv: { RUNNER_DISABLED: '1' },
    postgresSettings: { shared_preload_libraries: 'pg_stat_statements' },
  });
