import type { FlowRunResult } from '../../types/flow_run.ts';
import type { ReadRows, Rpc } from '../_shared/database.ts';
import type { LookBySession, RunNews } from './run_news.ts';

/** The pause before the first look. Later pauses are half of the time waited so far, within the bounds below. */
const FIRST_PAUSE_MS = 2;
/** The longest pause in the first 10 s of a wait: an answer comes at most this long after the end of its run. */
const LONG_PAUSE_MS = 100;
/**
 * After a longer wait a pause is this part of the time waited: 1 s after 100 s. An Edge Function has 2 s of computing
 * for its looks.
 */
const LONG_WAIT_PART = 1 / 100;
/**
 * How often runs are looked for that are followed: what announces nothing, such as a deletion, shows then, and so does
 * a session whose connection is dead. The database ends a session that says nothing for a minute.
 */
const FOLLOWED_PAUSE_MS = 15_000;

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

/** The same look by a session that follows the runs. */
export const lookForEndedBySession: LookBySession<EndedRun> = async (query, flowRunIds) => {
  const runs = await query<(EndedRun & { id: string })[]>(
    `select coalesce(json_agg(json_build_object('id', id, 'status', status, 'output', output, 'errors', errors)), '[]') as result
    from public.flow_run where id = any ($1::uuid[]) and end_time is not null`,
    flowRunIds,
  );
  return new Map(runs.map(({ id, ...run }) => [id, run]));
};

/** Looks for runs that wait for a signature. */
export const lookForSignatureRequests = (serviceRpc: Rpc): Look<true> => async (flow_run_ids) =>
  new Map((await serviceRpc<string[]>('asking_flow_runs', { flow_run_ids })).map((id) => [id, true]));

/** The same look by a session that follows the runs. */
export const lookForSignatureRequestsBySession: LookBySession<true> = async (query, flowRunIds) => {
  const statement = 'select to_json(array(select private.asking_flow_runs($1::uuid[]))) as result';
  return new Map((await query<string[]>(statement, flowRunIds)).map((id) => [id, true]));
};

/** A run that somebody waits for. */
interface Awaited<News> {
  /** A function for each caller who waits, which ends the wait. */
  releases: Set<(news: News) => void>;
  /** When the latest caller came. */
  since: number;
  /** When to look for this run again. */
  next: number;
  /** News will ask for the next look, so a further caller needs none. */
  isFollowed: boolean;
}

/** Follows runs, so that most looks are not needed. */
export interface Follow<News> {
  news: RunNews;
  look: LookBySession<News>;
}

const pauseAfter = (waitedMs: number): number =>
  Math.max(FIRST_PAUSE_MS, Math.min(waitedMs / 2, LONG_PAUSE_MS), waitedMs * LONG_WAIT_PART);

export function makeRunWaiter<News>(look: Look<News>, follow?: Follow<News>): RunWaiter<News> {
  const awaited = new Map<string, Awaited<News>>();
  let isPolling = false;
  /** When the current pause ends, and what ends it early. */
  let pausesUntil = -Infinity;
  let pollNow = () => {};
  /** When to look for all that are followed. */
  let followedNext = -Infinity;

  /** Pauses until the next look; a new caller and news end the pause early. */
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

  const lookSoon = (run: Awaited<News>, inMs: number): void => {
    run.next = performance.now() + inMs;
    if (run.next < pausesUntil) pollNow();
  };

  const onNews = (flowRunId: string): void => {
    const run = awaited.get(flowRunId);
    if (run !== undefined) lookSoon(run, 0);
  };

  /** The runs to look for now, and those that would be due soon after, so that one look serves them all. */
  const listDue = (): [string, Awaited<News>][] => {
    const now = performance.now();
    return [...awaited].filter(([, { since, next }]) => next <= now + pauseAfter(now - since) / 4);
  };

  /** Says when to look for these runs again, unless news or a caller who came during the look have said so. */
  const plan = (due: [string, Awaited<News>][], followed?: Set<string>): void => {
    const now = performance.now();
    if (followedNext <= now) followedNext = now + FOLLOWED_PAUSE_MS;
    for (const [id, run] of due) {
      run.isFollowed = followed?.has(id) ?? false;
      if (run.next !== Infinity) continue;
      run.next = run.isFollowed ? followedNext : now + pauseAfter(now - run.since);
    }
  };

  /** A failed look finds nothing, and the callers wait on: each has its own time limit. */
  const lookAt = async (due: [string, Awaited<News>][]): Promise<Map<string, News>> => {
    const ids = due.map(([id]) => id);
    for (const [, run] of due) run.next = Infinity;
    const bySession = await follow?.news.look(ids, follow.look, onNews);
    const found = bySession?.found ?? await look(ids).catch(() => new Map<string, News>());
    plan(due, bySession?.followed);
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
        const run = awaited.get(flowRunId) ?? { releases: new Set(), since: now, next: now, isFollowed: false };
        const release = (news?: News) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          run.releases.delete(release);
          if (run.releases.size === 0) {
            awaited.delete(flowRunId);
            follow?.news.unfollow(flowRunId, onNews);
          }
          resolve(news);
        };
        const leave = () => release();
        const timer = setTimeout(leave, seconds * 1000);
        signal?.addEventListener('abort', leave);
        run.releases.add(release);
        run.since = now;
        awaited.set(flowRunId, run);
        if (!run.isFollowed) lookSoon(run, FIRST_PAUSE_MS);
        if (!isPolling) void poll();
      }),
  };
}
