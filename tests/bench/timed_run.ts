import { textFlow } from '../support/flow_builder.ts';
import type { BenchStack } from './bench_stack.ts';
import type { Round } from './figure.ts';
import type { HttpClient } from './http_client.ts';
import { percentile } from './statistics.ts';

/** Milliseconds of a start alone, and until the run's output was there. */
export interface Timed {
  flowRunId: string;
  /** Milliseconds since 1970 when the request for the start was sent, by the clock that the database has too. */
  beganAt: number;
  start: number;
  finished: number;
}

/** How a run is started, and its output read; relative to the functions' address. */
export interface Run {
  startPath: string;
  body: object;
  outputPath: (flowRunId: string) => string;
  output: string;
}

export function makeTimedRun(
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
export async function runMany(run: () => Promise<Timed>, count: number, inFlight: number): Promise<Timed[]> {
  const timed: Timed[] = [];
  let left = count;
  const keepRunning = async (): Promise<void> => {
    while (left-- > 0) timed.push(await run());
  };
  await Promise.all(Array.from({ length: inFlight }, keepRunning));
  return timed;
}

export const roundOf = (timed: Timed[], share: number): Round => ({
  measured: percentile(timed.map(({ finished }) => finished), share),
  baseline: percentile(timed.map(({ start }) => start), share),
});

/** Until the run itself has ended, as its `end_time` says: its caller hears of it later. */
export async function medianEnd({ sql }: BenchStack, timed: Timed[]): Promise<number> {
  const rows = await sql<{ id: string; ended_at: number }[]>`
    select id, (extract(epoch from end_time) * 1000)::float8 as ended_at
    from public.flow_run where id = any (${timed.map(({ flowRunId }) => flowRunId)}::uuid[])`;
  const endedAt = new Map(rows.map((row) => [row.id, row.ended_at]));
  return percentile(timed.map(({ flowRunId, beganAt }) => endedAt.get(flowRunId)! - beganAt), 0.5);
}

/** The flow of three nodes, deployed, and what its run gives. */
export async function makeTextRun(bench: BenchStack) {
  const deploymentId = await bench.deploy(await bench.storeFlow(textFlow()));
  const inputs = { value: { D: '7' } };
  const run: Run = {
    startPath: `/deployment/start?id=${deploymentId}`,
    body: { inputs },
    outputPath: (id) => `/flow/output/${id}?wait=25`,
    output: '{"M":{"text":{"S":"7"}}}',
  };
  return { run, body: { deployment_id: deploymentId, inputs } };
}
