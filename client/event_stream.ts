import { createParser } from 'eventsource-parser';
import type { RunEvent } from '../types/run_event.ts';
import { FlowError } from './flow_error.ts';

/** Characters that an event may have; the backend's have about 50,000 at most. */
const MAX_EVENT_CHARACTERS = 1_048_576;
/** After so long without a byte the connection is dead: the backend sends a comment every 15 s. */
const SILENCE_MS = 45_000;

/** The event that a message holds. */
function readEvent(id: string | undefined, name: string | undefined, data: string): RunEvent {
  try {
    const number = Number(id);
    const parsed: unknown = JSON.parse(data);
    if (
      name !== undefined && Number.isSafeInteger(number) && number > 0 && typeof parsed === 'object' && parsed !== null
    ) {
      // SAFETY: the backend's names and their data; one that is newer than this client is passed on as it is.
      return { id: number, event: name, data: parsed } as RunEvent;
    }
  } catch {
    // Told below.
  }
  throw new FlowError({
    code: 'answer_invalid',
    message: 'The stream of events holds something that is not an event.',
  });
}

/** Gives the bytes of a body as they come. Ends when they do, and when none come for too long. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const silence = new Promise<undefined>((resolve) => timer = setTimeout(resolve, SILENCE_MS, undefined));
      const read = await Promise.race([reader.read(), silence]);
      clearTimeout(timer);
      if (read === undefined || read.done) return;
      yield read.value;
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
}

/**
 * Reads a stream of server-sent events, however its bytes are cut. `onRetry` is told how long to wait before connecting
 * again. An event that is cut off at the end of the stream is dropped: it comes again.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onRetry: (ms: number) => void = () => {},
): AsyncGenerator<RunEvent, void, void> {
  const ready: RunEvent[] = [];
  let isTooLarge = false;
  const parser = createParser({
    onEvent: ({ id, event, data }) => void ready.push(readEvent(id, event, data)),
    onRetry,
    onError: ({ type }) => void (isTooLarge ||= type === 'max-buffer-size-exceeded'),
    maxBufferSize: MAX_EVENT_CHARACTERS,
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(body)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
    if (isTooLarge) {
      const message = `The stream has an event of more than ${MAX_EVENT_CHARACTERS} characters.`;
      throw new FlowError({ code: 'answer_too_large', message });
    }
  }
}
