import type { RunEvent } from '../../types/run_event.ts';
import type { RunWatch } from '../_shared/waiting/event_hub.ts';
import { tell } from '../_shared/waiting/watched_events.ts';
import { requestLimits } from '../../types/limits/requests.ts';

/** After this time without an event, a comment is sent, so that proxies keep the connection. */
const COMMENT_MS = 1_000 * requestLimits.stream_comment_seconds.value;
/**
 * The time limit of a stream. It is needed because the platform ends a request to an Edge Function after 150 s.
 * Watchers reconnect when a stream ends.
 */
export const STREAM_MS = 1_000 * requestLimits.stream_seconds.value;
/**
 * The additional time for a watcher who still has unread events. After this time, the stream is cut off, so that a
 * watcher who never reads does not keep its slot.
 */
const UNREAD_MS = 15_000;
/** The delay before a watcher reconnects. The stream announces it. */
const RETRY_MS = 1_000;

/** A page of the events that a watcher may see, and whether it is the last page. */
export interface ToldPage {
  events: RunEvent[];
  last: number;
  has_more: boolean;
  has_ended: boolean;
}

interface EventStreamOptions {
  /** The first page. It is removed from the array when sent, so that a long stream does not keep it in memory. */
  ready: ToldPage[];
  /** Reads the events that follow this number, with the watcher's credentials. */
  read: (after: number) => Promise<ToldPage>;
  watch: RunWatch;
  isOwner: boolean;
  /** Aborted when the watcher has disconnected. */
  signal: AbortSignal;
  /** Called once, when the stream has ended. */
  onEnd: () => void;
}

const format = ({ id, event, data }: RunEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Generates the watcher's pages as they come. After each COMMENT_MS without events, generates an empty page. */
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
    // If all events of the page are hidden from this watcher, there is nothing to send.
    if (page.events.length > 0) yield page;
  }
}

/**
 * Makes a stream of server-sent events. The stream holds one page at most, and reads the next page only after the
 * watcher has taken that page. The stream ends after the last event of the run, at its time limit, or when a read
 * fails. The time limit applies even if the watcher does not read. After the end of a stream, its watcher reconnects.
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
    start: (controller) =>
      void (cutOff = () => controller.error(new Error('The watcher has stopped reading the stream.'))),
    pull: async (controller) => {
      // The error is dropped: the watcher gets it when it reconnects.
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
