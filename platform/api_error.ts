import { type ErrorBody, type ErrorCode, errorCodes, type FunctionErrorBody } from '../types/errors.ts';

/** An error that the caller sees: the status and the body of the answer. */
export class ApiError extends Error {
  override name = 'ApiError';
  status: number;
  code: string;
  details: unknown;
  hint: string | null;
  headers: Record<string, string>;

  constructor(
    status: number,
    body: Omit<ErrorBody, 'details' | 'hint'> & Partial<ErrorBody>,
    options: { headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(body.message, { cause: options.cause });
    this.status = status;
    this.code = body.code;
    this.details = body.details ?? null;
    this.hint = body.hint ?? null;
    this.headers = options.headers ?? {};
  }

  toBody(): FunctionErrorBody {
    return {
      code: this.code,
      message: this.message,
      details: this.details,
      hint: this.hint,
      error: this.message,
    };
  }
}

/** Makes an ApiError of one of the project's codes, with that code's status. */
export const apiError = (
  code: ErrorCode,
  message: string,
  options: {
    details?: unknown;
    hint?: string;
    headers?: Record<string, string>;
    cause?: unknown;
  } = {},
): ApiError =>
  new ApiError(errorCodes[code].status, {
    code,
    message,
    details: options.details,
    hint: options.hint,
  }, options);

/** Tests whether a thrown value is an ApiError of this code. */
export const isErrorOf = (error: unknown, code: ErrorCode): error is ApiError =>
  error instanceof ApiError && error.code === code;

/**
 * Tests whether the database did not process a call, so that the same call may succeed later: the database did not
 * answer, or a gateway in front of it refused the call because too many calls were waiting.
 */
export const isPassing = (error: unknown): error is ApiError =>
  isErrorOf(error, 'service_unavailable') || isErrorOf(error, 'too_many_requests');
