import { isPassing } from '../api_error.ts';
import { pause } from '../pause.ts';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

/** Repeats a call while the database does not process it. Use it only for idempotent calls. */
export async function retried<Result>(retryMs: number, call: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + retryMs;
  for (let delay = FIRST_RETRY_MS;; delay = Math.min(delay * 2, LONGEST_RETRY_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || Date.now() + delay > deadline) throw error;
      await pause(delay);
    }
  }
}
