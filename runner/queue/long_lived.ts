import { isErrorOf } from '../../platform/api_error.ts';
import { pause } from '../../platform/pause.ts';
import { errorText, type WriteLog } from '../log_line.ts';
import type { Worker } from './worker.ts';

interface LongLivedOptions {
  worker: Worker;
  /** Pause between two drains. A drain executes runs until none can be claimed (`Worker.drain`). */
  pollMs: number;
  log: WriteLog;
  /** Aborted when the process must end. */
  stop: AbortSignal;
}

/** The longest pause between two attempts while the queue can't be read. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Works until it is stopped, and resolves when all runs that the worker held have ended or are released. Throws if the
 * project refuses the worker's key.
 */
export async function workUntilStopped({ worker, pollMs, log, stop }: LongLivedOptions): Promise<void> {
  stop.addEventListener('abort', () => worker.releaseAll(), { once: true });
  let pauseMs = pollMs;
  while (!stop.aborted) {
    const began = performance.now();
    try {
      await worker.drain();
      pauseMs = pollMs;
    } catch (error) {
      if (isErrorOf(error, 'token_invalid')) {
        throw new Error(
          'The project does not accept the key as a key of the service role. Check SUPABASE_SERVICE_ROLE_KEY or SUPABASE_SECRET_KEYS, or the user and password of SUPABASE_DB_URL.',
          {
            cause: error,
          },
        );
      }
      log('error', { event: 'queue_unreadable', error: errorText(error) });
      // A drain that took long could read the queue before it failed, so the pause is short again.
      if (performance.now() - began > LONGEST_PAUSE_MS) pauseMs = pollMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    await pause(pauseMs, stop);
  }
}
