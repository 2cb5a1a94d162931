import type { Rpc } from './database.ts';

/** How soon the database is asked, once for all who wait, after somebody new has come; then less and less often. */
const FIRST_POLL_MS = 4;
/** An answer comes so much after the end at the most, and the look itself; it is one look however many wait. */
const LONGEST_POLL_MS = 150;
const BACK_OFF = 1.4;

/** What runs may be waited for: the SQL function that tells to which of them it has happened. */
export type RunEvent = 'ended_flow_runs' | 'asking_flow_runs';

/** Waits for something to happen to runs on behalf of many callers, with one query at a time for all of them. */
export interface RunWaiter {
  /** Resolves when it has happened to the run, or the time is over. The caller's right to see it is checked elsewhere. */
  wait: (flowRunId: string, seconds: number) => Promise<void>;
}

export function makeRunWaiter(serviceRpc: Rpc, event: RunEvent): RunWaiter {
  const waiting = new Map<string, Set<() => void>>();
  let isPolling = false;
  let pollMs = FIRST_POLL_MS;
  let pollNow = () => {};

  /** The pause before the next look; somebody new cuts it short. */
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      pollMs = Math.min(pollMs * BACK_OFF, LONGEST_POLL_MS);
      pollNow = () => {
        clearTimeout(timer);
        setTimeout(resolve, FIRST_POLL_MS);
      };
    });

  const poll = async (): Promise<void> => {
    isPolling = true;
    while (waiting.size > 0) {
      await pause();
      // A failed look is no answer; those who wait have their own time limits.
      const found = await serviceRpc<string[]>(event, { flow_run_ids: [...waiting.keys()] }).catch(() => []);
      for (const id of found) waiting.get(id)?.forEach((release) => release());
    }
    isPolling = false;
  };

  return {
    wait: (flowRunId, seconds) =>
      new Promise((resolve) => {
        const releases = waiting.get(flowRunId) ?? new Set();
        const release = () => {
          clearTimeout(timer);
          releases.delete(release);
          if (releases.size === 0) waiting.delete(flowRunId);
          resolve();
        };
        const timer = setTimeout(release, seconds * 1000);
        waiting.set(flowRunId, releases.add(release));
        if (pollMs > LONGEST_POLL_MS / 4) pollNow();
        pollMs = FIRST_POLL_MS;
        if (!isPolling) void poll();
      }),
  };
}
