import { type HttpResponse, NodeError, type Transience } from '../node.ts';
import { TransientError } from './transient_error.ts';

/** A date in HTTP, in the only form that servers may send. Source: RFC 9110, section 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the milliseconds for which an answer asks the client to wait; undefined if it does not ask. Source: RFC 9110,
 * section 10.2.3.
 */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/**
 * Returns the transience of an answer; undefined if a repeated request would get the same answer. Only 408, 429 and the
 * statuses of failing servers are transient.
 */
export function transienceOf({ status, headers }: HttpResponse, now = Date.now()): Transience | undefined {
  const passes = status === 408 || status === 429 || (status >= 500 && status <= 599);
  return passes ? { retryAfterMs: readRetryAfter(headers['retry-after'], now) } : undefined;
}

/** Makes the error of an unsuccessful answer. The error is transient if a repeated request may succeed. */
export function answerError(response: HttpResponse, message: string): NodeError {
  const transience = transienceOf(response);
  return transience === undefined ? new NodeError(message) : new TransientError(message, transience);
}
