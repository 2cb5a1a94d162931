import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { type ModelProvider, type ReceivedRequest, startModelProvider } from '../support/model_provider/index.ts';
import type { Script } from '../support/model_provider/scripts.ts';
import { startWorker } from '../support/worker_process.ts';
import { type FlowOwner, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';
import { waitFor } from '../support/wait.ts';

const SLICE_MS = 400;

/** Answers by the name of the model: the tests of this file run at the same time. */
const SCRIPTS: { [model: string]: Script } = {
  slow: { text: 'late', delayMs: 5 * SLICE_MS },
  endless: { text: 'so', fault: 'endless' },
};
const modelOf = ({ body }: ReceivedRequest) => String(body['model']);

let workers: WorkerStack;
let owner: FlowOwner;
let provider: ModelProvider;
const requestsOf = (model: string) => provider.requests.filter((request) => modelOf(request) === model).length;

beforeAll(async () => {
  provider = await startModelProvider((request) => SCRIPTS[modelOf(request)] ?? { text: 'no script' });
  workers = await makeWorkerStack('model_calls', {
    functions: ['runner'],
    watch: false,
    sweep: false,
    functionEnv: { RUNNER_SLICE_MS: String(SLICE_MS) },
  });
  owner = await workers.addOwner();
});
afterAll(async () => {
  await workers?.remove();
  await provider.close();
});

function chatFlow(model: string): FlowBuilder {
  const flow = new FlowBuilder();
  const form = { dialect: 'openai', base_url: provider.urls.openai, model, prompt: 'hello' };
  const chat = flow.node('ai_chat', { outputs: ['text'], form, title: 'chat' });
  flow.output('out', chat.output('text'));
  return flow;
}

/** Starts a run in the function. */
async function startInFunction(model: string): Promise<string> {
  const [runId] = await owner.start(await owner.storeFlow(chatFlow(model)), [{}]);
  const { FUNCTIONS_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const headers = { authorization: `Bearer ${SERVICE_ROLE_KEY}` };
  expect((await fetch(`${FUNCTIONS_URL}/runner`, { method: 'POST', headers })).status).toBe(202);
  return runId!;
}

it('in the function a call goes on after the end of the slice, and is not made again', async () => {
  const runId = await startInFunction('slow');
  const [run] = await workers.ended([runId]);
  expect(run).toMatchObject({ status: 'succeeded', output: { M: { out: { S: 'late' } } } });
  expect(requestsOf('slow')).toBe(1);
});

it('in the function a call fails 40 s after the end of the slice, and no claim makes it again', async () => {
  const runId = await startInFunction('endless');
  const [run] = await workers.ended([runId]);
  expect(run).toMatchObject({
    status: 'failed',
    errors: [expect.stringMatching(/^chat [0-9a-f-]{36}: model_call_too_long: .*npm run worker/)],
  });
  await expect.poll(() => provider.open()).toBe(0);
  expect(requestsOf('endless')).toBe(1);
  const [node] = await workers.sql`
    select extract(epoch from end_time - start_time)::float8 as seconds
    from public.node_run where flow_run_id = ${runId} and errors is not null`;
  expect(node?.seconds).toBeGreaterThanOrEqual(40);
});

it('a stop ends the call', async () => {
  SCRIPTS['stopped'] = { text: 'so', fault: 'endless' };
  const runId = await startInFunction('stopped');
  await waitFor(() => requestsOf('stopped') > 0 || undefined);
  await workers.sql`
    update private.flow_run_jobs set stop_requested_at = clock_timestamp(), stop_timeout_millies = 0
    where flow_run_id = ${runId}`;
  const [run] = await workers.ended([runId]);
  expect(run?.status).toBe('stopped');
});

it('a worker finishes a call although it has to end', async () => {
  SCRIPTS['slow too'] = { text: 'late', delayMs: 2_000 };
  await workers.stack.restart('function runner', 'SIGKILL');
  const worker = startWorker({ status: workers.stack.status, runtime: 'deno' });
  const [runId] = await owner.start(await owner.storeFlow(chatFlow('slow too')), [{}]);
  await waitFor(() => requestsOf('slow too') > 0 || undefined);
  expect(await worker.end('SIGTERM')).toBe(0);
  const [node] = await workers.sql`
    select output #>> '{M,text,S}' as text from public.node_run
    where flow_run_id = ${runId!} and output -> 'M' ? 'finish_reason'`;
  expect(node?.text).toBe('late');
  expect(requestsOf('slow too')).toBe(1);
});
