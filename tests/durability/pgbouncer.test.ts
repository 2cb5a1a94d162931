import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readPostgresAddress } from '../../platform/postgres/address.ts';
import { makePostgresRpc } from '../../platform/postgres/postgres_rpc.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { type Pgbouncer, pgbouncerBinary, startPgbouncer } from '../support/pgbouncer.ts';
import { startWorker } from '../support/worker_process.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const OWNERS = 5;
const RUNS_OF_OWNER = 40;
/** More clients than the pool has connections. */
const CLAIMERS = 12;

describe.runIf(pgbouncerBinary)('through PgBouncer in transaction mode', () => {
  let workers: WorkerStack;
  let pgbouncer: Pgbouncer;
  let runIds: string[];
  beforeAll(async () => {
    workers = await makeWorkerStack('pgbouncer', { watch: false, sweep: false });
    pgbouncer = await startPgbouncer(workers.stack.status.DB_URL);
  });
  afterAll(async () => {
    await pgbouncer?.stop();
    await workers?.remove();
  });
  beforeEach(async () => {
    runIds = [];
    for (let index = 0; index < OWNERS; index++) {
      const owner = await workers.addOwner();
      const inputs = Array.from({ length: RUNS_OF_OWNER }, (_, n) => ({ n: integer(n) }));
      runIds.push(...await owner.start(await owner.storeFlow(chainFlow(2)), inputs));
    }
  });

  it('concurrent claims take each run once, and owners take turns', async () => {
    const address = readPostgresAddress(pgbouncer.url);
    const clients = Array.from(
      { length: CLAIMERS },
      () => makePostgresRpc({ address, maxConnections: 1, keptConnections: 1, idleMs: 1_000 }),
    );
    const claims = (await Promise.all(clients.map(async ({ rpc }) => {
      const taken: { flow_run_id: string; user_id: string }[][] = [];
      for (;;) {
        const claimed = await rpc<{ flow_run_id: string; user_id: string }[]>('claim_flow_runs', {
          max_runs: OWNERS,
          lease_seconds: 3_600,
        });
        if (claimed.length === 0) return taken;
        taken.push(claimed);
      }
    }))).flat();
    clients.forEach(({ close }) => close());
    expect(claims.flat().map(({ flow_run_id }) => flow_run_id).toSorted()).toEqual(runIds.toSorted());
    expect(new Set(claims[0]!.map(({ user_id }) => user_id)).size).toBe(OWNERS);
    await workers.sql`delete from public.flow_run where id = any (${runIds}::uuid[])`;
  });

  it('three workers execute each run once, one of them without the pool', async () => {
    const { status } = workers.stack;
    const started = [pgbouncer.url, pgbouncer.url, status.DB_URL].map((url) =>
      startWorker({ status, runtime: 'bundle in node', env: { SUPABASE_DB_URL: url } })
    );
    const ended = await workers.ended(runIds);
    expect(ended.every((run) => run.status === 'succeeded')).toBe(true);
    expect(await Promise.all(started.map((worker) => worker.end('SIGTERM')))).toEqual([0, 0, 0]);
    const jobs = await workers.sql`
      select count(*)::integer as runs, max(claim_number) as claims from private.flow_run_jobs
      where flow_run_id = any (${runIds}::uuid[]) and state = 'ended'`;
    expect(jobs).toEqual([{ runs: runIds.length, claims: 1 }]);
    const finished = started.flatMap((worker) => worker.events()).filter(({ event }) => event === 'run_finished');
    expect(finished.map((event) => event['flow_run_id']).toSorted()).toEqual(runIds.toSorted());
  });
});
