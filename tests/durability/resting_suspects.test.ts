import { afterAll, beforeAll, expect, it } from 'vitest';
import { chainFlow, waitFlow } from '../support/mixed_flows.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const SLEEPERS = 12;
const LEASE_SECONDS = 6;

let workers: WorkerStack;
let worker: WorkerProcess | undefined;
beforeAll(async () => {
  workers = await makeWorkerStack('resting');
});
afterAll(async () => {
  worker?.process.kill('SIGKILL');
  await workers?.remove();
});

const newWorker = () =>
  startWorker({
    status: workers.stack.status,
    runtime: 'deno',
    env: {
      RUNNER_LEASE_SECONDS: String(LEASE_SECONDS),
      RUNNER_MAX_LOST_CLAIMS: '1000',
      RUNNER_LONG_WAIT_MS: '3600001',
    },
  });

it('runs that waited while several of their workers were lost delay no other run', async () => {
  const owner = await workers.addOwner();
  const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ n: integer(n) }));
  const sleepers = await owner.start(await owner.storeFlow(waitFlow(3_600_000)), inputs(SLEEPERS));
  const allHeld = () =>
    waitFor(async () => {
      const [held] = await workers.sql`
        select count(*)::integer as count from private.flow_run_jobs as j
        where j.flow_run_id = any (${sleepers}::uuid[]) and j.state = 'held' and j.due_at > now()`;
      return held?.count === SLEEPERS || undefined;
    });
  const setFree = () => workers.sql`update private.flow_run_jobs set due_at = now() where due_at is not null`;
  worker = newWorker();
  await allHeld();
  await worker.end('SIGKILL');
  // Simulates that several more workers were lost while they held these runs.
  await workers
    .sql`update private.flow_run_jobs set lost_claim_count = 3 where flow_run_id = any (${sleepers}::uuid[])`;
  await setFree();

  worker = newWorker();
  await worker.ready();
  const began = Date.now();
  const others = await owner.start(await owner.storeFlow(chainFlow(5)), inputs(20));
  const ended = await workers.ended(others);
  expect(ended.map(({ status }) => status)).toEqual(others.map(() => 'succeeded'));
  await allHeld();
  // If each run were executed alone, and each took a lease, this part of the test would take more than a minute.
  expect(Date.now() - began).toBeLessThan(LEASE_SECONDS * 5_000);
});
