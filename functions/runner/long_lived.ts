import { errorText, type WriteLog } from './log_line.ts';
import type { Worker } from './worker.ts';

export interface LongLivedOptions {
  worker: Worker;
  /** How often to look for work when there was none. */
  pollMs: number;
  log: WriteLog;
  /** Aborted when the process shall end. */
  stop: AbortSignal;
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });

/** Works until it is stopped: then what it holds is finished or handed back, and this resolves. */
export async function workUntilStopped({ worker, pollMs, log, stop }: LongLivedOptions): Promise<void> {
  stop.addEventListener('abort', () => worker.handBack(), { once: true });
  while (!stop.aborted) {
    try {
      await worker.drain();
    } catch (error) {
      log('error', { event: 'queue_unreadable', error: errorText(error) });
    }
    await sleep(pollMs, stop);
  }
}
