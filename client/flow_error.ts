import type { ErrorCode } from '../types/errors.ts';

/** The codes of errors that this package finds itself. */
export const clientErrorCodes = {
  unreachable: 'No answer came: the address is wrong, the network or the backend is down, or it took too long.',
  answer_invalid: 'The answer is HTML, incomplete, or JSON of another shape than this backend sends.',
  answer_too_large: 'The answer has more than 64 MiB.',
  redirected:
    'The server redirects. The client follows no redirect, because it would send its credentials to the new address.',
  gateway_refused: "The gateway in front of the backend refused the request; `message` has the gateway's words.",
  timed_out: 'The time limit of the caller is over. The run continues.',
  aborted: "The caller's AbortSignal was aborted; `cause` is its reason. A started run continues.",
  value_invalid: 'An input or a file of a flow cannot be converted. The message names the path.',
  sign_in_refused: '`flows login`: there is no such user, or the password is wrong.',
  definition_not_found: 'The caller has no such private node definition.',
  schedule_not_found: "There is no such schedule, or it is somebody else's.",
  row_start_not_found: "There is no such row start, or it is somebody else's.",
  client_invalid: 'The client, or one of its methods, was called with a wrong argument.',
} as const;

/** A code of this package. */
export type ClientErrorCode = keyof typeof clientErrorCodes;

/** The parts of a FlowError. */
interface FlowErrorParts {
  code: ErrorCode | ClientErrorCode | (string & {});
  message: string;
  details?: unknown;
  hint?: string | null;
  status?: number;
  retryAfter?: number | null;
  cause?: unknown;
}

/** The error class of this package: it says why the backend refused a request, or why no answer came. */
export class FlowError extends Error {
  override name = 'FlowError';
  /** The stable code, for programs. It comes from the backend, from Postgres, or from this package. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** Further data, such as the findings of `flow_invalid`; null without further data. */
  readonly details: unknown;
  /** Advice for the caller; null without advice. */
  readonly hint: string | null;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Seconds to wait before the next attempt; null if the answer does not contain this time. */
  readonly retryAfter: number | null;

  constructor({ code, message, details = null, hint = null, status = 0, retryAfter = null, cause }: FlowErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    this.hint = hint;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
