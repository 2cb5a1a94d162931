import type { ErrorBody } from '../../types/errors.ts';
import { ApiError, apiError } from '../api_error.ts';

/** The time limit of a call. Without a limit, a call over a dead connection would never end. */
export const TIMEOUT_MS = 30_000;

/**
 * SQLSTATEs and PostgREST codes of temporary failures. Source: PostgREST documentation, "Errors"; PostgreSQL, appendix
 * A.
 */
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

/** PostgREST's code for an unreadable body, such as one with a lone surrogate. */
export const UNREADABLE_TEXT = 'PGRST102';

/** Codes for a text that JSON allows but Postgres refuses. */
const BAD_TEXT_CODES = new Set<string | undefined>([
  '22P02', // invalid_text_representation
  '22P05', // untranslatable_character: \u0000
  '22021', // character_not_in_repertoire
  UNREADABLE_TEXT,
]);

const INVALID_ACCESS_TOKEN =
  'The access token is not valid: it is cut off or changed, or Supabase Auth of another project made it.';

/** SQLSTATE numeric_value_out_of_range: JSON can hold 1e200000, Postgres can't. */
const NUMBER_TOO_LARGE_CODE = '22003';

/** The error of a call that the database has not answered. The caller may repeat the call. */
export const unavailable = (cause: unknown): ApiError =>
  apiError('service_unavailable', 'The database does not answer right now.', {
    headers: { 'retry-after': '1' },
    cause,
  });

/** Parses the details: SQL sends them as JSON text, because PostgREST forwards text only. */
function readDetails(details: unknown): unknown {
  if (typeof details !== 'string') return details ?? null;
  try {
    return JSON.parse(details);
  } catch {
    return details;
  }
}

/**
 * Makes an ApiError from the answer to a failed call. Errors raised by our SQL pass unchanged; PostgREST's own codes
 * and SQLSTATEs are mapped. The body is null if a proxy answered without a body.
 */
export function toApiError(
  name: string,
  { status, headers }: { status: number; headers: Headers },
  body: Partial<ErrorBody> | null,
): ApiError {
  const { code, message = '', details, hint } = body ?? {};
  const cause = new Error(`rpc ${name}: ${status} ${code ?? ''} ${message}`);
  // This check comes first, because a gateway's error may look like one of ours. If the connection is lost during a
  // statement, libpq has no SQLSTATE, and PostgREST 12 answers 400 with an empty code.
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
  // This is no refusal of ours, but one of a proxy in front of the database.
  if (status === 429) return unavailable(cause);
  if (code?.startsWith('PGRST30')) {
    // An expired token is recognised by the message ("JWT expired"), because the code differs between versions of
    // PostgREST.
    return /\bexpired\b/.test(message)
      ? apiError('token_invalid', 'The access token has expired.', {
        hint: 'Refresh the session, or sign in again.',
        cause,
      })
      : apiError('token_invalid', INVALID_ACCESS_TOKEN, { cause });
  }
  if (BAD_TEXT_CODES.has(code)) {
    return apiError(
      'request_invalid',
      "A text holds NUL or half a surrogate pair, which can't be stored.",
      { cause },
    );
  }
  if (code === NUMBER_TOO_LARGE_CODE) {
    return apiError('request_invalid', 'A number has more digits than can be stored.', { cause });
  }
  if (status === 401) {
    return apiError('token_invalid', INVALID_ACCESS_TOKEN, { cause });
  }
  return apiError('internal', 'Something unexpected happened.', { cause });
}
