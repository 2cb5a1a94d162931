import { connect } from '../../dev/stack/postgres/postgres.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import type { BenchStack } from './bench_stack.ts';

export const IN_FLIGHT = 16;

const RUNS_TIMEOUT_MS = 300_000;

/** Does work this many times, 16 at a time. */
export async function repeat(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const keepWorking = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepWorking));
}

/** Starts runs of a deployment in SQL, as its owner, on this many connections. */
export function makeSqlStarter({ owner, stack }: BenchStack, deploymentId: string, connections = IN_FLIGHT) {
  const claims = JSON.stringify({ sub: owner.id, role: 'authenticated', aud: 'authenticated' });
  const sql = connect(stack.superuserUrl, {
    max: connections,
    connection: { role: 'authenticated', 'request.jwt.claims': claims } as never,
  });
  const inputs = sql.json({ value: { D: '7' } });
  /** Returns the run's id. */
  const startOne = async (): Promise<string> => {
    const [row] =
      await sql`select public.start_deployment(id => ${deploymentId}::uuid, inputs => ${inputs}) as started`;
    return row!.started.flow_run_id;
  };
  return {
    startOne,
    start: (count: number) => repeat(count, startOne),
    close: () => sql.end(),
  };
}

/** Resolves when all runs have ended. Throws if a run has not succeeded. */
export async function allSucceeded({ sql }: BenchStack): Promise<void> {
  // Look at the queue, because that is cheaper than counting runs: indexes have the runs that have not ended.
  await waitFor(async () => {
    const [left] = await sql<[{ isEmpty: boolean }]>`
      select not exists (select from private.flow_run_jobs as j where j.state in ('ready', 'lost'))
        and not exists (select from private.flow_run_jobs as j where j.state in ('held', 'sleeping', 'waiting')) as "isEmpty"`;
    return left.isEmpty || undefined;
  }, RUNS_TIMEOUT_MS);
  const [other] = await sql`select status, errors from public.flow_run where status <> 'succeeded' limit 1`;
  if (other !== undefined) throw new Error(`a run is ${other.status}: ${other.errors}`);
}

/**
 * The way in which a worker reaches the database: through PostgREST, or by connections of its own as on a local stack.
 */
type WorkerTransport = 'HTTP' | 'Postgres';

/** Starts a worker as an operator would, and waits until it looks for work. */
export async function addWorker({ status }: BenchStack, over: WorkerTransport = 'Postgres'): Promise<WorkerProcess> {
  const worker = startWorker({ status, env: { SUPABASE_DB_URL: over === 'Postgres' ? status.DB_URL : '' } });
  const kill = () => worker.process.kill();
  process.once('exit', kill);
  worker.process.once('exit', () => process.off('exit', kill));
  await worker.ready();
  return worker;
}
