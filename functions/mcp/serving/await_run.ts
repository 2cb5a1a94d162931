import type { EndedRun } from '../../../types/flow_run.ts';
import type { EventHub } from '../../_shared/waiting/event_hub.ts';
import type { RunWaiter } from '../../_shared/waiting/run_waiter.ts';
import type { LookForEvents, WatchedPage } from '../../_shared/waiting/watched_events.ts';

/** The services that tell what happens to runs. */
interface RunSources {
  ends: RunWaiter<EndedRun>;
  events: EventHub;
  look: LookForEvents;
}

/** The news for which a tool call waits: its run has ended, or asks somebody. */
type CallNews = { ended: EndedRun } | 'asks';

/** Waits for news of one run. */
export interface CallWatch {
  /** Resolves with the next news; with undefined when the time is over or `signal` is aborted. */
  next: (ms: number, signal: AbortSignal) => Promise<CallNews | undefined>;
  close: () => void;
}

/** Is told of the begin or end of a node: the number of such events so far, and a sentence. */
export type OnProgress = (count: number, message: string) => void;

/** The most events of one page that are told. Loops may have thousands. */
const MOST_TOLD = 100;

const WORDS = { node_start: 'has begun', node_finish: 'has ended', node_error: 'has failed' } as const;

const isNodeEvent = (event: string): event is keyof typeof WORDS => Object.hasOwn(WORDS, event);

/** Watches a run. The events are watched more slowly than the end, which most callers wait for. */
export function watchRun(
  { ends, events, look }: RunSources,
  flowRunId: string,
  onProgress: OnProgress | undefined,
): CallWatch {
  const watch = events.watch(flowRunId);
  let after = 0;
  let count = 0;

  /** Tells the progress of a page. Returns true if the run asks somebody in it. */
  const take = (page: WatchedPage): boolean => {
    after = page.last;
    const steps = page.events.flatMap(({ event, data }) =>
      isNodeEvent(event) && 'name' in data ? [`${data.name} ${WORDS[event]}`] : []
    );
    count += steps.length;
    const told = steps.slice(-MOST_TOLD);
    for (const [index, step] of told.entries()) onProgress?.(count - told.length + index + 1, step);
    return page.events.some(({ event }) => event === 'api_input' || event === 'signature_request');
  };
  const lookNow = async (): Promise<WatchedPage | undefined> => (await look([{ flowRunId, after }]).catch(() => []))[0];

  const nextQuestion = async (ms: number, signal: AbortSignal): Promise<'asks' | undefined> => {
    const until = performance.now() + ms;
    while (!signal.aborted && performance.now() < until) {
      const next = await watch.next(after, until - performance.now(), signal);
      const page = next === 'behind' ? await lookNow() : next;
      if (page === undefined) return undefined;
      if (take(page)) return 'asks';
      if (page.has_ended) return undefined;
    }
    return undefined;
  };

  return {
    next: async (ms, signal) => {
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const ended: Promise<CallNews | undefined> = ends.wait(flowRunId, ms / 1_000, either)
        .then((run) => run && { ended: run });
      const news = await Promise.race([ended, nextQuestion(ms, either).then((asks) => asks ?? ended)]);
      over.abort();
      // A short run ends before its events are looked for.
      const last = onProgress !== undefined && news !== undefined && news !== 'asks' ? await lookNow() : undefined;
      if (last !== undefined) take(last);
      return news;
    },
    close: watch.close,
  };
}
