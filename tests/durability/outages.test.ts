import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { startFlakyProxy } from '../support/flaky_proxy.ts';
import { chainFlow, loopFlow, waitFlow } from '../support/mixed_flows.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const LEASE_SECONDS = 2;
/**
 * The outage lasts for three leases. The runs that are under way when it begins would otherwise end within this time.
 */
const OUTAGE_MS = 6_000;
/** The duration of a lasting run: so long that the run is still under way when its first checkpoint is stored. */
const LASTING_MS = 4_000;

let workers: WorkerStack;
let owner: FlowOwner;
beforeAll(async () => {
  workers = await makeWorkerStack('outages');
  owner = await workers.addOwner();
});
afterAll(() => workers?.remove());

const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n: integer(n) }));

/** Starts lasting runs, and resolves when the database shows that a worker has begun their nodes. */
async function startLasting(count: number): Promise<string[]> {
  const ids = await owner.start(await owner.storeFlow(waitFlow(LASTING_MS)), numbers(count));
  await waitFor(async () => {
    const [begun] = await workers.sql`
      select count(distinct flow_run_id)::integer as count
      from public.node_run where flow_run_id = any (${ids}::uuid[]) and end_time is null`;
    return begun?.count === count || undefined;
  });
  return ids;
}

const nodeRuns = (runIds: string[]) =>
  workers.sql`
    select n.flow_run_id, n.node_id, n.start_time, n.end_time from public.node_run as n
    where n.flow_run_id = any (${runIds}::uuid[]) order by n.flow_run_id`;

/** Returns for each run the number of its claims, the number of its lost workers, and its state in the queue. */
const jobsOf = (runIds: string[]) =>
  workers.sql`
    select j.claim_number, j.lost_claim_count, j.state from private.flow_run_jobs as j
    where j.flow_run_id = any (${runIds}::uuid[])`;

const outputsOf = (count: number) => numbers(count).map(({ n }) => ['succeeded', { M: { out: n } }]);

/**
 * The two ways in which a worker calls the database. A lost connection affects each way differently. Leases, releases
 * and cancelled statements work in the same manner in both.
 */
const OVER = ['PostgREST', 'Postgres'] as const;

it.each(OVER)('runs under way while %s is out of reach end with their usual outcome', async (over) => {
  const { status } = workers.stack;
  const proxy = await startFlakyProxy(over === 'Postgres' ? status.DB_URL : status.API_URL);
  const proxied = new URL(status.DB_URL);
  proxied.port = new URL(proxy.url).port;
  const worker = startWorker({
    status: { ...status, API_URL: proxy.url, DB_URL: String(proxied) },
    over,
    runtime: 'bundle in node',
    env: { RUNNER_LEASE_SECONDS: String(LEASE_SECONDS) },
  });
  try {
    const lasting = await startLasting(5);
    const queued = await owner.start(await owner.storeFlow(chainFlow(20)), numbers(5));
    proxy.shut();
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
    proxy.open();
    const ended = await workers.ended([...lasting, ...queued]);
    expect(ended.slice(0, 5).map(({ status, output }) => [status, output])).toEqual(outputsOf(5));
    expect(ended.every(({ status }) => status === 'succeeded')).toBe(true);
    // The runs continued within the same claim, so nothing had to be repeated.
    const claimNumbers = await workers.sql`
      select distinct j.claim_number from private.flow_run_jobs as j where j.flow_run_id = any (${lasting}::uuid[])`;
    expect(claimNumbers).toEqual([{ claim_number: 1 }]);
    expect(await worker.end('SIGTERM')).toBe(0);
  } finally {
    worker.process.kill('SIGKILL');
    await proxy.close();
  }
});

it('a worker that hangs beyond its lease is refused, because another worker has its run', async () => {
  const env = { RUNNER_LEASE_SECONDS: String(LEASE_SECONDS) };
  const hanging = startWorker({ status: workers.stack.status, over: 'Postgres', runtime: 'deno', env });
  let other: ReturnType<typeof startWorker> | undefined;
  try {
    await hanging.ready();
    const [runId] = await startLasting(1);
    hanging.process.kill('SIGSTOP');
    other = startWorker({ status: workers.stack.status, over: 'Postgres', runtime: 'deno', env });
    const ended = await workers.ended([runId!]);
    expect(ended.map(({ status, output }) => [status, output])).toEqual(outputsOf(1));
    const rows = await workers.sql`select * from public.node_run where flow_run_id = ${runId!} order by node_id`;

    hanging.process.kill('SIGCONT');
    await waitFor(() => hanging.events().some(({ event }) => event === 'claim_lost') || undefined);
    expect(hanging.events().filter(({ event }) => event === 'run_finished')).toEqual([]);
    expect(await workers.sql`select * from public.node_run where flow_run_id = ${runId!} order by node_id`).toEqual(
      rows,
    );
    const [job] = await workers.sql`select claim_number from private.flow_run_jobs where flow_run_id = ${runId!}`;
    expect(job?.claim_number).toBe(2);
  } finally {
    hanging.process.kill('SIGKILL');
    other?.process.kill('SIGKILL');
  }
});

