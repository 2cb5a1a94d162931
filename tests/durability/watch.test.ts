import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readPostgresAddress } from '../../platform/postgres/address.ts';
import { makePostgresRpc } from '../../platform/postgres/postgres_rpc.ts';
import { workUntilStopped } from '../../runner/queue/long_lived.ts';
import { makeRunnerWorker } from '../../runner/runner_worker.ts';
import { readRunnerSettings } from '../../runner/settings.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { makePostgresQueueWatch } from '../../runner/worker/postgres_queue_watch.ts';
import { startFlakyProxy } from '../support/flaky_proxy.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { waitFor } from '../support/wait.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** The poll interval. It is longer than any test, so that only a notification makes a worker act. */
const HOUR_MS = 3_600_000;

let workers: WorkerStack;
let owner: FlowOwner;
let flowId: number;
beforeAll(async () => {
  workers = await makeWorkerStack('watch');
  owner = await workers.addOwner();
  flowId = await owner.storeFlow(chainFlow(2));
});
afterAll(() => workers?.remove());

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Starts a worker that never polls the queue. Returns the function that ends the worker. */
function startWatchingWorker(
  env: Record<string, string> = {},
  { watchedAddress = readPostgresAddress(workers.stack.status.DB_URL), watchedPollMs = HOUR_MS } = {},
): () => Promise<void> {
  const address = readPostgresAddress(workers.stack.status.DB_URL);
  const calls = makePostgresRpc({ address, maxConnections: 3, keptConnections: 1, idleMs: 10_000 });
  const watch = makePostgresQueueWatch(watchedAddress);
  const settings = {
    ...readRunnerSettings((name) => env[name], false),
    pollMs: HOUR_MS,
    watchedPollMs,
  };
  const stop = new AbortController();
  const worker = makeRunnerWorker({ rpc: calls.rpc, settings, env: () => undefined, makeWatch: watch.make });
  const ended = workUntilStopped({ worker, pollMs: 100, log: () => {}, stop: stop.signal }).finally(() => {
    watch.close();
    calls.close();
  });
  const end = () => {
    stop.abort();
    return ended;
  };
  stops.push(end);
  return end;
}

/** Returns the database sessions of workers that wait for a notification, or for their turn to wait. */
const watching = () =>
  workers.sql`
    select a.pid, a.backend_xmin, l.granted from pg_locks as l join pg_stat_activity as a using (pid)
    where l.locktype = 'advisory' and l.mode = 'ExclusiveLock' and a.application_name = 'flow_runner'
      and l.classid::bigint = hashtext('private.announce_claimable_run')::bigint & 4294967295`;

const untilWatching = (count: number) =>
  waitFor(async () => {
    const rows = await watching();
    return rows.length === count && rows.some(({ granted }) => granted) ? rows : undefined;
  });

const start = async (): Promise<string> => (await owner.start(flowId, [{ n: integer(1) }]))[0]!;

const untilEnded = async (...runIds: string[]) => {
  const ended = await workers.ended(runIds, 20_000);
  expect(ended.filter(({ status }) => status !== 'succeeded')).toEqual([]);
};

/** Starts a run of the owner on a new connection, in a transaction that stays open until `commit` is called. */
async function startUncommitted(): Promise<{ runId: string; commit: () => Promise<void> }> {
  const starter = connect(workers.stack.superuserUrl);
  const claims = JSON.stringify({ sub: owner.id, role: 'authenticated' });
  await starter`begin`;
  await starter`select set_config('request.jwt.claims', ${claims}, true)`;
  const [row] = await starter`select public.start_flow(${flowId}, '{"n": {"U": "1"}}') ->> 'flow_run_id' as id`;
  return {
    runId: row!.id,
    commit: async () => {
      await starter`commit`;
      await starter.end();
    },
  };
}

it('each start wakes a waiting worker', async () => {
  startWatchingWorker();
  for (let round = 0; round < 5; round++) {
    await untilWatching(1);
    await untilEnded(await start());
  }
});

it('a waiting worker does not prevent the vacuum of old rows', async () => {
  startWatchingWorker();
  const [row] = await untilWatching(1);
  expect(row).toMatchObject({ backend_xmin: null });
});

it('a worker that is told to end while it waits ends, and leaves no waiting backend', async () => {
  const end = startWatchingWorker();
  await untilWatching(1);
  await end();
  await waitFor(async () => (await watching()).length === 0 || undefined);
});

