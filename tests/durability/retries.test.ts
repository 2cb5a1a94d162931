import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeRetry } from '../../types/flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { startFlakyProxy } from '../support/flaky_proxy.ts';
import { type FlakyAnswer, type FlakyServer, startFlakyServer } from '../support/flaky_server.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { payOutFlow } from '../support/pay_out_flow.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** If a run waits for longer than this, its worker releases it. */
const LONG_WAIT_MS = 2_000;
const QUICK: NodeRetry = { max_attempts: 3, delay_ms: 50, backoff: 2, max_delay_ms: 5_000 };
/**
 * Retries with a pause that is long enough for the run to sleep in the database, and for the test to kill a worker
 * meanwhile.
 */
const SLEEPING: NodeRetry = { max_attempts: 3, delay_ms: 6_000, backoff: 1, max_delay_ms: 6_000 };
/** A timeout that is long enough for the test to kill a worker meanwhile. */
const TIMEOUT_MS = 8_000;
const BUSY = { status: 503 };
const FINE = { status: 200 };

/** The server's answers to the first requests of each kind of path. All later requests succeed. */
const ANSWERS: Record<string, FlakyAnswer[]> = {
  fails_twice: [BUSY, BUSY],
  breaks: ['break', 'break'],
  asks_for_time: [{ status: 429, headers: { 'retry-after': '1' } }],
  refuses: [{ status: 400 }],
  is_down: Array.from({ length: 99 }, () => BUSY),
  fails_once: [BUSY],
  falls_silent_at_the_second: [BUSY, 'silence'],
  is_silent: ['silence', 'silence', 'silence'],
};

let workers: WorkerStack;
let server: FlakyServer;
let owner: FlowOwner;
let chain: TestChain;
const started: WorkerProcess[] = [];

beforeAll(async () => {
  [workers, server, chain] = await Promise.all([
    makeWorkerStack('retries'),
    startFlakyServer((n, path) => ANSWERS[path.split('/')[1]!]?.[n - 1] ?? FINE),
    startTestChain({ slotMs: 40 }),
  ]);
  owner = await workers.addOwner();
});
afterAll(async () => {
  await Promise.all(started.map((worker) => worker.end('SIGKILL')));
  await Promise.all([workers?.remove(), server?.close(), chain?.stop()]);
});

function newWorker(env: Record<string, string> = {}): WorkerProcess {
  const worker = startWorker({
    status: workers.stack.status,
    runtime: 'deno',
    env: {
      RUNNER_LEASE_SECONDS: '2',
      RUNNER_LONG_WAIT_MS: String(LONG_WAIT_MS),
      WALLET_KEYS: workers.walletKeys,
      ...env,
    },
  });
  started.push(worker);
  return worker;
}

function requestFlow(path: string, method: string, retry?: NodeRetry): FlowBuilder {
  const flow = new FlowBuilder();
  const request = flow.use('http_request', {}, {
    form: { method, url: `${server.url}${path}` },
    title: 'Request',
    retry,
  });
  flow.output('body', request.output('body'));
  return flow;
}

let paths = 0;

/** Starts a run that makes one request. Each run has its own path. */
async function startRequest(kind: keyof typeof ANSWERS, method: string, retry?: NodeRetry) {
  const path = `/${kind}/${paths++}`;
  const [id] = await owner.start(await owner.storeFlow(requestFlow(path, method, retry)), [{}]);
  return { id: id!, path };
}

/** Returns the execution of the node that makes the request. */
async function attemptOf(runId: string) {
  const [row] = await workers.sql`
    select n.attempt, n.retry_at, n.end_time, n.errors from public.node_run as n
    where n.flow_run_id = ${runId} and n.input #> '{M,url}' is not null`;
  return row;
}

const logOf = async (runId: string): Promise<{ time: Date; content: string }[]> =>
  await workers.sql`
    select l.time, l.content from public.flow_run_logs as l
    where l.flow_run_id = ${runId} and l.content like 'attempt %' order by l.log_index`;

