import { type BenchStack, withBenchStack, withFunctions } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { makeHttpClient } from './http_client.ts';
import type { Plan } from './plan.ts';
import { makeTextRun, makeTimedRun, medianEnd, roundOf, runMany, type Timed } from './timed_run.ts';
import { addWorker } from './worker_load.ts';

const P50_GOAL = 2.3;
const P99_GOAL = 10;
/** The runs of a round, one at a time. As many more runs come first, to warm up. */
const RUNS = 300;
/** The numbers of concurrent runs, and the total of runs for each. Their results have no goals and are only printed. */
const IN_FLIGHT = [10, 100];
const RUNS_IN_FLIGHT = 300;

/** The rounds of runs that are made one at a time. Each list times the runs up to a different moment. */
interface Latency {
  /** The time until the caller has the output. */
  p50: Round[];
  p99: Round[];
  /** The time until the run itself has ended. */
  ended: Round[];
}

async function addRound({ p50, p99, ended }: Latency, bench: BenchStack, timed: Timed[]): Promise<void> {
  const half = roundOf(timed, 0.5);
  p50.push(half);
  p99.push({ ...half, measured: roundOf(timed, 0.99).measured });
  ended.push({ ...half, measured: await medianEnd(bench, timed) });
}

/** Measures with a long-lived worker over Postgres. The function `runner` is never called. */
const measureWithWorker = (plan: Plan): Promise<Part[]> =>
  withBenchStack('run-latency-worker', async (bench) => {
    const client = makeHttpClient(1);
    const run = makeTimedRun(bench, client, (await makeTextRun(bench)).run);
    const worker = await addWorker(bench);
    const latency: Latency = { p50: [], p99: [], ended: [] };
    const count = Math.ceil(RUNS / Math.min(plan.shrink, 10));
    try {
      await runMany(run, count, 1);
      for (let round = 0; round < plan.rounds; round++) {
        await addRound(latency, bench, await runMany(run, count, 1));
      }
    } finally {
      client.close();
      await worker.end('SIGTERM');
    }
    return [
      makePart({ name: 'a worker over Postgres, p50', unit: 'ms', goal: P50_GOAL, rounds: latency.p50 }),
      makePart({
        name: "a worker over Postgres, p99 against the start's p50",
        unit: 'ms',
        goal: P99_GOAL,
        rounds: latency.p99,
      }),
      makePart({
        name: 'a worker over Postgres, until the run itself has ended, p50',
        unit: 'ms',
        rounds: latency.ended,
      }),
    ];
  }, { ...withFunctions, functionEnv: { RUNNER_DISABLED: '1' } });

/** Measures with the function `runner`, which reaches the database through PostgREST. */
const measureWithFunction = (plan: Plan): Promise<Part[]> =>
  withBenchStack('run-latency', async (bench) => {
    const text = await makeTextRun(bench);
    const client = makeHttpClient(IN_FLIGHT.at(-1)!);
    const run = makeTimedRun(bench, client, text.run);
    const makeCallsAlone = (startPath: string) =>
      makeTimedRun(bench, client, { startPath, body: text.body, outputPath: () => '/calls/output', output: '{}' });
    const callsAlone = makeCallsAlone('/calls/start-unclaimed');
    const callsWithoutClaim = makeCallsAlone('/calls/start-claimed');
    const latency: Latency = { p50: [], p99: [], ended: [] };
    const alone: Round[] = [];
    const withoutClaim: Round[] = [];
    const busy = IN_FLIGHT.map((inFlight) => ({ inFlight, rounds: [] as Round[] }));
    const count = Math.ceil(RUNS / Math.min(plan.shrink, 10));
    const busyCount = Math.ceil(RUNS_IN_FLIGHT / Math.min(plan.shrink, 3));
    try {
      await runMany(run, count, 1);
      await runMany(callsAlone, count, 1);
      await runMany(callsWithoutClaim, count, 1);
      for (let round = 0; round < plan.rounds; round++) {
        await addRound(latency, bench, await runMany(run, count, 1));
        alone.push(roundOf(await runMany(callsAlone, count, 1), 0.5));
        withoutClaim.push(roundOf(await runMany(callsWithoutClaim, count, 1), 0.5));
        for (const { inFlight, rounds } of busy) rounds.push(roundOf(await runMany(run, busyCount, inFlight), 0.5));
      }
    } finally {
      client.close();
    }
    return [
      makePart({ name: 'the function, one at a time, p50', unit: 'ms', rounds: latency.p50 }),
      makePart({ name: "the function, one at a time, p99 against the start's p50", unit: 'ms', rounds: latency.p99 }),
      makePart({ name: 'the function, until the run itself has ended, p50', unit: 'ms', rounds: latency.ended }),
      // The calls of a run, without the run's work. A run over the same functions and PostgREST can't take less time.
      makePart({ name: 'its calls alone, against a start that only forwards, p50', unit: 'ms', rounds: alone }),
      makePart({ name: 'the same without the call for the claim, p50', unit: 'ms', rounds: withoutClaim }),
      ...busy.map(({ inFlight, rounds }) =>
        makePart({ name: `the function, ${inFlight} in flight, p50`, unit: 'ms', rounds })
      ),
    ];
  }, withFunctions);

/**
 * Measures the time from the start of a three-node flow until its caller has the output. The baseline is the start
 * alone. Both go over HTTP.
 */
export const measureRunLatency = async (plan: Plan): Promise<Part[]> => [
  ...await measureWithWorker(plan),
  ...await measureWithFunction(plan),
];
