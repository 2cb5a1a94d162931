import { expressionsFlow, scriptsFlow } from '../support/computing_flows.ts';
import { type BenchStack, withBenchStack, withFunctions } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import type { Plan } from './plan.ts';
import { percentile } from './statistics.ts';

/** The milliseconds within which a function answers a small request while it computes. */
const ANSWER_MS = 100;
const SCRIPTS = 300;

/** Sends small requests one after the other until the work is over. Returns the p99 of their times. */
async function answerTimes(url: string, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.finally(() => isOver = true);
  const times: number[] = [];
  do {
    const began = performance.now();
    // Without the secret key, each route answers 404.
    await (await fetch(url, { method: 'POST' })).body?.cancel();
    times.push(performance.now() - began);
  } while (!isOver);
  await over;
  return percentile(times, 0.99);
}

const post = async ({ status, owner }: BenchStack, path: string): Promise<string> => {
  const response = await fetch(`${status.FUNCTIONS_URL}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}` },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.text();
};

/** Measures the answers of a function while it executes a run of many scripts, and while it parses many expressions. */
export const measureAnswers = (plan: Plan): Promise<Part[]> =>
  withBenchStack('computing', async (bench) => {
    const { FUNCTIONS_URL } = bench.status;
    const count = Math.max(SCRIPTS / plan.shrink, 10);
    const scripts = await bench.storeFlow(scriptsFlow(count));
    const expressions = await bench.storeFlow(expressionsFlow(count));
    const run = async (): Promise<void> => {
      const { flow_run_id } = JSON.parse(await post(bench, `flow/start/${scripts}`)) as { flow_run_id: string };
      const output = `${FUNCTIONS_URL}/flow/output/${flow_run_id}?wait=25`;
      while ((await fetch(output, { headers: { authorization: `Bearer ${bench.owner.token}` } })).status === 202);
    };
    // The first use loads the sandbox.
    await run();
    await post(bench, `flow/deploy/${expressions}`);
    const rounds: { run: Round[]; deploy: Round[] } = { run: [], deploy: [] };
    for (let round = 0; round < plan.rounds; round++) {
      const ran = await answerTimes(`${FUNCTIONS_URL}/runner`, run());
      rounds.run.push({ measured: ran, baseline: ANSWER_MS });
      const deployed = await answerTimes(`${FUNCTIONS_URL}/flow/none`, post(bench, `flow/deploy/${expressions}`));
      rounds.deploy.push({ measured: deployed, baseline: ANSWER_MS });
    }
    return [
      makePart({
        name: `a small request while a run of ${count} scripts computes, p99, against ${ANSWER_MS} ms`,
        unit: 'ms',
        goal: 1,
        rounds: rounds.run,
      }),
      makePart({
        name: `a small request while ${count} expressions are parsed, p99, against ${ANSWER_MS} ms`,
        unit: 'ms',
        goal: 1,
        rounds: rounds.deploy,
      }),
    ];
  }, withFunctions);
