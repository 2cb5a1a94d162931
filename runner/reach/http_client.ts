import {
  type AnswerReceiver,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  NodeError,
} from '../engine/node.ts';
import { type IsAllowed, isPublicAddress } from './address_rules.ts';
import type { Holder } from './byte_budget.ts';
import {
  type ConnectOptions,
  openConnection,
  reasonOf,
  type Resolve,
  resolveBySystem,
  unlessAborted,
} from './connection.ts';
import {
  encodeRequestHead,
  type MakeBody,
  readResponse,
  type ResponseHead,
  type ResponseLimit,
} from './http_message.ts';
import { makeCookieJar } from './cookies.ts';
import { carryCredential } from './credential_hops.ts';
import type { HttpShare } from './http_share.ts';
import { decodeBody, makeBodyWriter, type MayKeep } from './response_body.ts';
import { isEventStream, makeStreamWriter } from './streamed_body.ts';
import { limitTime, type TimeLimit } from './time_limit.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { CONNECTION_HEADERS } from '../../types/http_headers.ts';
import { isRedirect } from '../../types/http_status.ts';
import { runLimits } from '../../types/limits/runs.ts';

export interface HttpClientOptions {
  /** True if an IP address may be reached. Default: addresses of the public Internet. */
  isAllowed?: IsAllowed;
  /**
   * The time limit of a whole request with its redirects and body. The time in which the request waits for other
   * requests does not count.
   */
  timeoutMs: number;
  /** The most bytes of a request's body, of a response's body as it was sent, and of the decoded response's body. */
  maxResponseBytes: number;
  /** The limits that the client's requests share with other clients. Without this option, requests do not wait. */
  share?: HttpShare;
  /** Default: the system's resolver. */
  resolve?: Resolve;
  /** Certificate authorities to trust instead of the platform's, in PEM. */
  ca?: string;
}

const NOTHING = new Uint8Array(0);
const MAX_REDIRECTS = runLimits.redirects.value;

const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type'];
/**
 * Headers that a redirect to another origin keeps. All other headers are removed, because a header of any name may hold
 * a credential.
 */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-type',
  'pragma',
  'user-agent',
]);

/** One request in a chain of redirects. */
interface Hop {
  method: string;
  url: URL;
  headers: Headers;
  body: Uint8Array | undefined;
}

function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base)) throw new NodeError('the URL is malformed');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new NodeError(`the URL's scheme must be http or https, not ${url.protocol.slice(0, -1)}`);
  }
  return url;
}

function makeHeaders(given: HttpRequest['headers']): Headers {
  const headers = new Headers({ accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'flow-deployments' });
  const isGiven = new Set<string>();
  for (const [name, value] of given) {
    const key = name.toLowerCase();
    try {
      // A header of the request replaces a default. If the request has several headers of one name, their values become
      // a list.
      const others = isGiven.has(key) ? `${headers.get(key)}${key === 'cookie' ? '; ' : ', '}` : '';
      headers.set(key, `${others}${value}`);
    } catch {
      throw new NodeError(`the header ${JSON.stringify(name)} has a malformed name or value`);
    }
    isGiven.add(key);
  }
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  return headers;
}

/** Makes the first hop of a node's request, with the method in upper case as in `fetch`. */
function firstHop(request: HttpRequest, body: Uint8Array | undefined): Hop {
  const method = request.method.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw new NodeError(`the method ${JSON.stringify(request.method)} can't be used`);
  }
  return { method, url: parseUrl(request.url), headers: makeHeaders(request.headers), body };
}

/** The URL of a redirect that the client follows; undefined if the response is the answer to the request. */
const redirectOf = ({ refusesRedirects }: HttpRequest, { status, headers }: ResponseHead): string | undefined =>
  isRedirect(status) && refusesRedirects !== true ? headers.location : undefined;

/** Tests whether the receiver can get the answer while it arrives. */
const arrivesInPieces = (request: HttpRequest, head: ResponseHead): boolean =>
  redirectOf(request, head) === undefined &&
  // A secret can be found in a whole body or in a whole event.
  (request.credential === undefined || isEventStream(head.headers));

/** Makes the request that a redirect asks for. Source: RFC 9110, section 15.4. */
function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = parseUrl(location, hop.url);
  const isSameOrigin = url.origin === hop.url.origin;
  const headers = new Headers([...hop.headers].filter(([name]) => isSameOrigin || HARMLESS_HEADERS.has(name)));
  const isSeeOther = status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD';
  const becomesGet = isSeeOther || ((status === 301 || status === 302) && hop.method === 'POST');
  if (!becomesGet) return { ...hop, url, headers };
  for (const name of BODY_HEADERS) headers.delete(name);
  return { url, headers, method: 'GET', body: undefined };
}

/**
 * Adds the URL's credentials as Basic authentication, unless the request has an `authorization` header. Source: RFC
 * 7617.
 */
