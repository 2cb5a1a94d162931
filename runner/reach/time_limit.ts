import { NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';

/** The time limits of a request. */
export interface TimeLimit {
  /** Aborted with the reason when the time is over or the node's own signal is aborted. */
  signal: AbortSignal;
  /** Waits for `wait`. The time of this wait does not count. */
  except: (wait: Promise<void>) => Promise<void>;
  /** Waits for the server. If the wait takes longer than `idleMs`, aborts the request. */
  server: <T>(wait: Promise<T>) => Promise<T>;
  close: () => void;
}

/** Limits the time of a whole request, and each time for which the server sends nothing. */
export function limitTime(timeoutMs: number, idleMs: number, given: AbortSignal): TimeLimit {
  const limit = new AbortController();
  const abort = () => limit.abort(new NodeError('the request was canceled'));
  const abortAfter = (ms: number, fault: string) => setTimeout(() => limit.abort(new TransientError(fault)), ms);
  let leftMs = timeoutMs;
  let startedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    startedAt = performance.now();
    timer = abortAfter(leftMs, `the request took longer than ${timeoutMs / 1000} s`);
  };
  start();
  given.addEventListener('abort', abort);
  if (given.aborted) abort();
  return {
    signal: limit.signal,
    except: async (wait) => {
      clearTimeout(timer);
      leftMs = Math.max(leftMs - (performance.now() - startedAt), 0);
      await wait;
      start();
    },
    server: async (wait) => {
      if (idleMs >= timeoutMs) return await wait;
      const idle = abortAfter(idleMs, `the server sent nothing for ${idleMs / 1000} s`);
      try {
        return await wait;
      } finally {
        clearTimeout(idle);
      }
    },
    close: () => {
      clearTimeout(timer);
      given.removeEventListener('abort', abort);
    },
  };
}
