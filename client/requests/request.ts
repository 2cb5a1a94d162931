import { type Answer, readAnswer } from './read_answer.ts';
import type { ProjectConnection } from './connection.ts';
import { FlowError } from '../flow_error.ts';

export type RequestHeaders = Record<string, string | undefined>;

/** A request to the project. */
export interface FlowRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below the project's address, with the query: `/functions/v1/…` or `/rest/v1/…`. */
  path: string;
  /** Sent as JSON. */
  body?: string | undefined;
  /** Headers that replace the client's headers of the same name. The value undefined removes the client's header. */
  headers?: RequestHeaders;
  signal?: AbortSignal | undefined;
  /** The time limit of one attempt in milliseconds; 30,000 by default. */
  timeoutMs?: number;
  /** True if the request may be sent again when its outcome is unknown. */
  isRepeatable?: boolean;
}

/**
 * Returns headers that replace the client's own credential. They remove the API key, because the backend would prefer
 * the API key to a public key.
 */
export const inPlaceOfOwn = (credential: string): RequestHeaders => ({
  authorization: `Bearer ${credential}`,
  'x-api-key': undefined,
});

/** Sends a request, repeats it if that is safe, and reads its answer. Throws a FlowError. */
export type Send = (request: FlowRequest) => Promise<Answer>;

const REQUEST_TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 250;
/**
 * The longest pause that a server can demand of the client. If the server demands a longer pause, the client does not
 * repeat the request and throws the server's error.
 */
const MAX_PAUSE_MS = 10_000;
const TRANSIENT = new Set([0, 502, 503, 504]);
const EVENT_STREAM = 'text/event-stream';

/** Waits for a time in milliseconds. Throws aborted when the signal is aborted. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    const stop = () => {
      clearTimeout(timer);
      reject(aborted(signal!));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

const aborted = (signal: AbortSignal): FlowError =>
  new FlowError({ code: 'aborted', message: 'The caller aborted the request.', cause: signal.reason });

/** Returns the reason why a fetch failed. Node and Deno put the reason into `cause`. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const inner = cause instanceof Error ? cause : error;
  const { code, message } = inner as { code?: unknown; message?: unknown };
  return String(message || code || error);
}

/**
 * Makes the error of a request that got no complete answer. `limitMs` is the time limit, if the request exceeded it.
 */
export function brokenOff(error: unknown, origin: string, signal?: AbortSignal, limitMs?: number): FlowError {
  if (error instanceof FlowError) return error;
  if (signal?.aborted) return aborted(signal);
  return new FlowError({
    code: 'unreachable',
    message: limitMs === undefined
      ? `${origin} does not answer: ${reasonOf(error)}`
      : `${origin} has not answered within ${limitMs / 1000} s.`,
    hint: 'Check the address, and that the backend is up.',
    cause: error,
  });
}

/** Merges the connection's headers with the headers of one request, which replace headers of the same name. */
function headersOf(connection: ProjectConnection, own: RequestHeaders = {}): Headers {
  const headers = new Headers(connection.headers);
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

async function attempt(connection: ProjectConnection, url: URL, request: FlowRequest): Promise<Answer> {
  const { method = 'GET', body, signal, timeoutMs = REQUEST_TIMEOUT_MS } = request;
  const headers = headersOf(connection, request.headers);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const forward = () => timeout.abort();
  signal?.addEventListener('abort', forward, { once: true });
  try {
    const response = await connection.fetch(url, {
      method,
      headers,
      signal: timeout.signal,
      // A followed redirect would send headers such as x-api-key to another address.
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    return await readAnswer(response, method, url);
  } catch (error) {
    throw brokenOff(error, url.origin, signal, timeout.signal.aborted ? timeoutMs : undefined);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', forward);
  }
}

/** Tests whether the same request may succeed later: it got no answer, or a temporary failure. */
export const isTransient = (error: unknown): error is FlowError =>
  error instanceof FlowError && TRANSIENT.has(error.status) && !['aborted', 'client_invalid'].includes(error.code);

/**
 * Requests a stream of events once and returns its body. The body ends when the signal aborts. Returns null if the
 * backend answers that no more events will come. Throws a FlowError.
 */
export type OpenStream = (
  request: Pick<FlowRequest, 'path' | 'headers'>,
  signal: AbortSignal,
) => Promise<ReadableStream<Uint8Array> | null>;

export const makeOpenStream = (connection: ProjectConnection): OpenStream => async (request, signal) => {
  const url = new URL(`${connection.url}${request.path}`);
  const headers = headersOf(connection, { ...request.headers, accept: EVENT_STREAM });
  const response = await connection.fetch(url, { headers, signal, redirect: 'manual' });
  const isStream = response.headers.get('content-type')?.startsWith(EVENT_STREAM);
  if (response.ok && isStream && response.body !== null) return response.body;
  const { body } = await readAnswer(response, 'GET', url);
  if (body === null) return null;
  throw new FlowError({
    code: 'answer_invalid',
    message: `GET ${url.origin}${url.pathname} was not answered with a stream of events.`,
    status: response.status,
  });
};

/** Makes a function that sends requests to a project. It repeats repeatable requests up to `retries` times. */
export const makeRequest = (connection: ProjectConnection, retries: number): Send => async (request) => {
  const url = new URL(`${connection.url}${request.path}`);
  for (let count = 0;; count++) {
    if (request.signal?.aborted) throw aborted(request.signal);
    try {
      return await attempt(connection, url, request);
    } catch (error) {
      if (!isTransient(error) || !request.isRepeatable || count >= retries) throw error;
      const asked = (error.retryAfter ?? 0) * 1000;
      if (asked > MAX_PAUSE_MS) throw error;
      await pause(Math.max(asked, FIRST_PAUSE_MS * 2 ** count), request.signal);
    }
  }
};
