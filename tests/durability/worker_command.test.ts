import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFunctionsDir } from '../../supabase/local/functions.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { startWorker } from '../support/worker_process.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('command', {
    functionsDir: projectFunctionsDir,
    watch: false,
    sweep: false,
    functionEnv: { RUNNER_DISABLED: '1' },
  });
});
afterAll(() => workers?.remove());

const poke = async () => {
  const { FUNCTIONS_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const response = await fetch(`${FUNCTIONS_URL}/runner`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SERVICE_ROLE_KEY}` },
  });
  return [response.status, await response.json()];
};

it('a function runner that is disabled leaves all runs to workers', async () => {
  const owner = await workers.addOwner();
  const ids = await owner.start(await owner.storeFlow(chainFlow(2)), [{ n: integer(1) }]);
  expect(await poke()).toEqual([202, { status: 'disabled' }]);
  const worker = startWorker({ status: workers.stack.status });
  expect(await workers.ended(ids)).toMatchObject([{ status: 'succeeded' }]);
  expect(await worker.end('SIGTERM')).toBe(0);
  expect(worker.events().filter(({ event }) => event === 'run_finished')).toMatchObject([{
    level: 'info',
    status: 'succeeded',
    errors: 0,
    flow_run_id: ids[0],
    attempt: 1,
    node_executions: 4,
    duration_ms: expect.any(Number),
  }]);
});

it('a worker whose key is not that of the service role ends and says so', async () => {
  const { ANON_KEY } = workers.stack.status;
  const worker = startWorker({ status: { ...workers.stack.status, SERVICE_ROLE_KEY: ANON_KEY } });
  let said = '';
  worker.process.stderr?.on('data', (text) => said += text);
  const code = await new Promise((resolve) => worker.process.once('exit', resolve));
  expect(code).toBe(1);
  expect(said).toContain('The project refuses the key as one of the service role');
});
