import { createParser } from 'eventsource-parser';
import type { RunEvent } from '../../types/run_event.ts';
import { FlowError } from '../flow_error.ts';

/** The longest event, in characters. An event of the backend has at most about 50,000. */
const MAX_EVENT_CHARACTERS = 1_048_576;
/** After this time without a byte, the connection counts as dead. The backend sends a comment every 15 s. */
const SILENCE_MS = 45_000;

/** Parses the event of a message. */
function readEvent(id: string | undefined, name: string | undefined, data: string): RunEvent {
  try {
    const number = Number(id);
    const parsed: unknown = JSON.parse(data);
    if (
      name !== undefined && Number.isSafeInteger(number) && number > 0 && typeof parsed === 'object' && parsed !== null
    ) {
      // SAFETY: the backend's events have the form of RunEvent. Events that only newer backends send pass unchanged.
      return { id: number, event: name, data: parsed } as RunEvent;
    }
  } catch {
    // If the text is not JSON, the error below is thrown.
  }
  throw new FlowError({
    code: 'answer_invalid',
    message: 'The stream of events holds something that is not an event.',
  });
}

/** Yields the chunks of a body as they arrive. Ends at the end of the body, or if no chunk arrives for `SILENCE_MS`. */
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
 * Parses a stream of server-sent events from chunks of any size. If the server sends the delay before the next
 * connection, `onRetry` receives it. An event that is cut off at the end of the stream is dropped, because the next
 * connection repeats it.
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
