import { isErrorOf } from '../../_shared/api_error.ts';
import { pause } from '../../_shared/pause.ts';
import { errorText, type WriteLog } from '../log_line.ts';
import type { Worker } from './worker.ts';

export interface LongLivedOptions {
  worker: Worker;
  /** How often to look for work when there was none. */
  pollMs: number;
  log: WriteLog;
  /** Aborted when the process shall end. */
  stop: AbortSignal;
}

/** The longest pause while the queue can't be read. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Works until it is stopped: then what it holds is finished or handed back, and this resolves. Throws when the project does not
 * take its key.
 */
export async function workUntilStopped({ worker, pollMs, log, stop }: LongLivedOptions): Promise<void> {
  stop.addEventListener('abort', () => worker.releaseAll(), { once: true });
  let pauseMs = pollMs;
  while (!stop.aborted) {
    try {
      await worker.drain();
      pauseMs = pollMs;
    } catch (error) {
      if (isErrorOf(error, 'token_invalid')) {
        throw new Error(
          'The project does not take the key for one of a service role: look at SUPABASE_SERVICE_ROLE_KEY.',
          {
            cause: error,
          },
        );
      }
      log('error', { event: 'queue_unreadable', error: errorText(error) });
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    await pause(pauseMs, stop);
  }
}
