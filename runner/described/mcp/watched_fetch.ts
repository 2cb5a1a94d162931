import { runLimits } from '../../../types/limits/runs.ts';
import { checkJsonText, JsonLimitError, type JsonLimits } from '../../../types/values/json_text.ts';
import { isObject } from '../../../types/values/value.ts';
import { type Credential, type HttpClient, type HttpResponse, NodeError } from '../../engine/node.ts';
import { makeGiveWay } from '../../../platform/portions.ts';
import { TransientError } from '../../engine/failures/transient_error.ts';
import { type Fetch, makeFetch } from '../../reach/fetch.ts';
import type { ExactNumbers } from './exact_numbers.ts';

const MAX_EVENTS = runLimits.mcp_events.value;
/** A server of the protocol of 2025 may ask whether the client is still there. Its other requests are refused. */
const MAX_ANSWERED = runLimits.mcp_requests.value;
/** The most characters of a refusal that are read. Errors quote fewer. */
const MAX_REFUSAL = 65_536;

interface WatchedFetchOptions {
  http: HttpClient;
  credential: Credential | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  numbers: ExactNumbers;
  /** The limits of each message of the server. The library takes long for a message of many values, in one turn. */
  limits: JsonLimits;
  /** Called with the reason when a request fails or its stream ends. The library does not tell of all of these. */
  fail: (reason: Error) => void;
  /** Called with an answer that is no success. */
  refused: (answer: Omit<HttpResponse, 'body'>) => void;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const memberOf = (json: unknown, name: string): unknown => isObject(json) ? json[name] : undefined;

/** Returns the reason why a message of the server exceeds the limits; undefined if it does not. */
function excessOf(json: string, limits: JsonLimits): string | undefined {
  try {
    checkJsonText(json, limits);
    return undefined;
  } catch (error) {
    if (error instanceof JsonLimitError) return error.message;
    throw error;
  }
}

function checkMessage(json: string, limits: JsonLimits): void {
  const excess = excessOf(json, limits);
  if (excess !== undefined) throw new NodeError(`the server's answer ${excess}`);
}

/** The lines that are data of an event, joined. Source: HTML Standard, section 9.2.6. */
const dataOf = (event: string): string =>
  event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length)).join('\n');

/** Tests whether a message is the answer to a request. The library waits for ever for any other end. */
function isAnswer(json: string, id: unknown): boolean {
  const message = parse(json);
  const error = memberOf(message, 'error');
  const hasError = Number.isInteger(memberOf(error, 'code')) && typeof memberOf(error, 'message') === 'string';
  return memberOf(message, 'id') === id && (hasError || isObject(memberOf(message, 'result')));
}

/** Selects the events that have data, in a chunk that consists of whole events. */
function eventsOf(chunk: string): string[] {
  const text = chunk.replace(/\r\n?/g, '\n');
  return text.includes('data:') ? text.split('\n\n').filter((event) => event.includes('data:')) : [];
}

/**
 * Passes on the events with data one by one, and replaces the numbers in the one that answers the request. Fails at too
 * many events and at too large ones, because the library is slow, and at the end if no event answers the request.
 */
async function* protectedEvents(
  body: AsyncIterable<Uint8Array>,
  id: unknown,
  { numbers, limits }: Pick<WatchedFetchOptions, 'numbers' | 'limits'>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const giveWay = makeGiveWay();
  let isAnswered = id === undefined;
  let count = 0;
  for await (const chunk of body) {
    for (const event of eventsOf(decoder.decode(chunk))) {
      await giveWay();
      if (++count > MAX_EVENTS) throw new NodeError(`the server sends more than ${MAX_EVENTS} events`);
      const json = dataOf(event);
      checkMessage(json, limits);
      const answersRequest = !isAnswered && isAnswer(json, id);
      isAnswered ||= answersRequest;
      yield `${answersRequest ? numbers.protect(event) : event}\n\n`;
    }
    await giveWay();
  }
  if (!isAnswered) throw new TransientError('the server ended the stream without a result');
}

/** Makes a stream that the library reads as fast as it can. */
function streamOf(events: AsyncGenerator<string>, fail: (reason: Error) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { value, done } = await events.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        if (error instanceof NodeError) fail(error);
        controller.error(error);
      }
    },
    cancel: async () => void await events.return(undefined),
  }, { highWaterMark: 0 });
}

/** Reads a text. Reads no more once it has more characters than this, and returns the longer text. */
async function readText(body: AsyncIterable<Uint8Array>, characters: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > characters) return text;
  }
  return text + decoder.decode();
}

/** Reads an answer that is one message. */
async function readMessage(
  body: AsyncIterable<Uint8Array>,
  { numbers, limits }: Pick<WatchedFetchOptions, 'numbers' | 'limits'>,
): Promise<string> {
  const json = await readText(body, limits.characters);
  checkMessage(json, limits);
  // The protocol has no lists of messages any more. Each message of a list could be a request, which the library answers.
  if (json.trimStart().startsWith('[')) throw new NodeError('the server answers with a list');
  return numbers.protect(json);
}

/** Reads an answer that is no success. The library may parse it. */
async function readRefusal(body: AsyncIterable<Uint8Array>, { depth, members }: JsonLimits): Promise<string> {
  const text = (await readText(body, MAX_REFUSAL)).slice(0, MAX_REFUSAL);
  return excessOf(text, { characters: Infinity, depth, members }) === undefined ? text : '';
}

/** Makes the `fetch` of one call of a tool. It keeps all digits of numbers, and tells why the call can't succeed. */
export function watchedFetch(options: WatchedFetchOptions): Fetch {
  const { http, credential, timeoutMs, signal, numbers, fail, refused } = options;
  const send = makeFetch(http, { credential, timeoutMs, idleMs: timeoutMs, signal });
  let answered = 0;
  return async (address, { body, ...init } = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of headers) headers.set(name, numbers.unmark(value));
    const sent = typeof body === 'string' ? numbers.release(body) : body;
    const message = typeof sent === 'string' ? parse(sent) : undefined;
    try {
      if (message !== undefined && memberOf(message, 'method') === undefined && ++answered > MAX_ANSWERED) {
        throw new NodeError(`the server makes more than ${MAX_ANSWERED} requests of its own`);
      }
      const response = await send(address, { ...init, headers, ...(sent != null && { body: sent }) });
      const { status, ok } = response;
      if (!ok) refused({ status, headers: Object.fromEntries(response.headers) });
      if (response.body === null) return response;
      const type = response.headers.get('content-type') ?? '';
      const protectedBody = !ok
        ? await readRefusal(response.body, options.limits)
        : type.startsWith('text/event-stream')
        ? streamOf(protectedEvents(response.body, memberOf(message, 'id'), options), fail)
        : await readMessage(response.body, options);
      return new Response(protectedBody, { status, headers: response.headers });
    } catch (error) {
      if (error instanceof NodeError) fail(error);
      throw error;
    }
  };
}
