import type { Rpc } from './database.ts';

/** How often the database is asked, once for all who wait. */
const POLL_MS = 150;

/** Waits for runs to end on behalf of many callers, with one query at a time for all of them. */
export interface RunWaiter {
  /** Resolves when the run has ended, or the time is over. The caller's right to see it is checked elsewhere. */
  wait: (flowRunId: string, seconds: number) => Promise<void>;
}

export function makeRunWaiter(serviceRpc: Rpc): RunWaiter {
  const waiting = new Map<string, Set<() => void>>();
  let isPolling = false;

  const poll = async (): Promise<void> => {
    isPolling = true;
    while (waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      // A failed look is no answer; those who wait have their own time limits.
      const ended = await serviceRpc<string[]>('ended_flow_runs', {
        flow_run_ids: [...waiting.keys()],
      }).catch(() => []);
      for (const id of ended) waiting.get(id)?.forEach((release) => release());
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
        if (!isPolling) void poll();
      }),
  };
}
