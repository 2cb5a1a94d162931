/** One request and what came of it. */
export interface Exchange {
  /** What it was for, e.g. `start`. */
  kind: string;
  /** Method and path, without the query. */
  route: string;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  /** Null: no answer came. */
  status: number | null;
  /** The answer's error code; where there was no answer, what the connection came to. */
  code: string | null;
  /** What is wrong with the form of an error answer. */
  unclean: string | null;
}

/** An answer, as far as one came. */
export interface Answer {
  status: number | null;
  code: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- whoever asks knows what a success holds
  body: any;
}

/** What every user of the stack sends, with a record of all that came back. */
export interface Traffic {
  exchanges: Exchange[];
  /** Sends a request to an address; never rejects. */
  send: (kind: string, url: string, init?: RequestInit) => Promise<Answer>;
  /** A fetch for supabase-js; the kind of a call is its method and the table, e.g. `GET flow_run`. */
  restFetch: typeof fetch;
  /** Records what was sent by other means. */
  record: (exchange: Exchange) => void;
}

/** Whoever has no answer by then will get none: the functions answer within 30 s, whatever the database does. */
export const ANSWER_TIMEOUT_MS = 45_000;

const isErrorBody = (body: unknown): body is { code: string; message: string; error?: unknown } =>
  typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' &&
  'message' in body && typeof body.message === 'string' && 'details' in body && 'hint' in body;

/**
 * What is wrong with the form of an answer: an error is PostgREST's object, on /functions/v1 with `error`, too. An error
 * that will pass says when to come again.
 */
function uncleanness(route: string, status: number, headers: Headers, body: unknown): string | null {
  if (status < 400) return null;
  const hasForm = isErrorBody(body) && (!route.includes('/functions/v1/') || body.error === body.message);
  if (!hasForm) return `no error body: ${JSON.stringify(body)?.slice(0, 200)}`;
  if ((status === 503 || status === 429) && !/^\d+$/.test(headers.get('retry-after') ?? '')) return 'no Retry-After';
  return null;
}

/** The body as JSON, or as the text that it is. */
export function readJson(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** How a connection failed, in a word. */
export function connectionError(error: unknown): string {
  const { name, cause, code } = error as { name?: string; cause?: { code?: string }; code?: string };
  return cause?.code ?? code ?? name ?? 'unknown';
}

/** The record of an answer. */
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
      // supabase-js gives an address and what to do with it.
      const url = String(input);
      const kind = `${init?.method ?? 'GET'} ${new URL(url).pathname.replace('/rest/v1/', '')}`;
      const { response, text } = await exchange(kind, url, init);
      const hasBody = ![204, 205, 304].includes(response.status) && init?.method !== 'HEAD';
      return new Response(hasBody ? text : null, { status: response.status, headers: response.headers });
    },
    record: (exchange) => void exchanges.push(exchange),
  };
}