function withUrlCredentials({ url, headers }: Hop): Headers {
  if (url.username === '' && url.password === '' || headers.has('authorization')) return headers;
  let text: string;
  try {
    text = [url.username, url.password].map(decodeURIComponent).join(':');
  } catch {
    throw new NodeError("the URL's credentials are malformed");
  }
  const bytes = new TextEncoder().encode(text);
  return new Headers([...headers, ['authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`]]);
}

/** How one request of a chain is made. */
interface Exchange {
  options: ConnectOptions;
  body: ResponseLimit;
  makeBody: MakeBody;
  limit: TimeLimit;
}

async function exchange(hop: Hop, { options, body, makeBody, limit: { signal, server } }: Exchange) {
  const head = encodeRequestHead({ ...hop, headers: withUrlCredentials(hop) });
  const socket = await server(openConnection(hop.url, options, signal));
  const pieces = socket[Symbol.asyncIterator]();
  const abort = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    // If head and body together fit into one packet, one packet is sent.
    socket.cork();
    socket.write(head);
    if (hop.body !== undefined) socket.write(hop.body);
    socket.uncork();
    return await readResponse({ next: () => server(pieces.next()) }, hop.method, body, makeBody);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof NodeError
      ? error
      : new TransientError(`the connection to ${hop.url.host} failed: ${reasonOf(error)}`);
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** Returns the body of a request. If the node makes its body on demand, calls `makeBody`. */
async function bodyOf({ body, makeBody }: HttpRequest, maxBytes: number): Promise<Uint8Array | undefined> {
  const bytes = body ?? await makeBody?.();
  if (bytes !== undefined && bytes.length > maxBytes) {
    throw new NodeError(`the body of the request is larger than ${maxBytes} bytes`);
  }
  return bytes;
}

/** Makes a receiver whose pieces are not waited for when the signal is aborted. */
const untilAborted = ({ head, piece }: AnswerReceiver, signal: AbortSignal): AnswerReceiver => ({
  head,
  piece: (bytes) => unlessAborted(Promise.resolve(piece(bytes)), signal),
});

/** Passes on an answer that has arrived as a whole. */
async function receiveWhole(receive: AnswerReceiver | undefined, answer: HttpResponse): Promise<HttpResponse> {
  if (receive === undefined) return answer;
  const { body, ...head } = answer;
  receive.head(head);
  if (body.length > 0) await receive.piece(body);
  return { ...head, body: NOTHING };
}

/**
 * Makes the client with which nodes make HTTP requests. It follows up to 10 redirects, and sends cookies that were set
 * on the way on to the same host. Each host is resolved once, and
 * the client connects to allowed addresses only. The client itself sets the headers that concern the connection or the
 * length of the message, and ignores such headers of a request.
 */
export function makeHttpClient(given: HttpClientOptions): HttpClient {
  const { timeoutMs, maxResponseBytes, share } = given;
  const options: ConnectOptions = {
    isAllowed: given.isAllowed ?? isPublicAddress,
    resolve: given.resolve ?? resolveBySystem,
    ca: given.ca,
  };

  const follow = async (
    request: HttpRequest,
    holder: Holder | undefined,
    limit: TimeLimit,
  ): Promise<HttpResponse> => {
    const body = await bodyOf(request, maxResponseBytes);
    const bodyBytes = body?.length ?? 0;
    const mayKeep: MayKeep = (bytes) => {
      const wait = holder?.hold(bodyBytes + bytes, limit.signal);
      return wait && limit.except(wait);
    };
    await mayKeep(0);
    const maxBytes = Math.min(maxResponseBytes, request.maxResponseBytes ?? Infinity);
    let hop = firstHop(request, body);
    const carried = carryCredential(request.credential, hop);
    const jar = makeCookieJar(carried.repeatsSecret);
    const takesPart = request.takesPartOfBody === true;
    const receive = request.receive && untilAborted(request.receive, limit.signal);
    let streamed: HttpResponse | undefined;
    /** Makes the answer for the node. It has the cookies of the whole chain, and no secret. */
    const answerOf = (response: HttpResponse) => carried.answer({ ...response, cookies: jar.received(hop.url) });
    const makeBody: MakeBody = async (head) => {
      // A part of a compressed body can't be decoded, so it is kept as sent.
      if (takesPart) return makeBodyWriter({}, maxBytes, mayKeep);
      if (receive === undefined || !arrivesInPieces(request, head)) {
        return makeBodyWriter(head.headers, maxBytes, mayKeep);
      }
      await jar.keep(hop.url, head.cookies);
      streamed = await answerOf({ ...head, body: NOTHING });
      receive.head(streamed);
      const isEvents = isEventStream(head.headers);
      const writer = makeStreamWriter(receive.piece, { isEvents, maxBytes, mayKeep, redact: carried.redact });
      return decodeBody(head.headers, maxBytes, writer);
    };
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const sent = { options, body: { maxBytes, takesPart }, makeBody, limit };
      try {
        const response = await exchange(jar.add(carried.add(hop)), sent);
        if (streamed !== undefined) return streamed;
        await jar.keep(hop.url, response.cookies);
        const location = redirectOf(request, response);
        if (location === undefined) return await receiveWhole(receive, await answerOf(response));
        hop = await carried.next(nextHop(hop, response.status, location));
      } catch (error) {
        throw await carried.error(error);
      }
    }
    throw new NodeError(`more than ${MAX_REDIRECTS} redirects`);
  };

  /** Waits until the request may begin. This time does not count against the request's time limit. */
  const begin = async (signal: AbortSignal): Promise<Holder | undefined> => {
    try {
      return await share?.begin(signal);
    } catch {
      throw new NodeError('the request was canceled');
    }
  };

  return {
    request: async (request) => {
      const holder = await begin(request.signal);
      const limit = limitTime(request.timeoutMs ?? timeoutMs, request.idleMs ?? timeoutMs, request.signal);
      try {
        return await follow(request, holder, limit);
      } finally {
        limit.close();
        holder?.release();
      }
    },
  };
}
