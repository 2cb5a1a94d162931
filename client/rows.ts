import type { ErrorCode } from '../types/errors.ts';
import { type ClientErrorCode, FlowError } from './flow_error.ts';
import type { FlowRequest, Send } from './request.ts';

/** Reads rows from PostgREST. Throws answer_invalid for any other answer. */
export async function readRows<Row>(send: Send, request: FlowRequest): Promise<Row[]> {
  const { body, status } = await send(request);
  if (Array.isArray(body)) return body;
  throw new FlowError({ code: 'answer_invalid', message: 'The answer is not a list of rows.', status });
}

/**
 * Makes the error of a missing row. A row that the caller may not see counts as missing: PostgREST returns an empty
 * list in both cases.
 */
export const notFound = (code: ErrorCode | ClientErrorCode, message: string): FlowError =>
  new FlowError({ code, message, status: 404 });