/**
 * Waits until the database has stored that the run pauses between two attempts. Returns the time of the next attempt.
 */
const paused = (runId: string): Promise<Date> => waitFor(async () => (await attemptOf(runId))?.retry_at ?? undefined);

/** Waits until the run sleeps in the database. */
const released = (runId: string) =>
  waitFor(async () => {
    const [job] = await workers.sql`select state from private.flow_run_jobs where flow_run_id = ${runId}`;
    return job?.state === 'sleeping' || undefined;
  });

describe('with a worker', () => {
  let worker: WorkerProcess;
  beforeAll(async () => {
    worker = newWorker();
    await worker.ready();
  });
  afterAll(() => worker?.end('SIGTERM'));

  it.each([['fails_twice', 'GET'], ['fails_twice', 'POST'], ['breaks', 'GET'], ['breaks', 'POST']] as const)(
    'a server that %s gets the third %s of a node with retries',
    async (kind, method) => {
      const { id, path } = await startRequest(kind, method, QUICK);
      const [run] = await workers.ended([id]);
      expect(run).toMatchObject({ status: 'succeeded', errors: null });
      expect(server.requests(path)).toHaveLength(3);
      expect(await attemptOf(id)).toMatchObject({ attempt: 3, retry_at: null, errors: null });
      expect((await logOf(id)).map(({ content }) => content)).toEqual([
        expect.stringMatching(/^attempt 1 of 3 failed, the next one begins at \S+: \S/),
        expect.stringMatching(/^attempt 2 of 3 failed, the next one begins at \S+: \S/),
      ]);
    },
  );

  it.each(
    [
      ['fails_twice', 1, 'of a node that says nothing', undefined],
      ['refuses', 1, 'since it would refuse the others too', QUICK],
      ['is_down', 3, 'of a node that may make as many', QUICK],
      ['is_down', 1, 'of a node that may make one', { ...QUICK, max_attempts: 1 }],
    ] as const,
  )('a server that %s gets requests: %i, %s', async (kind, requests, _, retry) => {
    const { id, path } = await startRequest(kind, 'POST', retry);
    const [run] = await workers.ended([id]);
    expect(run).toMatchObject({ status: 'failed', errors: [expect.stringMatching(/status code: \d+/)] });
    expect(server.requests(path)).toHaveLength(requests);
    expect((await attemptOf(id))?.attempt).toBe(requests);
  });

  it('a server gets no request before the time that it asks for', async () => {
    const { id, path } = await startRequest('asks_for_time', 'GET', { ...QUICK, delay_ms: 0 });
    const [run] = await workers.ended([id]);
    expect(run?.status).toBe('succeeded');
    const [first, second] = server.requests(path);
    expect(second! - first!).toBeGreaterThanOrEqual(1_000);
  });

  it('many nodes of one run that fail at the same time are all tried again', async () => {
    const flow = new FlowBuilder();
    const urls = Array.from({ length: 40 }, (_, n) => `${server.url}/fails_twice/many${n}`);
    for (const url of urls) flow.use('http_request', {}, { form: { url }, retry: QUICK });
    const ids = await owner.start(await owner.storeFlow(flow), [{}]);
    const [run] = await workers.ended(ids);
    expect(run?.status).toBe('succeeded');
    const rows = await workers.sql`
      select n.attempt, count(*)::integer as count from public.node_run as n
      where n.flow_run_id = ${ids[0]!} and n.input #> '{M,url}' is not null group by n.attempt`;
    expect(rows).toEqual([{ attempt: 3, count: 40 }]);
    expect(urls.map((url) => server.requests(new URL(url).pathname).length)).toEqual(urls.map(() => 3));
  });

  it('a payment waits for an RPC server that is down, and is made once', async () => {
    const wallet = await fundedKeypair(chain, 10n * SOL);
    await owner.storeWallet(wallet);
    const proxy = await startFlakyProxy(chain.url);
    proxy.shut();
    const retry = { ...QUICK, max_attempts: 20, delay_ms: 500, backoff: 1 };
    const flow = await owner.storeFlow(payOutFlow(wallet.publicKey, retry), { url: proxy.url });
    const payee = makeKeypair().publicKey;
    const [id] = await owner.start(flow, [{ to: { B3: payee } }]);
    await waitFor(async () => (await logOf(id!)).length > 0 || undefined);
    proxy.open();
    const [run] = await workers.ended([id!]);
    expect(run).toMatchObject({ status: 'succeeded', errors: null });
    expect(chain.ledger.landed.filter(({ accounts }) => accounts.includes(payee))).toHaveLength(1);
    await proxy.close();
  });
});

