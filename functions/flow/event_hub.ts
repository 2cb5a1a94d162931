import type { RunNews } from '../_shared/waiting/run_news.ts';
import { type Cursor, type LookForEvents, lookForEventsBySession, type WatchedPage } from './watched_events.ts';

/**
 * The shortest pause between two looks while there is no session for news. A look is one query for the events of all
 * watched runs, so the watchers together cost one query a second.
 */
const POLL_MS = 1_000;
/** The shortest pause while there is a session. It lets one look read several events in quick succession. */
const NEWS_MS = 50;
/**
 * The longest time between two looks at a followed run. A followed run needs looks in spite of its session, because a
 * deletion sends no news and the session may be dead.
 */
const FOLLOWED_MS = 15_000;

/** A watcher's view of one run. */
export interface RunWatch {
  /**
   * Resolves with the events after this number as soon as there are some, or when the run has ended. If the hub no
   * longer has the events directly after this number, resolves with `behind`, and the watcher must read them itself.
   * Resolves with undefined when the time is over or `signal` is aborted.
   */
  next: (after: number, ms: number, signal: AbortSignal) => Promise<WatchedPage | 'behind' | undefined>;
  /** Ends the watch. */
  close: () => void;
}

/**
 * Reads events of runs for all watchers of this instance, with one query at a time. Does not check whether a watcher
 * may see the run.
 */
export interface EventHub {
  watch: (flowRunId: string) => RunWatch;
}

/** A waiting call of `next`. */
interface Waiting {
  after: number;
  release: (page: WatchedPage | undefined) => void;
}

/** A run with at least one watcher. */
interface Watched {
  id: string;
  watchers: number;
  waiting: Set<Waiting>;
  /** The number up to which events were read. */
  head: number;
  /** The last page, with the number after which it begins. It serves watchers who were busy with the previous page. */
  recent: { after: number; page: WatchedPage } | undefined;
  /** The time of the next look at this run. */
  due: number;
}

/** Returns the part of a page after this number. */
const after = (number: number, page: WatchedPage): WatchedPage => ({
  ...page,
  events: page.events.filter(({ id }) => id > number),
});

const byRun = (pages: WatchedPage[]): Map<string, WatchedPage> =>
  new Map(pages.map((page) => [page.flow_run_id, page]));

export function makeEventHub(look: LookForEvents, news?: RunNews): EventHub {
  const runs = new Map<string, Watched>();
  let isLooking = false;
  let lookedAt = -Infinity;
  let pauseMs = POLL_MS;
  let lookSoon = () => {};

  const awaited = (): Watched[] => [...runs.values()].filter(({ waiting }) => waiting.size > 0);

  const onNews = (id: string): void => {
    const run = runs.get(id);
    if (run === undefined) return;
    run.due = -Infinity;
    lookSoon();
  };

  /** Pauses until the next look. News or a new watcher ends the pause early. */
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const plan = () => {
        clearTimeout(timer);
        const due = awaited().reduce((earliest, run) => Math.min(earliest, run.due), Infinity);
        const wait = Math.max(due, lookedAt + pauseMs) - performance.now();
        timer = setTimeout(resolve, Math.min(Math.max(wait, 0), FOLLOWED_MS));
      };
      let timer: ReturnType<typeof setTimeout> | undefined;
      lookSoon = plan;
      plan();
    });

  const lookBySession = async (cursors: Cursor[]) => {
    await news?.open();
    const afters = new Map(cursors.map(({ flowRunId, after }) => [flowRunId, after]));
    return await news?.look(
      [...afters.keys()],
      async (query) => byRun(await lookForEventsBySession(query, cursors)),
      onNews,
      'events',
    );
  };

  const deliver = (run: Watched, from: number, page: WatchedPage): void => {
    run.recent = { after: from, page };
    run.head = page.last;
    if (page.has_more) run.due = -Infinity;
    for (const { after: known, release } of run.waiting) {
      if (page.last > known || page.has_ended) release(after(known, page));
    }
  };

  const lookAt = async (due: Watched[]): Promise<void> => {
    for (const run of due) {
      // The look begins with the first event that a waiting watcher lacks. A watcher who does not wait now may lack
      // earlier events. That watcher reads them itself.
      run.head = Math.max(run.head, Math.min(...Array.from(run.waiting, ({ after }) => after)));
      run.due = Infinity;
    }
    const cursors = due.map(({ id, head }) => ({ flowRunId: id, after: head }));
    const found = await lookBySession(cursors);
    // A failed look finds nothing. The watchers keep waiting, each until its own time limit.
    const pages = found?.found ?? byRun(await look(cursors).catch(() => []));
    lookedAt = performance.now();
    pauseMs = found === undefined ? POLL_MS : NEWS_MS;
    for (const [index, run] of due.entries()) {
      const page = pages.get(run.id);
      if (page !== undefined) deliver(run, cursors[index]!.after, page);
      const isFollowed = found?.followed.has(run.id) ?? false;
      run.due = Math.min(run.due, lookedAt + (isFollowed ? FOLLOWED_MS : POLL_MS));
    }
  };

  const keepLooking = async (): Promise<void> => {
    isLooking = true;
    while (awaited().length > 0) {
      await pause();
      const now = performance.now();
      const due = awaited().filter((run) => run.due <= now);
      if (due.length > 0) await lookAt(due);
    }
    isLooking = false;
  };

  const wait = (run: Watched, known: number, ms: number, signal: AbortSignal): Promise<WatchedPage | undefined> =>
    new Promise((resolve) => {
      const leave = () => waiting.release(undefined);
      const timer = setTimeout(leave, ms);
      const waiting: Waiting = {
        after: known,
        release: (page) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          run.waiting.delete(waiting);
          resolve(page);
        },
      };
      signal.addEventListener('abort', leave);
      run.waiting.add(waiting);
      if (isLooking) lookSoon();
      else void keepLooking();
    });

  return {
    watch: (id) => {
      const run = runs.get(id) ??
        { id, watchers: 0, waiting: new Set(), head: -1, recent: undefined, due: -Infinity } satisfies Watched;
      runs.set(id, run);
      run.watchers++;
      let isOpen = true;
      return {
        next: async (known, ms, signal) => {
          if (signal.aborted) return undefined;
          if (known < run.head) {
            const { recent } = run;
            return recent !== undefined && recent.after <= known ? after(known, recent.page) : 'behind';
          }
          if (run.recent?.page.has_ended) return after(known, run.recent.page);
          return await wait(run, known, ms, signal);
        },
        close: () => {
          if (!isOpen) return;
          isOpen = false;
          run.watchers--;
          if (run.watchers > 0) return;
          runs.delete(id);
          news?.unfollow(id, onNews);
        },
      };
    },
  };
}
