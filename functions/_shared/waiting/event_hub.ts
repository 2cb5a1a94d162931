import type { LookForEvents, WatchedPage } from './watched_events.ts';

/** The shortest pause between two looks. A look is one query for the events of all watched runs. */
const MIN_PAUSE_MS = 100;
/** The longest pause, so that watchers of quiet runs together cost one query a second. */
const MAX_PAUSE_MS = 1_000;
/** Between these bounds, a pause is this part of the time since the last event came or the latest watcher. */
const QUIET_PART = 1 / 10;

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
}

/** Returns the part of a page after this number. */
const after = (number: number, page: WatchedPage): WatchedPage => ({
  ...page,
  events: page.events.filter(({ id }) => id > number),
});

const byRun = (pages: WatchedPage[]): Map<string, WatchedPage> =>
  new Map(pages.map((page) => [page.flow_run_id, page]));

export function makeEventHub(look: LookForEvents): EventHub {
  const runs = new Map<string, Watched>();
  let isLooking = false;
  let lookedAt = -Infinity;
  /** The time at which the last event was read or the latest watcher came. */
  let activeAt = -Infinity;
  let planLook = () => {};

  const awaited = (): Watched[] => [...runs.values()].filter(({ waiting }) => waiting.size > 0);

  /** Pauses until the next look. A new watcher shortens the pause. */
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      planLook = () => {
        clearTimeout(timer);
        const now = performance.now();
        const pauseMs = Math.min(Math.max((now - activeAt) * QUIET_PART, MIN_PAUSE_MS), MAX_PAUSE_MS);
        timer = setTimeout(resolve, Math.max(lookedAt + pauseMs - now, 0));
      };
      planLook();
    });

  const deliver = (run: Watched, from: number, page: WatchedPage): void => {
    run.recent = { after: from, page };
    run.head = page.last;
    for (const { after: known, release } of run.waiting) {
      if (page.last > known || page.has_ended) release(after(known, page));
    }
  };

  const lookAt = async (watched: Watched[]): Promise<void> => {
    const cursors = watched.map((run) => {
      // The look begins with the first event that a waiting watcher lacks. A watcher who does not wait now may lack
      // earlier events. That watcher reads them itself.
      run.head = Math.max(run.head, Math.min(...Array.from(run.waiting, ({ after }) => after)));
      return { flowRunId: run.id, after: run.head };
    });
    // A failed look finds nothing. The watchers keep waiting, each until its own time limit.
    const pages = byRun(await look(cursors).catch(() => []));
    lookedAt = performance.now();
    if (pages.size > 0) activeAt = lookedAt;
    for (const [index, run] of watched.entries()) {
      const page = pages.get(run.id);
      if (page !== undefined) deliver(run, cursors[index]!.after, page);
    }
  };

  const keepLooking = async (): Promise<void> => {
    isLooking = true;
    while (awaited().length > 0) {
      await pause();
      const watched = awaited();
      if (watched.length > 0) await lookAt(watched);
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
      if (!isLooking) void keepLooking();
    });

  return {
    watch: (id) => {
      const run = runs.get(id) ??
        { id, watchers: 0, waiting: new Set(), head: -1, recent: undefined } satisfies Watched;
      runs.set(id, run);
      run.watchers++;
      activeAt = performance.now();
      planLook();
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
          if (run.watchers === 0) runs.delete(id);
        },
      };
    },
  };
}
