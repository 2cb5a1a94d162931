import { textFlow } from '../support/flow_builder.ts';
import { withBenchStack, withFunctions } from './bench_stack.ts';
import { makePart, type Part } from './figure.ts';
import type { HttpCall } from './http_client.ts';
import { startHttpLoadGenerator } from './http_load.ts';
import { type LoadResult, takeLoadRounds } from './load.ts';
import type { Plan } from './plan.ts';
import { percentile } from './statistics.ts';

const CONNECTIONS = 16;
const THROUGHPUT_GOAL = 0.8;
const P99_GOAL = 2;

/** The three ways to start. */
type Way = 'start' | 'forwarded' | 'postgrest';

/**
 * Measures starts per second and their latency over HTTP. The baseline is the bare start in SQL: once through a
 * function that forwards it, and once through PostgREST alone.
 */
export const measureStartHttp = (plan: Plan): Promise<Part[]> =>
  withBenchStack('start-http', async (bench) => {
    const { owner, status } = bench;
    const deploymentId = await bench.deploy(await bench.storeFlow(textFlow()));
    const inputs = { value: { D: '7' } };
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    const bareBody = JSON.stringify({ deployment_id: deploymentId, inputs });
    const calls: Record<Way, HttpCall> = {
      start: {
        url: `${status.FUNCTIONS_URL}/deployment/start?id=${deploymentId}`,
        method: 'POST',
        headers,
        body: JSON.stringify({ inputs }),
      },
      forwarded: { url: `${status.FUNCTIONS_URL}/bare`, method: 'POST', headers, body: bareBody },
      postgrest: {
        url: `${status.API_URL}/rest/v1/rpc/start`,
        method: 'POST',
        headers: { ...headers, apikey: status.ANON_KEY, 'content-profile': 'bench' },
        body: bareBody,
      },
    };
    const generator = startHttpLoadGenerator();
    try {
      const load = (way: Way) => (durationMs: number): Promise<LoadResult> =>
        generator.run({ ...calls[way], connections: CONNECTIONS, durationMs });
      const loads = { start: load('start'), forwarded: load('forwarded'), postgrest: load('postgrest') };
      // The first round is not counted, because the processes of the functions are still cold.
      await takeLoadRounds({ ...plan, rounds: 1 }, bench.clearRuns, loads);
      const rounds = await takeLoadRounds(plan, bench.clearRuns, loads);
      const against = (baseline: Way, of: (result: LoadResult) => number) =>
        rounds.map((round) => ({ measured: of(round.start), baseline: of(round[baseline]) }));
      const throughput = ({ perSecond }: LoadResult) => perSecond;
      const p99 = ({ latencies }: LoadResult) => percentile(latencies, 0.99);
      const perSecond = { unit: 'a second', goalKind: 'at least' } as const;
      return [
        makePart({
          ...perSecond,
          name: 'throughput, bare behind a function',
          goal: THROUGHPUT_GOAL,
          rounds: against('forwarded', throughput),
        }),
        makePart({
          name: 'p99, bare behind a function',
          unit: 'ms',
          goal: P99_GOAL,
          rounds: against('forwarded', p99),
        }),
        makePart({ ...perSecond, name: 'throughput, bare of PostgREST', rounds: against('postgrest', throughput) }),
      ];
    } finally {
      generator.close();
    }
    // No runner executes the runs, so that only the starts are measured.
  }, { ...withFunctions, functionEnv: { RUNNER_DISABLED: '1' } });
