import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { answer, askingFlow } from '../support/pending_inputs.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** With this setting, a worker never releases a run because the run waits for a long time. */
const HOLDS = { RUNNER_LONG_WAIT_MS: '2147483647' };

let workers: WorkerStack;
let owner: FlowOwner;
beforeAll(async () => {
  workers = await makeWorkerStack('pending_inputs', { functions: ['flow'] });
  owner = await workers.addOwner();
});
afterAll(() => workers?.remove());

const started: WorkerProcess[] = [];
// End the workers by SIGTERM. If a worker were killed, the database could still execute the worker's last claim, and
// this claim would take the next test's run.
afterEach(() => Promise.all(started.splice(0).map((worker) => worker.end('SIGTERM'))));

function newWorker(env: Record<string, string> = {}, over?: 'PostgREST' | 'Postgres'): WorkerProcess {
  const worker = startWorker({
    status: workers.stack.status,
    runtime: 'deno',
    ...(over && { over }),
    env: {
      RUNNER_LEASE_SECONDS: '2',
      FLOW_URL: `${workers.stack.status.FUNCTIONS_URL}/flow`,
      ...env,
    },
  });
  started.push(worker);
  return worker;
}

async function startAsking(timeout?: number): Promise<string> {
  const flow = askingFlow(timeout === undefined ? {} : { timeout });
  const [id] = await owner.start(await owner.storeFlow(flow), [{}]);
  return id!;
}

/** Returns the URL of the run's input from the run's log, which keeps the URL after the input has ended. */
const urlOf = (runId: string): Promise<string> =>
  waitFor(async () => {
    const [row] = await workers.sql`
      select substring(content from 'http[^ ]*$') as url from public.flow_run_logs where flow_run_id = ${runId}`;
    return row?.url as string | undefined;
  });

const reached = (runId: string, status: string) =>
  waitFor(async () => {
    const [row] = await workers.sql`select status from public.flow_run where id = ${runId}`;
    return row?.status === status || undefined;
  });

/** Expects that the run succeeds with this output, has requested one input, and has one line in its log. */
async function expectAnswered(runId: string, text: string): Promise<void> {
  expect(await workers.ended([runId])).toMatchObject([{
    status: 'succeeded',
    output: { M: { answer: { S: text } } },
  }]);
  const [counts] = await workers.sql`
    select
      (select count(*)::integer from private.api_inputs where root_flow_run_id = ${runId}) as inputs,
      (select count(*)::integer from public.pending_inputs where root_flow_run_id = ${runId}) as pending,
      (select count(*)::integer from public.flow_run_logs where flow_run_id = ${runId}) as lines`;
  expect(counts).toEqual({ inputs: 1, pending: 0, lines: 1 });
}

it('a waiting run survives the end of its worker and a restart of everything, and its URL stays valid', async () => {
  const runId = await startAsking();
  const worker = newWorker();
  const url = await urlOf(runId);
  await reached(runId, 'waiting');
  expect(await worker.end('SIGKILL')).toBe('SIGKILL');
  await workers.own.stop();
  await workers.own.boot();
  expect(await urlOf(runId)).toBe(url);
  expect((await answer(url, { values: 'after the restart' })).status).toBe(200);
  newWorker();
  await expectAnswered(runId, 'after the restart');
});

it.each(['PostgREST', 'Postgres'] as const)(
  'a worker over %s that holds the run is notified of the answer',
  async (over) => {
    const runId = await startAsking();
    newWorker(HOLDS, over);
    expect((await answer(await urlOf(runId), { values: 'told' })).status).toBe(200);
    await expectAnswered(runId, 'told');
    expect(await workers.sql`select claim_number from private.flow_run_jobs where flow_run_id = ${runId}`).toEqual([
      { claim_number: 1 },
    ]);
  },
);

it('an answer is read by the next worker if the first one is lost before it has read it', async () => {
  const runId = await startAsking();
  const worker = newWorker(HOLDS);
  const url = await urlOf(runId);
  worker.process.kill('SIGSTOP');
  expect((await answer(url, { values: 'in between' })).status).toBe(200);
  expect(await worker.end('SIGKILL')).toBe('SIGKILL');
  newWorker();
  await expectAnswered(runId, 'in between');
});

it('an answer during a restart of the database is stored once if its sender repeats it with its key', async () => {
  const runId = await startAsking();
  newWorker();
  const url = await urlOf(runId);
  const key = { 'idempotency-key': randomUUID() };
  let isBack = false;
  const statuses: number[] = [];
  const restart = (async () => {
    await workers.own.stop();
    await workers.own.boot();
    isBack = true;
  })();
  while (!isBack) {
    // While the gateway is down, the connection is refused.
    statuses.push(
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...key },
        body: '{"values": "once"}',
      }).then(({ status }) => status, () => 0),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await restart;
  expect((await answer(url, { values: 'once' }, key)).status).toBe(200);
  expect((await answer(url, { values: 'twice' }, key)).status).toBe(409);
  newWorker();
  await expectAnswered(runId, 'once');
  expect(statuses.filter((status) => ![0, 200, 502, 503, 504].includes(status))).toEqual([]);
});

it('only one of an answer, an expiry and a stop takes effect, and the sender gets the true outcome', async () => {
  newWorker({ RUNNER_CONCURRENCY: '8' });
  newWorker({ RUNNER_CONCURRENCY: '8', ...HOLDS });
  const runIds = await owner.start(
    await owner.storeFlow(askingFlow({ timeout: 1 })),
    Array.from({ length: 24 }, () => ({})),
  );
  const told = await Promise.all(
    runIds.map(async (runId, index) => {
      const url = await urlOf(runId);
      // Some answers come early, but most come around the expiry.
      await new Promise((resolve) => setTimeout(resolve, index % 4 === 0 ? 0 : 850 + index * 12));
      const stop = index % 3 === 0
        ? workers.sql.begin(async (tx) => {
          await tx`select set_config('request.jwt.claims', ${
            JSON.stringify({ sub: owner.id, role: 'authenticated' })
          }, true)`;
          await tx`select public.stop_flow_run(${runId})`;
        })
        : Promise.resolve();
      const [response] = await Promise.all([answer(url, { values: 'yes' }), stop]);
      return response.status;
    }),
  );
  const ended = await workers.ended(runIds);
  for (const [index, { status, output, errors }] of ended.entries()) {
    const isStopped = index % 3 === 0;
    if (told[index] === 200) {
      if (status === 'stopped' && isStopped) continue;
      expect([index, status, output]).toEqual([index, 'succeeded', { M: { answer: { S: 'yes' } } }]);
    } else {
      expect([index, told[index]]).toEqual([index, 404]);
      expect([index, isStopped || status === 'failed', output]).toEqual([index, true, { M: {} }]);
      if (status === 'failed') expect(errors?.[0]).toContain('input_expired');
    }
  }
  const [left] = await workers.sql`select count(*)::integer as count from public.pending_inputs`;
  expect(left).toEqual({ count: 0 });
});
