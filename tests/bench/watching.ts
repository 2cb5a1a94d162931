import { setTimeout as pause } from 'node:timers/promises';
import { readEvents } from '../../client/requests/event_stream.ts';
import { textFlow } from '../support/flow_builder.ts';
import { waitFor } from '../support/wait.ts';
import { type BenchStack, withBenchStack, withFunctions } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import type { Plan } from './plan.ts';
import { percentile } from './statistics.ts';

const WATCHERS = 200;
/** The milliseconds between two transactions that each store an event, and the duration of the load. */
const STORE_EVERY_MS = 20;
const LOAD_MS = 8_000;
/** The milliseconds without events before the idle queries are counted. */
const QUIET_MS = 10_000;
/** The milliseconds from an event's commit within which each watcher must receive the event. */
const DELAY_MS = 300;

/** The result of one load. */
interface Watched {
  /** The database's queries for all watchers, per second. */
  queries: number;
  /** The queries per second while no events come. */
  idleQueries: number;
  /** The milliseconds between the commit of each event and its arrival. */
  delays: number[];
}

/**
 * Counts the function's queries for all watchers. Does not count the first query of each watcher.
 */
async function countQueries({ sql }: BenchStack): Promise<number> {
  const [row] = await sql`
    select coalesce(sum(calls), 0)::integer as calls from pg_stat_statements
    where toplevel and query ~ 'watched_run_events'`;
  return row!['calls'];
}

async function queriesASecond(bench: BenchStack, work: () => Promise<void>): Promise<number> {
  const before = await countQueries(bench);
  const began = performance.now();
  await work();
  return (await countQueries(bench) - before) / ((performance.now() - began) / 1_000);
}

/** Starts runs and claims them, so that no worker executes them. */
async function claimRuns(bench: BenchStack, count: number): Promise<string[]> {
  const ids = await bench.startFlow(
    await bench.storeFlow(textFlow()),
    Array.from({ length: count }, () => ({ value: { U: '7' } })),
  );
  await bench.sql`select public.claim_flow_runs(${count}, 3600)`;
  return ids;
}

async function watchAll(bench: BenchStack, watchers: number): Promise<Watched> {
  const { sql, status, owner } = bench;
  const ids = await claimRuns(bench, watchers);
  const arrived = new Map<string, number>();
  const gone = new AbortController();
  let connected = 0;
  const watching = ids.map(async (id) => {
    const response = await fetch(`${status.FUNCTIONS_URL}/flow/events/${id}`, {
      headers: { authorization: `Bearer ${owner.token}` },
      signal: gone.signal,
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    for await (const { id: number } of readEvents(response.body!)) {
      arrived.set(`${id} ${number}`, performance.now());
      if (number === 1) connected++;
    }
  });
  const over = Promise.allSettled(watching);
  try {
    await Promise.race([
      waitFor(() => connected === watchers || undefined),
      Promise.all(watching).then(() => Promise.reject(new Error('the streams have ended'))),
    ]);
    // After this time without events, the function looks as rarely as it ever does.
    await pause(QUIET_MS);
    const idleQueries = await queriesASecond(bench, () => pause(LOAD_MS / 2));
    const committed = new Map<string, number>();
    const stored = new Map<string, number>();
    const queries = await queriesASecond(bench, async () => {
      const began = performance.now();
      for (let index = 0; performance.now() - began < LOAD_MS; index++) {
        const id = ids[index % ids.length]!;
        const number = (stored.get(id) ?? 1) + 1;
        stored.set(id, number);
        const node_run = {
          flow_run_id: id,
          node_id: '10000000-0000-4000-8000-000000000001',
          times: index,
          start_time: new Date().toISOString(),
          end_time: null,
          input: { M: {} },
          output: null,
          errors: null,
          start_position: 1,
          end_position: null,
        };
        const progress = {
          children: [],
          node_runs: [node_run],
          transactions: [],
          logs: [],
          work_ms: 0,
          output_bytes: 0,
        };
        await sql`select public.checkpoint_flow_run(${id}, 1, 3600, ${sql.json(progress)})`;
        committed.set(`${id} ${number}`, performance.now());
        await pause(STORE_EVERY_MS);
      }
    });
    await waitFor(() => [...committed.keys()].every((key) => arrived.has(key)) || undefined);
    const delays = [...committed].map(([key, at]) => Math.max(arrived.get(key)! - at, 0));
    return { queries, idleQueries, delays };
  } finally {
    gone.abort();
    await over;
  }
}

/** Measures the cost of watching many runs that have few events, and the delay of the events. */
export const measureWatching = async (plan: Plan): Promise<Part[]> => {
  const watchers = Math.max(WATCHERS / plan.shrink, 10);
  const watched = await withBenchStack('watching', async (bench) => {
    await bench.sql`create extension pg_stat_statements`;
    const rounds: Watched[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      rounds.push(await watchAll(bench, watchers));
      await bench.clearRuns();
    }
    return rounds;
  }, {
    ...withFunctions,
    functionEnv: { RUNNER_DISABLED: '1' },
    postgresSettings: { shared_preload_libraries: 'pg_stat_statements' },
  });
  const against = (baseline: number, of: (watched: Watched) => number): Round[] =>
    watched.map((round) => ({ measured: of(round), baseline }));
  return [
    makePart({
      name: `${watchers} watchers: an event after its commit, p99, against ${DELAY_MS} ms`,
      unit: 'ms',
      goal: 1,
      rounds: against(DELAY_MS, ({ delays }) => percentile(delays, 0.99)),
    }),
    makePart({
      name: `${watchers} watchers: an event after its commit, p50, against ${DELAY_MS} ms`,
      unit: 'ms',
      rounds: against(DELAY_MS, ({ delays }) => percentile(delays, 0.5)),
    }),
    makePart({
      name: 'queries a second of all watchers while nothing happens, against one',
      unit: 'queries',
      goal: 1,
      rounds: against(1, ({ idleQueries }) => idleQueries),
    }),
    makePart({
      name: `the same while an event is stored every ${STORE_EVERY_MS} ms`,
      unit: 'queries',
      rounds: against(1, ({ queries }) => queries),
    }),
  ];
};
