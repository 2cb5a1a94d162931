import type { RunEvent } from '../../types/run_event.ts';
import { readEvents } from '../requests/event_stream.ts';
import type { EventOptions, FlowClient, RunReference } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { brokenOff, isTransient, type OpenStream, pause } from '../requests/request.ts';
import { readReference, runRoute } from './run_reference.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** The milliseconds for which a watcher tries to reconnect before it gives up. */
const GIVE_UP_MS = 120_000;
/** The time limit for the beginning of an answer, in milliseconds. */
const CONNECT_MS = 30_000;

/** Tests whether this is the last event: the end of the run at the root of the tree. */
const isLast = ({ event, data }: RunEvent): boolean => event === 'run_finish' && data.called_by === null;

/** Makes the method that watches runs. `retries` is how often the client tries the first connection again. */
export function makeWatching(open: OpenStream, retries: number): Pick<FlowClient, 'events'> {
  /** Yields the events of one connection. `on.open` is called when the connection is established. */
  async function* connect(
    run: RunReference<object>,
    last: number,
    signal: AbortSignal | undefined,
    on: { open: () => void; retry: (ms: number) => void },
  ): AsyncGenerator<RunEvent, 'over' | 'broken', void> {
    const { path } = runRoute('events', run);
    const { token } = readReference(run);
    const headers = {
      // The token is sent in addition to the client's own credential, because the owner of the flow gets more data than
      // the holder of the token.
      ...(token !== undefined && { 'x-flow-run-token': token }),
      ...(last > 0 && { 'last-event-id': String(last) }),
    };
    const connection = new AbortController();
    const end = () => connection.abort();
    const timer = setTimeout(end, CONNECT_MS);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    let isOpen = false;
    try {
      const body = await open({ path, headers }, connection.signal);
      clearTimeout(timer);
      isOpen = true;
      on.open();
      if (body === null) return 'over';
      for await (const event of readEvents(body, on.retry)) {
        yield event;
        if (isLast(event)) return 'over';
      }
      return 'broken';
    } catch (error) {
      throw brokenOff(error, 'The backend', signal, isOpen || !connection.signal.aborted ? undefined : CONNECT_MS);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      end();
    }
  }

  async function* events(run: RunReference<object>, { lastEventId = 0, signal }: EventOptions = {}) {
    let last = lastEventId;
    let pauseMs = FIRST_PAUSE_MS;
    let failures = 0;
    /** The time at which a connection last worked; undefined before the first connection. */
    let goodAt: number | undefined;
    const on = {
      open: () => {
        goodAt = Date.now();
        failures = 0;
      },
      retry: (ms: number) => {
        pauseMs = Math.min(ms, LONGEST_PAUSE_MS);
      },
    };
    for (;;) {
      let wait = pauseMs;
      try {
        const received = connect(run, last, signal, on);
        let next = await received.next();
        try {
          for (; !next.done; next = await received.next()) {
            goodAt = Date.now();
            if (next.value.id <= last) continue;
            last = next.value.id;
            yield next.value;
          }
        } finally {
          await received.return('over');
        }
        if (next.value === 'over') return;
      } catch (error) {
        failures++;
        const isOver = goodAt === undefined ? failures > retries : Date.now() - goodAt > GIVE_UP_MS;
        // If the project accepts no further stream (429), a watcher that was connected before tries again.
        const isFull = goodAt !== undefined && error instanceof FlowError && error.status === 429;
        if (!isTransient(error) && !isFull || isOver) throw error;
        const backoff = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
        wait = Math.max((error.retryAfter ?? 0) * 1000, backoff);
      }
      await pause(wait, signal);
    }
  }

  return { events };
}
