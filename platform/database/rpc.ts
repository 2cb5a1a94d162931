import type { ErrorBody } from '../../types/errors.ts';
import { apiError } from '../api_error.ts';
import type { Config } from '../config.ts';
import { TIMEOUT_MS, toApiError, unavailable } from './database_errors.ts';
import { losslessJson } from './raw_json.ts';
import { withTimeLimit } from '../time_limit.ts';

/**
 * Calls SQL functions of schema public; one call is one transaction. Arguments may be RawJson. If `isText` is true, the
 * result is the answer's JSON text, whose numbers may have more digits than a float.
 */
export type Rpc = <Result>(
  name: string,
  args: object,
  headers?: Record<string, string>,
  options?: { isText?: boolean },
) => Promise<Result>;

/** Reads rows through PostgREST, given a table's name and the query as in the URL. */
export type ReadRows = <Row>(table: string, query: string) => Promise<Row[]>;

interface RpcOptions {
  /** PostgREST's address. */
  restUrl: string;
  /** The project key that each call sends. If it is a legacy service-role key, `authorization` must also hold it. */
  apikey: string;
  authorization?: string;
  fetch: typeof fetch;
}

/** Makes the options of calls as service role. */
export const asService = (
  { restUrl, secretKey }: Pick<Config, 'restUrl' | 'secretKey'>,
  fetch: RpcOptions['fetch'],
) => ({
  restUrl,
  apikey: secretKey,
  authorization: `Bearer ${secretKey}`,
  fetch,
});

/** Makes a function that sends one request to PostgREST and returns the answer's JSON and its text. */
function makeRequest(options: RpcOptions) {
  return async (name: string, path: string, init: RequestInit): Promise<{ answer: unknown; text: string }> => {
    const [response, text] = await withTimeLimit(TIMEOUT_MS, async (signal) => {
      const response = await options.fetch(`${options.restUrl}/${path}`, {
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
      // PostgREST always answers JSON, so this answer comes from a proxy in front of it.
      throw response.status >= 502 || response.status === 429
        ? unavailable(error)
        : apiError('internal', 'Something unexpected happened.', {
          cause: error,
        });
    }
    if (!response.ok) {
      throw toApiError(name, response, answer as Partial<ErrorBody> | null);
    }
    return { answer, text };
  };
}

const callOf = (body: string, headers: Record<string, string>): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

/** Makes the service that calls SQL functions through PostgREST. Errors are thrown as ApiError. */
export function makeRpc(options: RpcOptions): Rpc {
  const request = makeRequest(options);
  return async <Result>(
    name: string,
    args: object,
    headers: Record<string, string> = {},
    { isText = false } = {},
  ): Promise<Result> => {
    const { answer, text } = await request(name, `rpc/${name}`, callOf(losslessJson(args), headers));
    // SAFETY: the SQL function defines the shape; types/database.types.ts is generated from the same schema.
    return (isText ? text : answer) as Result;
  };
}

/** Makes the service that reads tables. Errors are thrown as ApiError. */
export function makeReadRows(options: RpcOptions): ReadRows {
  const request = makeRequest(options);
  // SAFETY: the query selects the columns that define the shape.
  return async <Row>(table: string, query: string): Promise<Row[]> =>
    (await request(table, `${table}?${query}`, { method: 'GET' })).answer as Row[];
}
