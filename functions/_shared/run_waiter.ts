import type { FlowRunResult } from '../../types/flow_run.ts';
import type { ReadRows, Rpc } from './database.ts';

/** How soon the database is asked, once for all who wait, after somebody new has come; then less and less often. */
const FIRST_POLL_MS = 2;
/** An answer comes so much after the end at the most, and the look itself; it is one look however many wait. */
const LONGEST_POLL_MS = 100;
const BACK_OFF = 1.5;

/** A look at runs: the news of those of which there is any, by id. */
export type Look<News> = (flowRunIds: string[]) => Promise<Map<string, News>>;

/** How a run has ended. */
export type EndedRun = Pick<FlowRunResult, 'status' | 'output' | 'errors'>;

/** Waits for news of runs on behalf of many callers, with one query at a time for all of them. */
export interface RunWaiter<News> {
  /** Resolves with the news of the run, or undefined when the time is over. The caller's right to see it is checked elsewhere. */
  wait: (flowRunId: string, seconds: number) => Promise<News | undefined>;
}

/** Ids that an address takes. */
const MAX_IDS = 100;

/** Looks for runs that have ended, and has their results at once: as many reads as there are callers would come together. */
export const lookForEnded = (serviceRead: ReadRows): Look<EndedRun> => async (flowRunIds) => {
  const pages = Array.from(
    { length: Math.ceil(flowRunIds.length / MAX_IDS) },
    (_, page) => flowRunIds.slice(page * MAX_IDS, (page + 1) * MAX_IDS),
  );
  const found = await Promise.all(
    pages.map((ids) =>
      serviceRead<EndedRun & { id: string }>(
        'flow_run',
        `select=id,status,output,errors&end_time=not.is.null&id=in.(${ids.join()})`,
      )
    ),
  );
  return new Map(found.flat().map(({ id, ...run }) => [id, run]));
};

/** Looks for runs that wait for a signature. */
export const lookForAsking = (serviceRpc: Rpc): Look<true> => async (flow_run_ids) =>
  new Map((await serviceRpc<string[]>('asking_flow_runs', { flow_run_ids })).map((id) => [id, true]));

export function makeRunWaiter<News>(look: Look<News>): RunWaiter<News> {
  const waiting = new Map<string, Set<(news: News) => void>>();
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
      const found = await look([...waiting.keys()]).catch(() => new Map<string, News>());
      for (const [id, news] of found) waiting.get(id)?.forEach((release) => release(news));
    }
    isPolling = false;
  };

  return {
    wait: (flowRunId, seconds) =>
      new Promise((resolve) => {
        const releases = waiting.get(flowRunId) ?? new Set();
        const release = (news?: News) => {
          clearTimeout(timer);
          releases.delete(release);
          if (releases.size === 0) waiting.delete(flowRunId);
          resolve(news);
        };
        const timer = setTimeout(() => release(), seconds * 1000);
        waiting.set(flowRunId, releases.add(release));
        if (pollMs > LONGEST_POLL_MS / 4) pollNow();
        pollMs = FIRST_POLL_MS;
        if (!isPolling) void poll();
      }),
  };
}
