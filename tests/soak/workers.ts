import type { Stack } from '../../dev/stack/stack.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';

/** The environment of all workers, and of the Edge Function `runner`. */
export const runnerEnvironment = {
  // A short lease, so that the runs of a lost worker continue within the soak.
  RUNNER_LEASE_SECONDS: '4',
  // With so many kills, a run may lose many workers in a row without a fault of its own.
  RUNNER_MAX_LOST_CLAIMS: '1000000',
  // The lease of a webhook is 45 s longer than this timeout, so the timeout is short.
  WEBHOOK_TIMEOUT_MS: '5000',
};

/** The long-lived workers besides the Edge Function. */
export interface Workers {
  /** Kills a worker like a crash, and starts another one in its place, which takes some time. */
  replace: (index: number) => Promise<void>;
  count: number;
  /** Ends all workers like an operator. Returns their exit codes. */
  end: () => Promise<(number | NodeJS.Signals)[]>;
  /** Returns their log entries about anything but ordinary work, in the order of the workers. */
  complaints: () => object[];
  /** Kills the workers that are left. */
  kill: () => void;
}

/** Starts the workers. Until they are ready, the Edge Function works alone. */
export function startWorkers(stack: Stack, count = 2): Workers {
  const { status, keys } = stack;
  const everybody: WorkerProcess[] = [];
  const start = () => {
    // Every second worker reaches the database through PostgREST, the others by connections of their own.
    const over = everybody.length % 2 === 0 ? 'PostgREST' : 'Postgres';
    const worker = startWorker({ status, over, env: { WALLET_KEYS: keys.walletKeys, ...runnerEnvironment } });
    everybody.push(worker);
    return worker;
  };
  const workers: WorkerProcess[] = Array.from({ length: count }, start);
  const kill = () => workers.forEach((worker) => worker.process.kill('SIGKILL'));
  process.once('exit', kill);
  return {
    count,
    async replace(index) {
      await workers[index]!.end('SIGKILL');
      workers[index] = start();
    },
    end: () =>
      Promise.all(workers.map(async (worker) => {
        const hasBegun = worker.events().some(({ event }) => event === 'worker_started');
        const code = await worker.end('SIGTERM');
        // A worker that was still starting has nothing to release, so its exit code does not matter.
        return hasBegun ? code : 0;
      })),
    complaints: () => everybody.flatMap((worker) => worker.events()).filter(({ level }) => level !== 'info'),
    kill,
  };
}