it('a worker that is told to end releases lasting runs, and leaves no half-finished execution', async () => {
  const worker = startWorker({ status: workers.stack.status, over: 'Postgres', runtime: 'deno' });
  let next: ReturnType<typeof startWorker> | undefined;
  try {
    await worker.ready();
    const lasting = await startLasting(3);
    expect(await worker.end('SIGTERM')).toBe(0);
    expect(worker.events().map(({ event }) => event)).toEqual([
      'worker_started',
      'run_released',
      'run_released',
      'run_released',
      'worker_stopped',
    ]);
    const begun = (await nodeRuns(lasting)).filter(({ end_time }) => end_time === null);
    expect(begun.map(({ flow_run_id }) => flow_run_id)).toEqual(lasting);
    // All runs are back in the queue at once, without waiting for the end of a lease.
    expect(await jobsOf(lasting)).toEqual(
      lasting.map(() => ({ claim_number: 1, lost_claim_count: 0, state: 'ready' })),
    );

    next = startWorker({ status: workers.stack.status, over: 'Postgres', runtime: 'deno' });
    const ended = await workers.ended(lasting);
    expect(ended.map(({ status, output }) => [status, output])).toEqual(outputsOf(3));
    // One more claim ended each run, and no claim was lost.
    expect(await jobsOf(lasting)).toEqual(
      lasting.map(() => ({ claim_number: 2, lost_claim_count: 0, state: 'ended' })),
    );
    // The waits continued where they had stopped.
    expect(await nodeRuns(lasting)).toEqual(
      expect.arrayContaining(begun.map((run) => ({ ...run, end_time: expect.any(Date) }))),
    );
    expect(await next.end('SIGTERM')).toBe(0);
  } finally {
    // A worker that outlives its test would execute the runs of the next tests.
    worker.process.kill('SIGKILL');
    next?.process.kill('SIGKILL');
  }
});

it.each(OVER)('runs of a worker over %s end with their usual outcome while the database restarts', async (over) => {
  const worker = startWorker({
    status: workers.stack.status,
    over,
    runtime: 'bundle in node',
    env: { RUNNER_LEASE_SECONDS: String(LEASE_SECONDS) },
  });
  try {
    await worker.ready();
    const lasting = await startLasting(5);
    const loops = await owner.start(await owner.storeFlow(loopFlow()), numbers(10));
    await workers.own.stop();
    await workers.own.boot();
    const ended = await workers.ended([...lasting, ...loops]);
    expect(ended.slice(0, 5).map(({ status, output }) => [status, output])).toEqual(outputsOf(5));
    expect(ended.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(await worker.end('SIGTERM')).toBe(0);
  } finally {
    worker.process.kill('SIGKILL');
  }
});

it('a run ends normally although the database stalls for longer than a statement may take', async () => {
  const { sql } = workers;
  await sql`alter role service_role set statement_timeout = '300ms'`;
  await sql`notify pgrst, 'reload config'`;
  const worker = startWorker({
    status: workers.stack.status,
    over: 'PostgREST',
    runtime: 'bundle in node',
    env: { RUNNER_LEASE_SECONDS: String(LEASE_SECONDS) },
  });
  try {
    await worker.ready();
    const lasting = await startLasting(1);
    const holder = connect(workers.stack.superuserUrl);
    try {
      await holder`begin`;
      await holder`lock table public.flow_run in access exclusive mode`;
      // Each call waits for the lock and is cancelled. The test cancels more calls than the number of refusals after
      // which a worker gives up a result.
      const canceled = new Set<string>();
      await waitFor(async () => {
        const rows = await sql`
          select a.pid || ' ' || a.query_start as call from pg_stat_activity as a
          where a.usename = 'authenticator' and a.wait_event_type = 'Lock' and a.query like '%finish_flow_run%'`;
        for (const { call } of rows) canceled.add(call);
        return canceled.size > 5 || undefined;
      });
    } finally {
      await holder.end();
    }
    const ended = await workers.ended(lasting);
    expect(ended.map(({ status, output }) => [status, output])).toEqual(outputsOf(1));
    expect(await worker.end('SIGTERM')).toBe(0);
  } finally {
    worker.process.kill('SIGKILL');
    await sql`alter role service_role reset statement_timeout`;
    await sql`notify pgrst, 'reload config'`;
  }
});
