import type { FlowRunResult } from '../../types/flow_run.ts';
import type { ReadRows, Rpc } from '../_shared/database.ts';

/** The pause before the first look. Later pauses are half of the time waited so far, within the bounds below. */
const FIRST_PAUSE_MS = 2;
/** The longest pause in the first 10 s of a wait: an answer comes at most this long after the end of its run. */
const LONG_PAUSE_MS = 100;
/**
 * After a longer wait a pause is this part of the time waited: 1 s after 100 s. An Edge Function has 2 s of computing
 * for its looks.
 */
const LONG_WAIT_PART = 1 / 100;

/** Looks for news of runs, and gives the news that there is, by run id. */
export type Look<News> = (flowRunIds: string[]) => Promise<Map<string, News>>;

/** How a run has ended. */
export type EndedRun = Pick<FlowRunResult, 'status' | 'output' | 'errors'>;

/** Waits for news of runs on behalf of many callers, with one query at a time for all of them. */
export interface RunWaiter<News> {
  /**
   * Resolves with the news of the run, or undefined when the time is over or `signal` says that the caller is gone. The caller's
   * right to see it is checked elsewhere.
   */
  wait: (flowRunId: string, seconds: number, signal?: AbortSignal) => Promise<News | undefined>;
}

/** How many ids fit into one URL. */
const MAX_IDS = 100;

/**
 * Looks for runs that have ended, and reads their results in the same query. Otherwise all waiting callers would read
 * them at the same moment.
 */
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
export const lookForSignatureRequests = (serviceRpc: Rpc): Look<true> => async (flow_run_ids) =>
  new Map((await serviceRpc<string[]>('asking_flow_runs', { flow_run_ids })).map((id) => [id, true]));

/** A run that somebody waits for. */
interface Awaited<News> {
  /** A function for each caller who waits, which ends the wait. */
  releases: Set<(news: News) => void>;
  /** When the latest caller came. */
  since: number;
  /** When to look for this run again. */
  next: number;
}

const pauseAfter = (waitedMs: number): number =>
  Math.max(FIRST_PAUSE_MS, Math.min(waitedMs / 2, LONG_PAUSE_MS), waitedMs * LONG_WAIT_PART);

export function makeRunWaiter<News>(look: Look<News>): RunWaiter<News> {
  const awaited = new Map<string, Awaited<News>>();
  let isPolling = false;
  /** When the current pause ends, and what ends it early. */
  let pausesUntil = -Infinity;
  let pollNow = () => {};

  /** Pauses until the next look; a new caller ends the pause early. */
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

  /** The runs to look for now, and those that would be due soon after, so that one look serves them all. */
  const listDue = (): [string, Awaited<News>][] => {
    const now = performance.now();
    return [...awaited].filter(([, { since, next }]) => next <= now + pauseAfter(now - since) / 4);
  };

  const poll = async (): Promise<void> => {
    isPolling = true;
    while (awaited.size > 0) {
      await pause();
      const due = listDue();
      if (due.length === 0) continue;
      // A failed look finds nothing, and the callers wait on: each has its own time limit.
      const found = await look(due.map(([id]) => id)).catch(() => new Map<string, News>());
      const now = performance.now();
      for (const [, run] of due) run.next = now + pauseAfter(now - run.since);
      for (const [id, news] of found) awaited.get(id)?.releases.forEach((release) => release(news));
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
