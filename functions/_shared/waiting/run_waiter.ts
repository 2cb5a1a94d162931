import type { EndedRun } from '../../../types/flow_run.ts';
import type { ReadRows, Rpc } from '../../../platform/database/rpc.ts';

/**
 * The pause before the first look. A look is a query for news. Each later pause is half of the elapsed wait, within the
 * bounds below.
 */
const FIRST_PAUSE_MS = 2;
/**
 * The longest pause in the first 10 s of a wait. So in this time, the delay between the end of a run and the answer is
 * at most one such pause.
 */
const LONG_PAUSE_MS = 100;
/**
 * After 10 s, each pause is this part of the elapsed wait: 1 s after 100 s. An Edge Function has only 2 s of CPU time
 * for all its looks, so a long wait must look less often.
 */
const LONG_WAIT_PART = 1 / 100;
/** Looks for news of runs. Returns the news by run id. */
type ReadNews<News> = (flowRunIds: string[]) => Promise<Map<string, News>>;

/** Waits for news of runs for many callers, with one query at a time for all of them. */
export interface RunWaiter<News> {
  /**
   * Resolves with the news of the run, or with undefined when the time is over or `signal` is aborted. Does not check
   * whether the caller may see the run.
   */
  wait: (flowRunId: string, seconds: number, signal?: AbortSignal) => Promise<News | undefined>;
}

/** The number of ids that fit into one URL. */
const MAX_IDS = 100;

/**
 * Looks for ended runs and reads their results in the same query. If the results needed a second query, all waiting
 * callers would send that query at the same moment.
 */
export const lookForEnded = (serviceRead: ReadRows): ReadNews<EndedRun> => async (flowRunIds) => {
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
export const lookForSignatureRequests = (serviceRpc: Rpc): ReadNews<true> => async (flow_run_ids) =>
  new Map((await serviceRpc<string[]>('asking_flow_runs', { flow_run_ids })).map((id) => [id, true]));

/** A run with waiting callers. */
interface Awaited<News> {
  /** A function for each waiting caller; it ends the wait. */
  releases: Set<(news: News) => void>;
  /** The time at which the latest caller came. */
  since: number;
  /** The time of the next look at this run. */
  next: number;
}

const pauseAfter = (waitedMs: number): number =>
  Math.max(FIRST_PAUSE_MS, Math.min(waitedMs / 2, LONG_PAUSE_MS), waitedMs * LONG_WAIT_PART);

export function makeRunWaiter<News>(look: ReadNews<News>): RunWaiter<News> {
  const awaited = new Map<string, Awaited<News>>();
  let isPolling = false;
  /** The end of the current pause, and the function that ends it early. */
  let pausesUntil = -Infinity;
  let pollNow = () => {};

  /** Pauses until the next look. A new caller ends the pause early. */
  const pause = async (): Promise<void> => {
    const next = Array.from(awaited.values(), (run) => run.next).reduce((a, b) => Math.min(a, b));
    pausesUntil = next;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(next - performance.now(), FIRST_PAUSE_MS));
      pollNow = () => {
        pausesUntil = -Infinity;
        clearTimeout(timer);
        setTimeout(resolve, FIRST_PAUSE_MS);
      };
    });
    pausesUntil = -Infinity;
  };

  /** Returns the runs whose look is due now or soon. One look serves all of them. */
  const listDue = (): [string, Awaited<News>][] => {
    const now = performance.now();
    return [...awaited].filter(([, { since, next }]) => next <= now + pauseAfter(now - since) / 4);
  };

  /** Looks at the runs. A failed look finds nothing, so the callers keep waiting, each until its own time limit. */
  const lookAt = async (due: [string, Awaited<News>][]): Promise<Map<string, News>> => {
    for (const [, run] of due) run.next = Infinity;
    const found = await look(due.map(([id]) => id)).catch(() => new Map<string, News>());
    const now = performance.now();
    for (const [, run] of due) {
      // If a new caller came during the look, the next look is scheduled already.
      if (run.next === Infinity) run.next = now + pauseAfter(now - run.since);
    }
    return found;
  };

  const poll = async (): Promise<void> => {
    isPolling = true;
    while (awaited.size > 0) {
      await pause();
      const due = listDue();
      if (due.length === 0) continue;
      for (const [id, news] of await lookAt(due)) awaited.get(id)?.releases.forEach((release) => release(news));
    }
    isPolling = false;
  };

  return {
    wait: (flowRunId, seconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve(undefined);
        const now = performance.now();
        const run = awaited.get(flowRunId) ?? { releases: new Set(), since: now, next: now };
        const release = (news?: News) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          run.releases.delete(release);
          if (run.releases.size === 0) awaited.delete(flowRunId);
          resolve(news);
        };
        const leave = () => release();
        const timer = setTimeout(leave, seconds * 1000);
        signal?.addEventListener('abort', leave);
        run.releases.add(release);
        run.since = now;
        run.next = now + FIRST_PAUSE_MS;
        awaited.set(flowRunId, run);
        if (run.next < pausesUntil) pollNow();
        if (!isPolling) void poll();
      }),
  };
}