it.each([['with its worker', 100_000], ['in the database', LONG_WAIT_MS]] as const)(
  'a run that waits for its next attempt %s leaves the only slot to another run',
  async (_, longWaitMs) => {
    const worker = newWorker({ RUNNER_CONCURRENCY: '1', RUNNER_LONG_WAIT_MS: String(longWaitMs) });
    const retry = { ...SLEEPING, delay_ms: 60_000, max_delay_ms: 60_000 };
    const { id } = await startRequest('fails_once', 'GET', retry);
    await paused(id);
    const ids = await owner.start(await owner.storeFlow(chainFlow(3)), [{ n: integer(1) }]);
    expect(await workers.ended(ids)).toMatchObject([{ status: 'succeeded' }]);
    expect(await attemptOf(id)).toMatchObject({ attempt: 1, end_time: null });
    expect(await worker.end('SIGTERM')).toBe(0);
  },
);

/** Each test below makes GET and POST requests at once, with the same workers. */
const METHODS = ['GET', 'POST'];

describe('a GET and a POST', () => {
  it('whose worker is killed in the pause continue with the second attempt at its time', async () => {
    const first = newWorker();
    const requests = await Promise.all(METHODS.map((method) => startRequest('fails_once', method, SLEEPING)));
    const times = await Promise.all(requests.map(({ id }) => paused(id)));
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    const second = newWorker();
    const ended = await workers.ended(requests.map(({ id }) => id));
    expect(await second.end('SIGTERM')).toBe(0);
    for (const [index, { id, path }] of requests.entries()) {
      expect(ended[index]).toMatchObject({ status: 'succeeded' });
      expect(server.requests(path)).toHaveLength(2);
      expect(server.requests(path)[1]).toBeGreaterThanOrEqual(times[index]!.getTime());
      expect(await attemptOf(id)).toMatchObject({ attempt: 2, retry_at: null });
      expect(await logOf(id)).toHaveLength(1);
    }
  });

  it('whose worker is killed while they sleep in the database continue with the second attempt at its time', async () => {
    const first = newWorker();
    const requests = await Promise.all(METHODS.map((method) => startRequest('fails_once', method, SLEEPING)));
    await Promise.all(requests.map(({ id }) => released(id)));
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    const second = newWorker();
    const ended = await workers.ended(requests.map(({ id }) => id));
    expect(await second.end('SIGTERM')).toBe(0);
    for (const [index, { id, path }] of requests.entries()) {
      expect(ended[index]).toMatchObject({ status: 'succeeded' });
      expect(server.requests(path)).toHaveLength(2);
      expect(await attemptOf(id)).toMatchObject({ attempt: 2, retry_at: null });
    }
  });
});

