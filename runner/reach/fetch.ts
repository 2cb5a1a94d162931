import {
  type AnswerReceiver,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  NodeError,
} from '../engine/node.ts';

/** What every request of a `fetch` has in common. */
type FetchOptions = Pick<HttpRequest, 'credential' | 'timeoutMs' | 'idleMs' | 'maxResponseBytes' | 'signal'>;

/** The part of `fetch` that libraries use. */
export type Fetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

/** Statuses whose answers have no body. Source: Fetch Standard, section 2.2.3. */
const BODILESS = new Set([204, 205, 304]);

/** Replaces the characters that `Headers` refuses. The client of runs decodes headers as UTF-8. */
const latin1 = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');

function makeResponse({ status, headers }: Omit<HttpResponse, 'body'>, body: ReadableStream): Response {
  if (status > 599) throw new NodeError(`status code: ${status}`);
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, latin1(value)]);
  return new Response(BODILESS.has(status) ? null : body, { status, headers: fields });
}

/** A body that arrives piece by piece. */
interface Arriving {
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves when the reader wants the next piece. */
  add: (piece: Uint8Array) => Promise<void>;
  end: () => void;
  fail: (error: unknown) => void;
}

/** Makes a body for a reader. `cancel` is called if the reader wants no more. */
function makeArriving(cancel: () => void): Arriving {
  let isWanted = false;
  let want = () => {};
  let isCanceled = false;
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (made) => {
      controller = made;
    },
    pull: () => {
      isWanted = true;
      want();
    },
    cancel: () => {
      isCanceled = true;
      cancel();
    },
  }, { highWaterMark: 0 });
  return {
    stream,
    add: async (piece) => {
      if (!isWanted) await new Promise<void>((resolve) => want = resolve);
      isWanted = false;
      if (!isCanceled) controller?.enqueue(new Uint8Array(piece));
    },
    end: () => {
      if (!isCanceled) controller?.close();
    },
    fail: (error) => controller?.error(error),
  };
}

/**
 * Wraps the HTTP client of runs as `fetch`, for libraries that make requests by it. The body of an answer arrives while
 * the server sends it. Addresses, redirects, budgets and places are those of the client.
 *
 * A GET for an event stream is answered 405 without a request. MCP's protocol of 2025 asks for such a stream after each
 * connection; it stays open and would hold a place of the run.
 */
export function makeFetch(http: HttpClient, options: FetchOptions): Fetch {
  return async (address, init = {}) => {
    const { method, url, headers, body } = new Request(address, init);
    if (method === 'GET' && headers.get('accept')?.includes('text/event-stream')) {
      return new Response(null, { status: 405 });
    }
    const bytes = body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer());
    const unwanted = new AbortController();
    const signal = AbortSignal.any([options.signal, unwanted.signal, ...(init.signal ? [init.signal] : [])]);
    const arriving = makeArriving(() => unwanted.abort());
    return await new Promise<Response>((resolve, reject) => {
      const receive: AnswerReceiver = {
        head: (head) => resolve(makeResponse(head, arriving.stream)),
        piece: arriving.add,
      };
      http.request({
        ...options,
        method,
        url,
        headers: [...headers],
        ...(bytes !== undefined && { body: bytes }),
        refusesRedirects: init.redirect !== undefined && init.redirect !== 'follow',
        receive,
        signal,
      }).then(arriving.end, (error) => {
        const failure = init.signal?.aborted ? init.signal.reason : error;
        reject(failure);
        arriving.fail(failure);
      });
    });
  };
}
