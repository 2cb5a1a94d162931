/** One request and its outcome. */
export interface Exchange {
  /** The purpose, such as `start`. */
  kind: string;
  /** Method and path, without the query. */
  route: string;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** Null without an answer. */
  status: number | null;
  /** The answer's error code, or the error of the connection. */
  code: string | null;
  /** If an error answer has a wrong form, the fault in it; else null. */
  unclean: string | null;
}

/** An answer, possibly incomplete. */
export interface Answer {
  status: number | null;
  code: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- whoever asks knows what a success holds
  body: any;
}

/** Sends the requests of all users, and records the outcomes. */
export interface Traffic {
  exchanges: Exchange[];
  /** Sends a request to an address. Never rejects. */
  send: (kind: string, url: string, init?: RequestInit) => Promise<Answer>;
  /** A fetch for supabase-js. The kind of a call is its method and the table, such as `GET flow_run`. */
  restFetch: typeof fetch;
  /** Records a request that this object has not sent. */
  record: (exchange: Exchange) => void;
}

/** After this time no answer will come, because the functions answer within 30 s in every state of the database. */
export const ANSWER_TIMEOUT_MS = 45_000;

const isErrorBody = (body: unknown): body is { code: string; message: string; error?: unknown } =>
  typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' &&
  'message' in body && typeof body.message === 'string' && 'details' in body && 'hint' in body;

/**
 * Finds the fault in the form of an answer. An error has the form of PostgREST's errors. On /functions/v1 it also has
 * the member `error`. A temporary error has Retry-After.
 */
function uncleanness(route: string, status: number, headers: Headers, body: unknown): string | null {
  if (status < 400) return null;
  const hasForm = isErrorBody(body) && (!route.includes('/functions/v1/') || body.error === body.message);
  if (!hasForm) return `no error body: ${JSON.stringify(body)?.slice(0, 200)}`;
  if ((status === 503 || status === 429) && !/^\d+$/.test(headers.get('retry-after') ?? '')) return 'no Retry-After';
  return null;
}

/** Returns the body as JSON, or as text. */
export function readJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Names the failure of a connection in one word. */
export function connectionError(error: unknown): string {
  const { name, cause, code } = error as { name?: string; cause?: { code?: string }; code?: string };
  return cause?.code ?? code ?? name ?? 'unknown';
}

/** Makes the record of an answer. */
export const exchangeOf = (
  asked: Pick<Exchange, 'kind' | 'route' | 'from'>,
  status: number,
  headers: Headers,
  body: unknown,
): Exchange => ({
  ...asked,
  to: Date.now(),
  status,
  code: status >= 400 && isErrorBody(body) ? body.code : null,
  unclean: uncleanness(asked.route, status, headers, body),
});

export function makeTraffic(): Traffic {
  const exchanges: Exchange[] = [];

  const exchange = async (kind: string, url: string, init: RequestInit = {}) => {
    const asked = { kind, route: `${init.method ?? 'GET'} ${new URL(url).pathname}`, from: Date.now() };
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
      const text = await response.text();
      const done = exchangeOf(asked, response.status, response.headers, readJson(text));
      exchanges.push(done);
      return { response, text, done };
    } catch (error) {
      exchanges.push({ ...asked, to: Date.now(), status: null, code: connectionError(error), unclean: null });
      throw error;
    }
  };

  return {
    exchanges,
    async send(kind, url, init) {
      try {
        const { text, done } = await exchange(kind, url, init);
        return { status: done.status, code: done.code, body: readJson(text) };
      } catch (error) {
        return { status: null, code: connectionError(error), body: null };
      }
    },
    async restFetch(input, init) {
      // supabase-js passes an address and options.
      const url = String(input);
      const kind = `${init?.method ?? 'GET'} ${new URL(url).pathname.replace('/rest/v1/', '')}`;
      const { response, text } = await exchange(kind, url, init);
      const hasBody = ![204, 205, 304].includes(response.status) && init?.method !== 'HEAD';
      return new Response(hasBody ? text : null, { status: response.status, headers: response.headers });
    },
    record: (exchange) => void exchanges.push(exchange),
  };
}
