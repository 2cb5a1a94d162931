import { textFlow } from '../support/flow_builder.ts';
import { type BenchStack, withBenchStack, withFunctions } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { makeHttpClient } from './http_client.ts';
import type { Plan } from './plan.ts';
import { percentile } from './statistics.ts';

const P50_GOAL = 2;
const P99_GOAL = 10;
/** Runs of a round, one at a time; as many more warm up. */
const RUNS = 60;
/** Printed beside, without goals: runs in flight, and how many runs that takes. */
const IN_FLIGHT = [10, 100];
const RUNS_IN_FLIGHT = 300;

/** Milliseconds of a start alone, and until the run's output was there. */
interface Timed {
  start: number;
  finished: number;
}

function makeTimedRun({ owner, status }: BenchStack, deploymentId: string) {
  const client = makeHttpClient(IN_FLIGHT.at(-1)!);
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
  const startUrl = `${status.FUNCTIONS_URL}/deployment/start?id=${deploymentId}`;
  const body = JSON.stringify({ inputs: { value: { D: '7' } } });
  const run = async (): Promise<Timed> => {
    const began = performance.now();
    const { flow_run_id } = JSON.parse(await client.send({ url: startUrl, method: 'POST', headers, body }));
    const start = performance.now() - began;
    const url = `${status.FUNCTIONS_URL}/flow/output/${flow_run_id}?wait=25`;
    const output = await client.send({ url, method: 'GET', headers });
    const finished = performance.now() - began;
    if (output !== '{"M":{"text":{"S":"7"}}}') throw new Error(`the run gave ${output}`);
    return { start, finished };
  };
  return { run, close: client.close };
}

/** So many runs, so many of them at a time. */
async function runMany(run: () => Promise<Timed>, count: number, inFlight: number): Promise<Timed[]> {
  const timed: Timed[] = [];
  let left = count;
  const keepRunning = async (): Promise<void> => {
    while (left-- > 0) timed.push(await run());
  };
  await Promise.all(Array.from({ length: inFlight }, keepRunning));
  return timed;
}

const roundOf = (timed: Timed[], share: number): Round => ({
  measured: percentile(timed.map(({ finished }) => finished), share),
  baseline: percentile(timed.map(({ start }) => start), share),
});

/** From the start of a three-node flow until its caller has the output, against the start alone, both over HTTP. */
export const measureRunLatency = (plan: Plan): Promise<Part[]> =>
  withBenchStack('run-latency', async (bench) => {
    const { run, close } = makeTimedRun(bench, await bench.deploy(await bench.storeFlow(textFlow())));
    const p50: Round[] = [];
    const p99: Round[] = [];
    const busy = IN_FLIGHT.map((inFlight) => ({ inFlight, rounds: [] as Round[] }));
    const count = Math.ceil(RUNS / Math.min(plan.shrink, 10));
    const busyCount = Math.ceil(RUNS_IN_FLIGHT / Math.min(plan.shrink, 3));
    try {
      await runMany(run, count, 1);
      for (let round = 0; round < plan.rounds; round++) {
        const timed = await runMany(run, count, 1);
        p50.push(roundOf(timed, 0.5));
        p99.push({ ...roundOf(timed, 0.99), baseline: roundOf(timed, 0.5).baseline });
        for (const { inFlight, rounds } of busy) rounds.push(roundOf(await runMany(run, busyCount, inFlight), 0.5));
      }
    } finally {
      close();
    }
    return [
      makePart({ name: 'one at a time, p50', unit: 'ms', goal: P50_GOAL, rounds: p50 }),
      makePart({ name: "one at a time, p99 against the start's p50", unit: 'ms', goal: P99_GOAL, rounds: p99 }),
      ...busy.map(({ inFlight, rounds }) => makePart({ name: `${inFlight} in flight, p50`, unit: 'ms', rounds })),
    ];
  }, withFunctions);
