import { textFlow } from '../support/flow_builder.ts';
import { type BenchStack, withBenchStack, withFunctions } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { type HttpClient, makeHttpClient } from './http_client.ts';
import type { Plan } from './plan.ts';
import { percentile } from './statistics.ts';

const P50_GOAL = 2;
const P99_GOAL = 10;
/** Runs of a round, one at a time; as many more warm up. */
const RUNS = 300;
/** Printed beside, without goals: runs in flight, and how many runs that takes. */
const IN_FLIGHT = [10, 100];
const RUNS_IN_FLIGHT = 300;

/** Milliseconds of a start alone, and until the run's output was there. */
interface Timed {
  flowRunId: string;
  /** Milliseconds since 1970 when the request for the start was sent, by the clock that the database has too. */
  beganAt: number;
  start: number;
  finished: number;
}

/** How a run is started, and its output read; relative to the functions' address. */
interface Run {
  startPath: string;
  body: object;
  outputPath: (flowRunId: string) => string;
  output: string;
}

function makeTimedRun(
  { owner, status }: BenchStack,
  client: HttpClient,
  { startPath, body, outputPath, output }: Run,
): () => Promise<Timed> {
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
  const start = {
    url: `${status.FUNCTIONS_URL}${startPath}`,
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  } as const;
  return async () => {
    const began = performance.now();
    const { flow_run_id } = JSON.parse(await client.send(start));
    const started = performance.now();
    const read = await client.send({
      url: `${status.FUNCTIONS_URL}${outputPath(flow_run_id)}`,
      method: 'GET',
      headers,
    });
    const finished = performance.now();
    if (read !== output) throw new Error(`the run gave ${read}`);
    return {
      flowRunId: flow_run_id,
      beganAt: performance.timeOrigin + began,
      start: started - began,
      finished: finished - began,
    };
  };
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

/** Until the run itself has ended, as its `end_time` says: its caller hears of it later. */
async function medianEnd({ sql }: BenchStack, timed: Timed[]): Promise<number> {
  const rows = await sql<{ id: string; ended_at: number }[]>`
    select id, (extract(epoch from end_time) * 1000)::float8 as ended_at
    from public.flow_run where id = any (${timed.map(({ flowRunId }) => flowRunId)}::uuid[])`;
  const endedAt = new Map(rows.map((row) => [row.id, row.ended_at]));
  return percentile(timed.map(({ flowRunId, beganAt }) => endedAt.get(flowRunId)! - beganAt), 0.5);
}

/** From the start of a three-node flow until its caller has the output, against the start alone, both over HTTP. */
export const measureRunLatency = (plan: Plan): Promise<Part[]> =>
  withBenchStack('run-latency', async (bench) => {
    const deploymentId = await bench.deploy(await bench.storeFlow(textFlow()));
    const inputs = { value: { D: '7' } };
    const client = makeHttpClient(IN_FLIGHT.at(-1)!);
    const run = makeTimedRun(bench, client, {
      startPath: `/deployment/start?id=${deploymentId}`,
      body: { inputs },
      outputPath: (id) => `/flow/output/${id}?wait=25`,
      output: '{"M":{"text":{"S":"7"}}}',
    });
    const makeCallsAlone = (startPath: string) =>
      makeTimedRun(bench, client, {
        startPath,
        body: { deployment_id: deploymentId, inputs },
        outputPath: () => '/calls/output',
        output: '{}',
      });
    const callsAlone = makeCallsAlone('/calls/start-unclaimed');
    const callsWithoutClaim = makeCallsAlone('/calls/start-claimed');
    const p50: Round[] = [];
    const p99: Round[] = [];
    const ended: Round[] = [];
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
        const timed = await runMany(run, count, 1);
        const half = roundOf(timed, 0.5);
        p50.push(half);
        p99.push({ ...half, measured: roundOf(timed, 0.99).measured });
        ended.push({ ...half, measured: await medianEnd(bench, timed) });
        alone.push(roundOf(await runMany(callsAlone, count, 1), 0.5));
        withoutClaim.push(roundOf(await runMany(callsWithoutClaim, count, 1), 0.5));
        for (const { inFlight, rounds } of busy) rounds.push(roundOf(await runMany(run, busyCount, inFlight), 0.5));
      }
    } finally {
      client.close();
    }
    return [
      makePart({ name: 'one at a time, p50', unit: 'ms', goal: P50_GOAL, rounds: p50 }),
      makePart({ name: "one at a time, p99 against the start's p50", unit: 'ms', goal: P99_GOAL, rounds: p99 }),
      makePart({ name: 'one at a time, until the run itself has ended, p50', unit: 'ms', rounds: ended }),
      // The same number of calls on the same way: what the parts forbid.
      makePart({ name: 'its calls alone, against a start that only forwards, p50', unit: 'ms', rounds: alone }),
      makePart({ name: 'the same without the call for the claim, p50', unit: 'ms', rounds: withoutClaim }),
      ...busy.map(({ inFlight, rounds }) => makePart({ name: `${inFlight} in flight, p50`, unit: 'ms', rounds })),
    ];
  }, withFunctions);
