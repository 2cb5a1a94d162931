import { isObject } from '../../../types/values/value.ts';
import { type Credential, type HttpClient, type HttpResponse, NodeError } from '../../engine/node.ts';
import { TransientError } from '../../engine/failures/transient_error.ts';
import { type Fetch, makeFetch } from '../../reach/fetch.ts';
import type { ExactNumbers } from './exact_numbers.ts';

interface WatchedFetchOptions {
  http: HttpClient;
  credential: Credential | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  numbers: ExactNumbers;
  /** Called with the reason when a request fails or its stream ends. The library does not tell of all of these. */
  fail: (reason: Error) => void;
  /** Called with an answer that is no success. */
  refused: (answer: Omit<HttpResponse, 'body'>) => void;
}

/** The id of the request in a message; undefined for a notification. */
function idOf(message: BodyInit | null | undefined): unknown {
  return typeof message === 'string' ? memberOf(parse(message), 'id') : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const memberOf = (json: unknown, name: string): unknown => isObject(json) ? json[name] : undefined;

/** Tests whether one of these events is the answer to a request. The library waits for ever for any other end. */
function hasAnswer(events: string, id: unknown): boolean {
  return events.replace(/\r\n?/g, '\n').split('\n\n').some((event) => {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
    const message = parse(lines.map((line) => line.slice('data:'.length)).join('\n'));
    const error = memberOf(message, 'error');
    const hasError = Number.isInteger(memberOf(error, 'code')) && typeof memberOf(error, 'message') === 'string';
    return memberOf(message, 'id') === id && (hasError || isObject(memberOf(message, 'result')));
  });
}

/** Replaces the numbers in each chunk, which consists of whole events. Fails at the end if no event answers the request. */
function protectEvents(
  body: ReadableStream<Uint8Array>,
  id: unknown,
  { numbers, fail }: Pick<WatchedFetchOptions, 'numbers' | 'fail'>,
): ReadableStream<Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  const reader = body.getReader();
  let isAnswered = id === undefined;
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { value, done } = await reader.read();
        if (done) {
          if (!isAnswered) fail(new TransientError('the server ended the stream without a result'));
          return controller.close();
        }
        const events = numbers.protect(decoder.decode(value));
        isAnswered ||= hasAnswer(events, id);
        controller.enqueue(encoder.encode(events));
      } catch (error) {
        if (error instanceof NodeError) fail(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Makes the `fetch` of one call of a tool. It keeps all digits of numbers, and tells why the call can't succeed. */
export function watchedFetch(options: WatchedFetchOptions): Fetch {
  const { http, credential, timeoutMs, signal, numbers, fail, refused } = options;
  const send = makeFetch(http, { credential, timeoutMs, idleMs: timeoutMs, signal });
  return async (address, { body, ...init } = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of headers) headers.set(name, numbers.unmark(value));
    const sent = typeof body === 'string' ? numbers.release(body) : body;
    try {
      const response = await send(address, { ...init, headers, ...(sent != null && { body: sent }) });
      const { status, ok } = response;
      if (!ok) refused({ status, headers: Object.fromEntries(response.headers) });
      if (!ok || response.body === null) return response;
      const type = response.headers.get('content-type') ?? '';
      const protectedBody = type.startsWith('text/event-stream')
        ? protectEvents(response.body, idOf(sent), options)
        : numbers.protect(await response.text());
      return new Response(protectedBody, { status, headers: response.headers });
    } catch (error) {
      if (error instanceof NodeError) fail(error);
      throw error;
    }
  };
}
