import type { ErrorCode } from '../types/errors.ts';

/** Codes of errors that this package finds itself, without an answer of the backend's. */
export const clientErrorCodes = {
  unreachable: 'No answer came: the address is wrong, the network or the backend is down, or it took too long.',
  answer_invalid: 'Something answered that is not this backend: HTML, half an answer, or JSON of another shape.',
  answer_too_large: 'The answer has more than 64 MiB.',
  redirected: 'The server redirects. The client follows no redirect, because its credentials would go along.',
  gateway_refused: "The gateway in front of the backend refused the request; `message` has the gateway's words.",
  timed_out: 'The time that the caller gave is over. The run goes on.',
  aborted: "The caller's AbortSignal was aborted; `cause` is its reason. A run that was started goes on.",
  value_invalid: 'An input has no form as a value, or the file no form as a flow; the message names its path.',
  sign_in_refused: '`flows login`: there is no such user, or the password is wrong.',
  schedule_not_found: "There is no such schedule, or it is somebody else's.",
  client_invalid: 'The client, or a method of it, was called with a wrong argument.',
} as const;

/** A code of this package. */
export type ClientErrorCode = keyof typeof clientErrorCodes;

/** What a FlowError is made of. */
export interface FlowErrorParts {
  code: ErrorCode | ClientErrorCode | (string & {});
  message: string;
  details?: unknown;
  hint?: string | null;
  status?: number;
  retryAfter?: number | null;
  cause?: unknown;
}

/** The one error of this package: what the backend refused, or why there is no answer. */
export class FlowError extends Error {
  override name = 'FlowError';
  /** Stable: programs should look at it. A code of the backend, of Postgres, or of this package. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** What is known beyond the message, such as the findings of `flow_invalid`; else null. */
  readonly details: unknown;
  /** What to do about it; else null. */
  readonly hint: string | null;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** After how many seconds it makes sense to try again; null when the answer does not say. */
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