it('a start sends a notification only if a worker waits', async () => {
  const listener = connect(workers.stack.superuserUrl);
  const heard: string[] = [];
  await listener.listen('flow_runs', (payload) => void heard.push(payload));
  /**
   * Waits until the listener has heard this mark. Notifications come in the order of commits, so all earlier ones have
   * come as well.
   */
  const untilHeard = async (mark: string) => {
    await workers.sql.notify('flow_runs', mark);
    await waitFor(() => heard.includes(mark) || undefined);
  };
  try {
    const runIds = [await start()];
    await untilHeard('first');
    expect(heard).toEqual(['first']);
    await workers.sql`select private.await_claimable_runs()`;
    // Start the run on another connection than the one that holds the lock.
    const { runId, commit } = await startUncommitted();
    await commit();
    runIds.push(runId);
    await workers.sql`select pg_advisory_unlock_all()`;
    await untilHeard('second');
    expect(heard).toEqual(['first', '', 'second']);
    startWatchingWorker();
    await untilEnded(...runIds);
  } finally {
    await listener.end();
  }
});

it('a start that is uncommitted when a worker begins to wait is not missed', async () => {
  const { runId, commit } = await startUncommitted();
  startWatchingWorker();
  await waitFor(async () => (await watching()).some(({ granted }) => !granted) || undefined);
  await commit();
  await untilEnded(runId);
});

it('a released run is announced, too', async () => {
  const [runId] = await owner.start(flowId, [{ n: integer(1) }]);
  const rpc = makePostgresRpc({
    address: readPostgresAddress(workers.stack.status.DB_URL),
    maxConnections: 1,
    keptConnections: 1,
    idleMs: 1_000,
  });
  try {
    const [claim] = await rpc.rpc<{ claim_number: number }[]>('claim_flow_runs', { max_runs: 1, lease_seconds: 3_000 });
    startWatchingWorker();
    await untilWatching(1);
    const progress = { children: [], node_runs: [], transactions: [], logs: [], work_ms: 0, output_bytes: 0 };
    await rpc.rpc('release_flow_run', { flow_run_id: runId, claim_number: claim!.claim_number, progress });
    await untilEnded(runId!);
  } finally {
    rpc.close();
  }
});

it('four waiting workers execute a hundred runs', async () => {
  for (let count = 0; count < 4; count++) startWatchingWorker({ RUNNER_CONCURRENCY: '2' });
  await untilWatching(4);
  const runIds = await Promise.all(Array.from({ length: 100 }, start));
  await untilEnded(...runIds);
  const claimNumbers = await workers.sql`
    select distinct j.claim_number from private.flow_run_jobs as j where j.flow_run_id = any (${runIds}::uuid[])`;
  expect(claimNumbers).toEqual([{ claim_number: 1 }]);
});

it('a start while a worker begins to wait is not lost', async () => {
  startWatchingWorker();
  for (let round = 0; round < 90; round++) {
    const ended = untilEnded(await start());
    // Start the next run at any moment between the end of one run and the worker's wait for the next.
    if (round % 3 !== 0) await ended;
    await new Promise((resolve) => setTimeout(resolve, (round * 7919) % 5));
    if (round % 3 === 0) await Promise.all([ended, start().then(untilEnded)]);
  }
}, 240_000);

it('a worker whose connection is ended while it waits finds the runs that came meanwhile, and waits again', async () => {
  startWatchingWorker();
  for (let round = 0; round < 3; round++) {
    const [row] = await untilWatching(1);
    const [, runId] = await Promise.all([workers.sql`select pg_terminate_backend(${row!.pid})`, start()]);
    await untilEnded(runId);
    await untilWatching(1);
    await untilEnded(await start());
  }
});

it('a worker whose connection dies silently watches on another one', async () => {
  const proxy = await startFlakyProxy(workers.stack.status.DB_URL);
  try {
    const url = new URL(workers.stack.status.DB_URL);
    url.port = new URL(proxy.url).port;
    const end = startWatchingWorker({}, { watchedAddress: readPostgresAddress(String(url)), watchedPollMs: 1_000 });
    const [dead] = await untilWatching(1);
    proxy.silence();
    await waitFor(async () => (await watching()).find(({ pid }) => pid !== dead!.pid));
    // Some time later, the server notices that the old connection is dead.
    await workers.sql`select pg_terminate_backend(${dead!.pid})`;
    await untilWatching(1);
    await untilEnded(await start());
    await end();
  } finally {
    await proxy.close();
  }
});
