import type { RunEvent } from '../../types/run_event.ts';
import type { RunWatch } from './event_hub.ts';
import { tell } from './watched_events.ts';

/** After so long without an event a comment is sent, so that proxies keep the connection. */
export const COMMENT_MS = 15_000;
/** A stream ends after so long: the platform ends a request to an Edge Function after 150 s. Watchers connect again. */
export const STREAM_MS = 140_000;
/** So much later a stream is cut off whose watcher has not taken what is there: one who never reads would keep its place. */
const UNREAD_MS = 15_000;
/** How long a watcher waits before it connects again, as its stream says. */
const RETRY_MS = 1_000;

/** Events that a watcher may be told, and whether they are the last. */
export interface ToldPage {
  events: RunEvent[];
  last: number;
  has_more: boolean;
  has_ended: boolean;
}

export interface EventStreamOptions {
  /** What was read when the watcher came. It is taken out of the list, since a stream may live long. */
  ready: ToldPage[];
  /** Reads the events after a number as the watcher. */
  read: (after: number) => Promise<ToldPage>;
  watch: RunWatch;
  isOwner: boolean;
  /** Aborted when the watcher is gone. */
  signal: AbortSignal;
  /** Called once, when the stream is over. */
  onEnd: () => void;
}

const format = ({ id, event, data }: RunEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The pages that a watcher gets, as they come; an empty one where nothing came for some time. */
async function* pagesOf(options: EventStreamOptions, signal: AbortSignal): AsyncGenerator<ToldPage, void, void> {
  const { ready, read, watch, isOwner } = options;
  const endsAt = performance.now() + STREAM_MS;
  let { last, has_more, has_ended } = ready[0]!;
  yield ready.pop()!;
  while (!has_ended && !signal.aborted) {
    const left = endsAt - performance.now();
    if (left <= 0) return;
    const next = has_more ? 'behind' : await watch.next(last, Math.min(left, COMMENT_MS), signal);
    if (next === undefined) {
      yield { events: [], last, has_more, has_ended };
      continue;
    }
    const page: ToldPage = next === 'behind'
      ? await read(last)
      : { ...next, events: next.events.flatMap((event) => tell(event, isOwner) ?? []) };
    ({ last, has_more, has_ended } = page);
    // A page may have nothing that this watcher is told.
    if (page.events.length > 0) yield page;
  }
}

/**
 * A stream of server-sent events. It holds one page at most: as long as the watcher has not taken it, no further one is
 * read. It ends after the end of the run, after its time, whether it is read or not, and when something can't be read;
 * watchers connect again.
 */
export function makeEventStream(options: EventStreamOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { signal, onEnd } = options;
  const gone = new AbortController();
  const leave = () => gone.abort();
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  const pages = pagesOf(options, gone.signal);
  const encoder = new TextEncoder();
  let isFirst = true;

  let cutOff = () => {};
  const timer = setTimeout(() => {
    leave();
    cutOff();
  }, STREAM_MS + UNREAD_MS);

  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    options.watch.close();
    onEnd();
  };
  gone.signal.addEventListener('abort', end, { once: true });
  if (gone.signal.aborted) end();

  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (cutOff = () => controller.error(new Error('The watcher does not read.'))),
    pull: async (controller) => {
      // What a read came to is told to the watcher who connects again.
      const { value, done } = await pages.next().catch(() => ({ value: undefined, done: true }));
      if (done || value === undefined) {
        leave();
        controller.close();
        return;
      }
      const head = isFirst ? `retry: ${RETRY_MS}\n\n` : '';
      isFirst = false;
      const text = value.events.map(format).join('');
      controller.enqueue(encoder.encode(`${head}${text === '' ? ':\n\n' : text}`));
    },
    cancel: leave,
  }, { highWaterMark: 1 });
}
