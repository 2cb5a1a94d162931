import type { ErrorCode } from '../types/errors.ts';
import { type ClientErrorCode, FlowError } from './flow_error.ts';
import type { FlowRequest, Send } from './request.ts';

/** Rows that PostgREST answers. Throws answer_invalid for anything else. */
export async function readRows<Row>(send: Send, request: FlowRequest): Promise<Row[]> {
  const { body, status } = await send(request);
  if (Array.isArray(body)) return body;
  throw new FlowError({ code: 'answer_invalid', message: 'The answer is not a list of rows.', status });
}

/** What the caller may not see does not exist: PostgREST says so with an empty list. */
export const notFound = (code: ErrorCode | ClientErrorCode, message: string): FlowError =>
  new FlowError({ code, message, status: 404 });
