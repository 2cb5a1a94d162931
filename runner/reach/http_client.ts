import { type HttpClient, type HttpRequest, type HttpResponse, NodeError } from '../engine/node.ts';
import { type IsAllowed, isPublicAddress } from './address_rules.ts';
import type { Holder } from './byte_budget.ts';
import { type ConnectOptions, openConnection, reasonOf, type Resolve, resolveBySystem } from './connection.ts';
import { encodeRequestHead, readResponse, type ResponseMessage } from './http_message.ts';
import { makeCookieJar } from './cookies.ts';
import { carryCredential } from './credential_hops.ts';
import type { HttpShare } from './http_share.ts';
import { makeBodyWriter, type MayKeep } from './response_body.ts';
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

/**
 * Makes the request that a redirect asks for; undefined if the response is not a redirect. Source: RFC 9110, section
 * 15.4.
 */
function nextHop(hop: Hop, { status, headers: { location } }: ResponseMessage): Hop | undefined {
  if (!isRedirect(status) || location === undefined) return undefined;
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

/** The limits of one request. */
interface Allowance {
  options: ConnectOptions;
  maxResponseBytes: number;
  takesPartOfBody: boolean;
  /** Waits until this many bytes of a response may be kept. */
  mayKeep: MayKeep;
}

async function exchange(hop: Hop, allowance: Allowance, signal: AbortSignal) {
  const { options, maxResponseBytes, takesPartOfBody, mayKeep } = allowance;
  const head = encodeRequestHead({ ...hop, headers: withUrlCredentials(hop) });
  const socket = await openConnection(hop.url, options, signal);
  const abort = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    // If head and body together fit into one packet, one packet is sent.
    socket.cork();
    socket.write(head);
    if (hop.body !== undefined) socket.write(hop.body);
    socket.uncork();
    return await readResponse(
      socket[Symbol.asyncIterator](),
      hop.method,
      { maxBytes: maxResponseBytes, takesPart: takesPartOfBody },
      // A part of a compressed body can't be decoded, so it is kept as sent.
      (headers) => makeBodyWriter(takesPartOfBody ? {} : headers, maxResponseBytes, mayKeep),
    );
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

/** The time limit of a request. */
interface TimeLimit {
  /** Aborted with the reason when the time is over or the node's own signal is aborted. */
  signal: AbortSignal;
  /** Waits for `wait`. The time of this wait does not count. */
  except: (wait: Promise<void>) => Promise<void>;
  close: () => void;
}

function limitTime(timeoutMs: number, given: AbortSignal): TimeLimit {
  const limit = new AbortController();
  const abort = () => limit.abort(new NodeError('the request was canceled'));
  let leftMs = timeoutMs;
  let startedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    startedAt = performance.now();
    timer = setTimeout(
      () => limit.abort(new TransientError(`the request took longer than ${timeoutMs / 1000} s`)),
      leftMs,
    );
  };
  start();
  given.addEventListener('abort', abort);
  if (given.aborted) abort();
  return {
    signal: limit.signal,
    except: async (wait) => {
      clearTimeout(timer);
      leftMs = Math.max(leftMs - (performance.now() - startedAt), 0);
      await wait;
      start();
    },
    close: () => {
      clearTimeout(timer);
      given.removeEventListener('abort', abort);
    },
  };
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
    { signal, except }: TimeLimit,
  ): Promise<HttpResponse> => {
    const body = await bodyOf(request, maxResponseBytes);
    const bodyBytes = body?.length ?? 0;
    const mayKeep: MayKeep = (bytes) => {
      const wait = holder?.hold(bodyBytes + bytes, signal);
      return wait && except(wait);
    };
    await mayKeep(0);
    const maxBytes = Math.min(maxResponseBytes, request.maxResponseBytes ?? Infinity);
    let hop = firstHop(request, body);
    const carried = carryCredential(request.credential, hop);
    const jar = makeCookieJar(carried.repeatsSecret);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const takesPartOfBody = request.takesPartOfBody === true;
      const allowance = { options, maxResponseBytes: maxBytes, takesPartOfBody, mayKeep };
      try {
        const response = await exchange(jar.add(carried.add(hop)), allowance, signal);
        await jar.keep(hop.url, response.cookies);
        const next = request.refusesRedirects ? undefined : nextHop(hop, response);
        if (next === undefined) return await carried.answer({ ...response, cookies: jar.received(hop.url) });
        hop = await carried.next(next);
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
      const limit = limitTime(timeoutMs, request.signal);
      try {
        return await follow(request, holder, limit);
      } finally {
        limit.close();
        holder?.release();
      }
    },
  };
}
