import type { ErrorBody } from '../../types/errors.ts';
import { ApiError, apiError } from './api_error.ts';
import { withTimeLimit } from './time_limit.ts';

/** Calls SQL functions through PostgREST; one call is one transaction. */
export type Rpc = <Result>(
  name: string,
  args: object,
  headers?: Record<string, string>,
) => Promise<Result>;

/** Reads rows through PostgREST: a table's name and the query, as they stand in the address. */
export type ReadRows = <Row>(table: string, query: string) => Promise<Row[]>;

export interface RpcOptions {
  supabaseUrl: string;
  /** The project key that admits the calls; a legacy service-role key also needs `authorization`. */
  apikey: string;
  authorization?: string;
  fetch: typeof fetch;
}

/** How long a call may take. Without a limit, a call over a dead connection would never end. */
const TIMEOUT_MS = 30_000;

/** SQLSTATEs and PostgREST codes that mean: not now. Source: PostgREST documentation, "Errors"; PostgreSQL, appendix A. */
const UNAVAILABLE_CODES = new Set<string | undefined>([
  'PGRST000', // could not connect
  'PGRST001', // connection lost
  'PGRST002', // schema cache not loaded
  'PGRST003', // the pool had no free connection in time
  '08000', // connection_exception
  '08006', // connection_failure
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '55P03', // lock_not_available: lock_timeout
  '57014', // query_canceled: statement_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
]);

/** SQLSTATEs for text that JSON may carry and Postgres refuses. */
const BAD_TEXT_CODES = new Set<string | undefined>([
  '22P02', // invalid_text_representation
  '22P05', // untranslatable_character: \u0000
  '22021', // character_not_in_repertoire
  'PGRST102', // PostgREST can't read the body: it has a lone surrogate
]);

const unavailable = (cause: unknown): ApiError =>
  apiError('service_unavailable', 'The database does not answer right now.', {
    headers: { 'retry-after': '1' },
    cause,
  });

/** SQL gives details as JSON in a text, because PostgREST carries text only. */
function readDetails(details: unknown): unknown {
  if (typeof details !== 'string') return details ?? null;
  try {
    return JSON.parse(details);
  } catch {
    return details;
  }
}

/**
 * Makes an ApiError of PostgREST's error: errors that SQL raised pass whole, PostgREST's own codes are mapped. A proxy
 * that answers in its place may send no body.
 */
function toApiError(
  name: string,
  { status, headers }: Response,
  body: Partial<ErrorBody> | null,
): ApiError {
  const { code, message = '', details, hint } = body ?? {};
  const cause = new Error(`rpc ${name}: ${status} ${code ?? ''} ${message}`);
  // This comes before the errors that pass whole, because an error of a gateway may look like one of them. PostgREST 12
  // answers 400 with an empty code when the connection is lost in the middle of a statement: libpq then has no
  // SQLSTATE.
  if (status >= 502 || code === '' || UNAVAILABLE_CODES.has(code)) return unavailable(cause);
  if (code !== undefined && /^[a-z][a-z_]+$/.test(code)) {
    const retryAfter = headers.get('retry-after');
    return new ApiError(status, {
      code,
      message,
      details: readDetails(details),
      hint,
    }, { cause, ...(retryAfter !== null && { headers: { 'retry-after': retryAfter } }) });
  }
  if (code?.startsWith('PGRST30')) {
    // PostgREST says so in words only ("JWT expired"); the code differs between its versions.
    return /\bexpired\b/.test(message)
      ? apiError('token_invalid', 'The access token has expired.', {
        hint: 'Refresh the session, or sign in again.',
        cause,
      })
      : apiError('token_invalid', 'The access token is not valid.', { cause });
  }
  if (BAD_TEXT_CODES.has(code)) {
    return apiError(
      'request_invalid',
      "A text holds characters that can't be stored, such as NUL.",
      { cause },
    );
  }
  if (status === 401) {
    return apiError('token_invalid', 'The access token is not valid.', {
      cause,
    });
  }
  return apiError('internal', 'Something unexpected happened.', { cause });
}

/** Makes one request to PostgREST; gives the JSON of the answer. */
function makeRequest(options: RpcOptions) {
  return async (name: string, path: string, init: RequestInit): Promise<unknown> => {
    const [response, text] = await withTimeLimit(TIMEOUT_MS, async (signal) => {
      const response = await options.fetch(`${options.supabaseUrl}/rest/v1/${path}`, {
        ...init,
        headers: {
          apikey: options.apikey,
          ...(options.authorization && { authorization: options.authorization }),
          ...init.headers as Record<string, string>,
        },
        signal,
      });
      return [response, await response.text()] as const;
    }).catch((error: unknown) => {
      throw unavailable(error);
    });
    let answer: unknown = null;
    try {
      if (text !== '') answer = JSON.parse(text);
    } catch (error) {
      // PostgREST always answers JSON, so something else on the way has answered.
      throw response.status >= 502 ? unavailable(error) : apiError('internal', 'Something unexpected happened.', {
        cause: error,
      });
    }
    if (!response.ok) {
      throw toApiError(name, response, answer as Partial<ErrorBody> | null);
    }
    return answer;
  };
}

/** Makes what calls the database's functions; errors are thrown as ApiError. */
export function makeRpc(options: RpcOptions): Rpc {
  const request = makeRequest(options);
  return async <Result>(name: string, args: object, headers: Record<string, string> = {}): Promise<Result> => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(args),
    };
    // SAFETY: the shape is that of the SQL function; types/database.types.ts is generated from the same schema.
    return await request(name, `rpc/${name}`, init) as Result;
  };
}

/** Makes what reads the database's tables; errors are thrown as ApiError. */
export function makeReadRows(options: RpcOptions): ReadRows {
  const request = makeRequest(options);
  // SAFETY: the shape is that of the columns that the query selects.
  return async <Row>(table: string, query: string): Promise<Row[]> =>
    await request(table, `${table}?${query}`, { method: 'GET' }) as Row[];
}
