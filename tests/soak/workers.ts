import type { Stack } from '../../dev/stack/stack.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';

/** What every executor of runs has, the Edge Function too. */
export const runnerEnvironment = {
  // Short, so that a lost worker's runs go on within the soak.
  RUNNER_LEASE_SECONDS: '4',
  // Killed that often, a run may well lose many workers in a row without any fault of its own.
  RUNNER_MAX_LOST_CLAIMS: '1000000',
  // The lease of a webhook is 45 s longer.
  WEBHOOK_TIMEOUT_MS: '5000',
};

/** The long-lived workers beside the Edge Function. */
export interface Workers {
  /** Kills one as a crash does, whatever it does, and starts another in its place: that takes its time. */
  replace: (index: number) => Promise<void>;
  count: number;
  /** Ends all of them, as an operator does; the codes that they ended with. */
  end: () => Promise<(number | NodeJS.Signals)[]>;
  /** What they logged beside the news of ordinary work, in the order of the workers. */
  complaints: () => object[];
  /** Kills what is left, whatever it does. */
  kill: () => void;
}

/** Starts them; until they are ready, the Edge Function works alone. */
export function startWorkers(stack: Stack, count = 2): Workers {
  const { status, keys } = stack;
  const everybody: WorkerProcess[] = [];
  const start = () => {
    // Workers of both kinds, side by side.
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
        // One that had not come as far has nothing to release.
        return hasBegun ? code : 0;
      })),
    complaints: () => everybody.flatMap((worker) => worker.events()).filter(({ level }) => level !== 'info'),
    kill,
  };
}
