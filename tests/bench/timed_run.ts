import { textFlow } from '../support/flow_builder.ts';
import type { BenchStack } from './bench_stack.ts';
import type { Round } from './figure.ts';
import type { HttpClient } from './http_client.ts';
import { percentile } from './statistics.ts';

/** The milliseconds of a run: of its start alone, and until its output arrived. */
export interface Timed {
  flowRunId: string;
  /** The time at which the start was sent, in milliseconds since 1970. The database uses the same clock. */
  beganAt: number;
  start: number;
  finished: number;
}

/** The requests that start a run and read its output, relative to the functions' address. */
interface Run {
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

/** Makes `count` runs, with `inFlight` of them at a time. */
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

/** Returns the median time until the run itself has ended, by its `end_time`. The caller learns of the end later. */
export async function medianEnd({ sql }: BenchStack, timed: Timed[]): Promise<number> {
  const rows = await sql<{ id: string; ended_at: number }[]>`
    select id, (extract(epoch from end_time) * 1000)::float8 as ended_at
    from public.flow_run where id = any (${timed.map(({ flowRunId }) => flowRunId)}::uuid[])`;
  const endedAt = new Map(rows.map((row) => [row.id, row.ended_at]));
  return percentile(timed.map(({ flowRunId, beganAt }) => endedAt.get(flowRunId)! - beganAt), 0.5);
}

/** Deploys the flow of three nodes, and returns its expected output. */
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