it('requests whose worker is killed in the second attempt are repeated if allowed, and else tried again or failed', async () => {
  const cases = [
    // After the death of its worker, a GET is sent again within the same attempt.
    { method: 'GET', maxAttempts: 2, status: 'succeeded', requests: 3, attempt: 2 },
    { method: 'POST', maxAttempts: 3, status: 'succeeded', requests: 3, attempt: 3 },
    { method: 'POST', maxAttempts: 2, status: 'failed', requests: 2, attempt: 2 },
  ];
  const first = newWorker();
  const asked = await Promise.all(
    cases.map(({ method, maxAttempts }) =>
      startRequest('falls_silent_at_the_second', method, { ...QUICK, max_attempts: maxAttempts })
    ),
  );
  await Promise.all(asked.map(async ({ id, path }) => {
    await waitFor(() => server.requests(path).length === 2 || undefined);
    // Wait until the second attempt is stored. The attempt of a request without effects is stored a little later than
    // the request.
    await waitFor(async () => (await attemptOf(id))?.attempt === 2 || undefined);
  }));
  expect(await first.end('SIGKILL')).toBe('SIGKILL');
  const second = newWorker();
  const ended = await workers.ended(asked.map(({ id }) => id));
  expect(await second.end('SIGTERM')).toBe(0);
  for (const [index, { method, maxAttempts, ...expected }] of cases.entries()) {
    const { id, path } = asked[index]!;
    const { status, errors } = ended[index]!;
    const log = await logOf(id);
    const found = { status, requests: server.requests(path).length, attempt: (await attemptOf(id))?.attempt };
    expect([method, maxAttempts, found]).toEqual([method, maxAttempts, expected]);
    const unknown = log.filter(({ content }) => content.includes('outcome_unknown'));
    expect(unknown).toHaveLength(method === 'GET' ? 0 : 1);
    if (status === 'failed') expect(errors).toEqual([expect.stringMatching(/outcome_unknown/)]);
  }
});

it('a request that has no answer times out when its time is over, although its worker was killed, and its flow handles the timeout', async () => {
  const path = `/is_silent/${paths++}`;
  const refused = `/refuses/${paths++}`;
  const flow = new FlowBuilder();
  const form = (to: string, method: string) => ({ method, url: `${server.url}${to}` });
  const post = flow.use('http_request', {}, { form: form(refused, 'POST'), title: 'Post', handlesErrors: true });
  const slow = flow.use('http_request', {}, {
    form: form(path, 'GET'),
    title: 'Request',
    handlesErrors: true,
    timeoutMs: TIMEOUT_MS,
  });
  flow.output('refused', flow.field('message', post.output('error'), 'message'));
  flow.output('code', flow.field('code', slow.output('error'), 'code'));
  const first = newWorker();
  const [id] = await owner.start(await owner.storeFlow(flow), [{}]);
  await waitFor(() => server.requests(path).length === 1 || undefined);
  const rows = () =>
    workers.sql`
      select n.node_id, n.start_time, n.end_time, n.errors, n.error_handled from public.node_run as n
      where n.flow_run_id = ${id!} and n.node_id = any (${[post.id, slow.id]}) order by n.node_id`;
  // Wait until the database has stored the failure of one node and the begin of the other.
  const before = await waitFor(async () => {
    const stored = await rows();
    return stored.length === 2 && stored[0]!.end_time !== null ? stored : undefined;
  });
  expect(await first.end('SIGKILL')).toBe('SIGKILL');
  const second = newWorker();
  const [run] = await workers.ended([id!]);
  expect(await second.end('SIGTERM')).toBe(0);
  expect(run).toMatchObject({ status: 'succeeded', errors: null, output: { M: { code: { S: 'node_timeout' } } } });
  const after = await rows();
  expect(after.map(({ error_handled }) => error_handled)).toEqual([true, true]);
  expect(after[0]).toEqual(before[0]);
  expect(server.requests(refused)).toHaveLength(1);
  // The timeout counts from the node's first begin.
  expect(after[1]!.start_time).toEqual(before[1]!.start_time);
  expect(after[1]!.end_time - before[1]!.start_time).toBeGreaterThanOrEqual(TIMEOUT_MS);
});
