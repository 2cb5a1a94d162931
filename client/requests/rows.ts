import type { ErrorCode } from '../../types/errors.ts';
import type { RequestOptions } from '../flow_client.ts';
import { type ClientErrorCode, FlowError } from '../flow_error.ts';
import type { FlowRequest, Send } from './request.ts';

/** Reads rows from PostgREST. Throws answer_invalid for any other answer. */
export async function readRows<Row>(send: Send, request: FlowRequest): Promise<Row[]> {
  const { body, status } = await send(request);
  if (Array.isArray(body)) return body;
  throw new FlowError({ code: 'answer_invalid', message: 'The answer is not a list of rows.', status });
}

/** Lists the rows of a table that the caller sees, at most 1,000. */
export const listRows = async <Row>(
  send: Send,
  table: string,
  order: string,
  { signal }: RequestOptions = {},
): Promise<Row[]> =>
  await readRows<Row>(send, {
    path: `/rest/v1/${table}?select=*&order=${order}&limit=1000`,
    isRepeatable: true,
    signal,
  });

/** Changes or deletes the row with this key and returns it; undefined if there is no such row. */
export async function writeRow<Row>(
  send: Send,
  table: string,
  [column, key]: [column: string, key: string],
  request: Pick<FlowRequest, 'method' | 'body' | 'isRepeatable'>,
  { signal }: RequestOptions = {},
): Promise<Row | undefined> {
  const [row] = await readRows<Row>(send, {
    ...request,
    path: `/rest/v1/${table}?select=*&${column}=eq.${encodeURIComponent(key)}`,
    headers: { prefer: 'return=representation' },
    signal,
  });
  return row;
}

/**
 * Makes the error of a missing row. A row that the caller may not see counts as missing: PostgREST returns an empty
 * list in both cases.
 */
export const notFound = (code: ErrorCode | ClientErrorCode, message: string): FlowError =>
  new FlowError({ code, message, status: 404 });
