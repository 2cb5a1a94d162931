import type { NewsSession, OpenNewsSession, QueryRuns } from './news_session.ts';

/** The time for which a session stays open without a followed run. */
const IDLE_MS = 10_000;
/** The pause between a lost or refused session and the next session. */
const RETRY_MS = 5_000;

/**
 * The kind of news. `ends`: a run has ended, or asks somebody outside for an answer. `events`: a run has a new event.
 */
export type NewsTopic = 'ends' | 'events';

const FOLLOW = 'select to_json(array(select private.follow_flow_runs($1::uuid[], $2))) as result';
const UNFOLLOW = 'select private.unfollow_flow_runs($1::uuid[], $2)';

/** Called when a followed run has news. Also called when the run is no longer followed because the session is lost. */
export type OnNews = (flowRunId: string) => void;

/** Looks for news of runs through a session. */
export type LookBySession<News> = (query: QueryRuns, flowRunIds: string[]) => Promise<Map<string, News>>;

/** The result of a look, and the runs that are now followed. When a followed run has news, `onNews` is called. */
export interface Found<News> {
  found: Map<string, News>;
  followed: Set<string>;
}

/** Follows runs through one session of the database. The session is open only while runs are followed. */
export interface RunNews {
  /**
   * If a session is open, follows the given runs that are not followed yet. Then calls `lookBySession` with all given
   * runs, even with runs that can't be followed. If no session is open, resolves with undefined and opens a session for
   * later calls.
   */
  look: <News>(
    flowRunIds: string[],
    lookBySession: LookBySession<News>,
    onNews: OnNews,
    topic?: NewsTopic,
  ) => Promise<Found<News> | undefined>;
  /**
   * Opens a session. Does nothing if a session is open, or if a failure still delays the next attempt. Resolves after
   * the attempt, whether or not it succeeded.
   */
  open: () => Promise<void>;
  /** Removes this follower from the run. */
  unfollow: (flowRunId: string, onNews: OnNews) => void;
}

/**
 * The followers of a run, each with its topic. A session follows a run by a lock in the database. `isTaken` is true if
 * the database has confirmed the follower's lock.
 */
type Followers = Map<OnNews, { topic: NewsTopic; isTaken: boolean }>;

export function makeRunNews(open: OpenNewsSession): RunNews {
  let session: NewsSession | undefined;
  let opening: Promise<void> | undefined;
  let opensAgainAt = -Infinity;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const runs = new Map<string, Followers>();
  /** The number of locks that are taken or requested. */
  let lockCount = 0;
  /**
   * Runs to unfollow, by topic. When many callers are answered together, one statement unfollows the runs of all of
   * them.
   */
  let leaving = new Map<NewsTopic, string[]>();

  const lose = (lost: NewsSession | undefined): void => {
    if (lost === undefined || session !== lost) return;
    session = undefined;
    opensAgainAt = performance.now() + RETRY_MS;
    leaving = new Map();
    lockCount = 0;
    clearTimeout(idle);
    lost.close();
    const told = [...runs];
    runs.clear();
    for (const [id, followers] of told) for (const onNews of followers.keys()) onNews(id);
  };

  const closeWhenIdle = (): void => {
    clearTimeout(idle);
    if (runs.size > 0) return;
    idle = setTimeout(() => {
      session?.close();
      session = undefined;
    }, IDLE_MS);
  };

  const tell = (id: string): void => runs.get(id)?.forEach((_state, onNews) => onNews(id));

  const openSession = async (): Promise<void> => {
    let opened: NewsSession | undefined;
    let isLost = false;
    try {
      opened = await open({
        onNews: tell,
        onLost: () => {
          isLost = true;
          lose(opened);
        },
      });
    } catch {
      // Without a session, polling serves the waiting callers.
    }
    if (opened === undefined || isLost) {
      opensAgainAt = performance.now() + RETRY_MS;
      return;
    }
    session = opened;
    closeWhenIdle();
  };

  const openOnce = (): Promise<void> => {
    if (session !== undefined || performance.now() < opensAgainAt) return Promise.resolve();
    opening ??= openSession().finally(() => opening = undefined);
    return opening;
  };

  const flush = (): void => {
    const left = leaving;
    leaving = new Map();
    const current = session;
    for (const [topic, ids] of left) current?.query(UNFOLLOW, ids, topic).catch(() => lose(current));
  };

  const leave = (id: string, topic: NewsTopic): void => {
    if (leaving.size === 0) queueMicrotask(flush);
    const ids = leaving.get(topic) ?? [];
    leaving.set(topic, ids);
    ids.push(id);
  };

  const remove = (id: string, onNews: OnNews): void => {
    const followers = runs.get(id);
    const follower = followers?.get(onNews);
    if (follower === undefined) return;
    followers!.delete(onNews);
    lockCount--;
    if (followers!.size === 0) runs.delete(id);
    // If the database has not confirmed the lock yet, `recordTaken` releases it later.
    if (follower.isTaken) leave(id, follower.topic);
    closeWhenIdle();
  };

  const reserve = (ids: string[], onNews: OnNews, topic: NewsTopic, { capacity }: NewsSession): string[] => {
    const asked = ids.filter((id) => !runs.get(id)?.has(onNews)).slice(0, Math.max(capacity - lockCount, 0));
    lockCount += asked.length;
    for (const id of asked) {
      const followers: Followers = runs.get(id) ?? new Map();
      runs.set(id, followers.set(onNews, { topic, isTaken: false }));
    }
    closeWhenIdle();
    return asked;
  };

  /** Records the taken locks. If a follower has left meanwhile, releases its lock. */
  const recordTaken = (asked: string[], taken: Set<string>, onNews: OnNews, topic: NewsTopic): void => {
    for (const id of asked) {
      const isAsked = runs.get(id)?.has(onNews);
      if (isAsked && taken.has(id)) runs.get(id)!.set(onNews, { topic, isTaken: true });
      else if (isAsked) remove(id, onNews);
      else if (taken.has(id)) leave(id, topic);
    }
  };

  return {
    open: openOnce,
    look: async (ids, lookBySession, onNews, topic = 'ends') => {
      const current = session;
      if (current === undefined) {
        void openOnce();
        return undefined;
      }
      const asked = reserve(ids, onNews, topic, current);
      try {
        // Both statements are sent at once and executed in order, so `lookBySession` sees everything that was committed
        // before the locks were taken.
        const [taken, found] = await Promise.all([
          asked.length === 0 ? [] : current.query<string[]>(FOLLOW, asked, topic),
          lookBySession(current.query, ids),
        ]);
        if (session !== current) return undefined;
        recordTaken(asked, new Set(taken), onNews, topic);
        return { found, followed: new Set(ids.filter((id) => runs.get(id)?.has(onNews))) };
      } catch {
        lose(current);
        return undefined;
      }
    },
    unfollow: remove,
  };
}
