import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFlakyProxy } from '../support/flaky_proxy.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { waitFor } from '../support/wait.ts';
import { startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook_receiver.ts';
import { startWorker, type WorkerOptions, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

let workers: WorkerStack;
let receiver: WebhookReceiver;
let owner: FlowOwner;
let worker: WorkerProcess | undefined;

beforeAll(async () => {
  [workers, receiver] = await Promise.all([makeWorkerStack('webhooks'), startWebhookReceiver()]);
  owner = await workers.addOwner();
});
afterAll(async () => {
  worker?.process.kill('SIGKILL');
  await receiver?.close();
  await workers?.remove();
});

function startOne(options: Partial<WorkerOptions> = {}): WorkerProcess {
  worker?.process.kill('SIGKILL');
  return worker = startWorker({ status: workers.stack.status, runtime: 'deno', ...options });
}

/** Starts runs of a deployment that posts a message to the path when a run ends. Returns their ids. */
async function startTelling(by: FlowOwner, path: string, count = 1): Promise<string[]> {
  const flowId = await by.storeFlow(chainFlow(1));
  return await workers.sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${JSON.stringify({ sub: by.id, role: 'authenticated' })}, true)`;
    const [deployed] = await tx`select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`;
    const on_end = tx.json({ url: `${receiver.url}${path}`, events: ['succeeded', 'failed'] });
    await tx`update public.flow_deployments set on_end = ${on_end} where id = ${deployed?.id}`;
    const inputs = tx.json({ n: integer(1) } as never);
    const rows = await tx`
      select public.start_deployment(id => ${deployed?.id}, inputs => ${inputs}) ->> 'flow_run_id' as id
      from generate_series(1, ${count}::integer)`;
    return rows.map(({ id }) => id);
  });
}

/** Waits until all deliveries of the runs are in the state that the test needs. */
const deliveries = (
  runIds: string[],
  areAsWanted: (rows: { status: string; attempts: number; is_held: boolean }[]) => boolean,
) =>
  waitFor(async () => {
    const rows = await workers.sql<
      { id: string; status: string; attempts: number; is_held: boolean; last_error: string | null }[]
    >`
      select d.* from public.webhook_deliveries as d where d.flow_run_id = any (${runIds}::uuid[])`;
    return areAsWanted([...rows]) ? rows : undefined;
  });

const areDelivered = (count: number) => (rows: { status: string }[]) =>
  rows.length === count && rows.every(({ status }) => status === 'delivered');

/** Simulates that all pauses and leases have ended. */
const letTimePass = () =>
  workers.sql`update public.webhook_deliveries set next_attempt_at = clock_timestamp() where status = 'pending'`;

const OVER = ['PostgREST', 'Postgres'] as const;

it.each(OVER)(
  'a webhook whose worker over %s was killed before storing the answer is posted again, with the same id',
  async (over) => {
    const path = `/${randomUUID()}`;
    receiver.answer(path, () => {});
    const killed = startOne({ over });
    const runIds = await startTelling(owner, path);
    await receiver.next(path);
    await killed.end('SIGKILL');
    receiver.answer(path, withStatus(200));
    await letTimePass();
    startOne({ over });
    await deliveries(runIds, areDelivered(1));
    const [first, second] = await receiver.next(path, 2);
    expect(second).toMatchObject({ body: first!.body, headers: { 'webhook-id': first!.headers['webhook-id'] } });
  },
);

it('the answer of a webhook during an outage of the database is stored later', async () => {
  const proxy = await startFlakyProxy(workers.stack.status.API_URL);
  try {
    const path = `/${randomUUID()}`;
    receiver.answer(path, (response) => {
      proxy.shut();
      response.writeHead(200).end();
      setTimeout(proxy.open, 1_000);
    });
    startOne({ status: { ...workers.stack.status, API_URL: proxy.url } });
    const runIds = await startTelling(owner, path);
    expect(await deliveries(runIds, areDelivered(1))).toMatchObject([{ attempts: 1 }]);
    expect(await receiver.next(path)).toHaveLength(1);
  } finally {
    await proxy.close();
  }
});

it('an address that was down gets all messages when it is up', async () => {
  const path = `/${randomUUID()}`;
  receiver.answer(path, withStatus(500));
  startOne();
  const runIds = await startTelling(owner, path, 6);
  await deliveries(
    runIds,
    (rows) => rows.length === 6 && rows.every(({ attempts, is_held }) => attempts === 1 && !is_held),
  );
  receiver.answer(path, withStatus(200));
  await letTimePass();
  await deliveries(runIds, areDelivered(6));
  const posts = await receiver.next(path, 12);
  expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
  expect(new Set(posts.map(({ message }) => message.data.flow_run_id))).toEqual(new Set(runIds));
});

it("an address that never answers delays neither others' webhooks nor runs", async () => {
  const dead = `/${randomUUID()}`;
  const alive = `/${randomUUID()}`;
  receiver.answer(dead, () => {});
  startOne({ env: { RUNNER_MAX_WEBHOOKS: '5', WEBHOOK_TIMEOUT_MS: '60000' } });
  await startTelling(owner, dead, 20);
  await receiver.next(dead, 4);
  const other = await workers.addOwner();
  const runIds = await startTelling(other, alive, 8);
  await workers.ended(runIds);
  await deliveries(runIds, areDelivered(8));
  // Only four deliveries of the owner are under way, and none of them has ended.
  expect(await receiver.next(dead, 4)).toHaveLength(4);
  const [held] = await workers.sql`
    select count(*)::integer as count from public.webhook_deliveries where user_id = ${owner.id} and is_held`;
  expect(held).toEqual({ count: 4 });
});

it('a worker that is told to end waits for the answers to its posts', async () => {
  const path = `/${randomUUID()}`;
  let answer = () => {};
  receiver.answer(path, (response) => answer = () => void response.writeHead(200).end());
  const told = startOne();
  const runIds = await startTelling(await workers.addOwner(), path);
  await receiver.next(path);
  const ended = told.end('SIGTERM');
  await waitFor(() => told.events().some(({ event }) => event === 'run_finished') || undefined);
  answer();
  expect(await ended).toBe(0);
  expect(await deliveries(runIds, areDelivered(1))).toMatchObject([{ attempts: 1 }]);
});

it('a worker that may not reach private networks posts nothing there', async () => {
  const path = `/${randomUUID()}`;
  startOne({ env: { ALLOW_PRIVATE_NETWORK: '' } });
  const runIds = await startTelling(await workers.addOwner(), path);
  const [row] = await deliveries(runIds, (rows) => rows[0]?.attempts === 1 && !rows[0].is_held);
  expect(row).toMatchObject({ status: 'pending', last_error: 'IP address not allowed: 127.0.0.1' });
  expect(receiver.received.filter((webhook) => webhook.path === path)).toEqual([]);
});
