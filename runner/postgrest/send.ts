import { nodeLimits } from '../../types/limits/nodes.ts';
import type { Effects } from '../../types/node_definition.ts';
import { ConversionError } from '../../types/values/conversion.ts';
import { toWireJson } from '../../types/values/json/wire_json.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import { type HttpRequest, type NodeCall, NodeError } from '../engine/node.ts';
import { requestOfRun } from '../engine/failures/request_of_run.ts';
import { readResponse } from '../values/response_value.ts';
import { restrictsRows } from './names.ts';
import type { Query } from './query.ts';

/** Servers in front of PostgREST refuse longer URLs, and not always with a clear error. */
const MAX_URL_CHARACTERS = nodeLimits.query_url_characters.value;

/** Returns the URL of a query. `restUrl` is the address of a PostgREST server. */
function urlOf({ target: { kind, name }, params }: Query, restUrl: string): URL {
  // With one of these names in its path, the URL would not lead to a table or a function.
  if (['', '.', '..'].includes(name)) throw new ConversionError(`must be the name of a ${kind}`, kind);
  if (!URL.canParse(restUrl)) throw new NodeError('the URL is malformed');
  const url = new URL(restUrl);
  const folder = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  url.pathname = `${folder}${kind === 'function' ? 'rpc/' : ''}${encodeURIComponent(name)}`;
  // A separate object collects the parameters, because each change of `url.searchParams` would rewrite the whole URL.
  const search = new URLSearchParams(url.search);
  for (const [param, value] of params) search.append(param, value);
  url.search = String(search);
  if (url.href.length > MAX_URL_CHARACTERS) {
    throw new NodeError(
      `the URL of the query has ${url.href.length} characters, but at most ${MAX_URL_CHARACTERS} are allowed: ` +
        'filter by fewer or shorter values',
    );
  }
  return url;
}

/** The headers that belong to a query. Source: docs.postgrest.org, "Schemas" and "Prefer header". */
function headersOf({ target, method, schema, prefer, body }: Query): HttpRequest['headers'] {
  return [
    ['accept', 'application/json'],
    ...(schema === undefined ? [] : [[method === 'GET' ? 'accept-profile' : 'content-profile', schema]] as const),
    ...(body === undefined ? [] : [['content-type', 'application/json']] as const),
    ...prefer.map((preference) => ['prefer', preference] as const),
    ...(target.kind === 'function' ? [['prefer', 'count=exact']] as const : []),
  ].map(([name, value]) => [name, value]);
}

/** Returns the effects of sending a query. A call of a function counts as a write. */
const effectsOfQuery = ({ method, isSafeToRepeat }: Query): Effects =>
  method === 'GET' ? 'none' : isSafeToRepeat ? 'idempotent' : 'once';

/**
 * Makes a function that reads the query in a node's inputs and returns the effects of sending it. For a malformed query
 * the function returns `once`, although the query is never sent.
 */
export const effectsOf = (readQuery: (inputs: ValueMap) => Query) => (inputs: ValueMap): Effects => {
  try {
    return effectsOfQuery(readQuery(inputs));
  } catch {
    return 'once';
  }
};

/** The answer to a query. `result` is null if the body is empty. */
export interface QueryAnswer {
  result: Value;
  headers: Value;
  /** The length of the body. */
  bytes: number;
  /** True if the server says which of the rows the answer has. */
  isRange: boolean;
  /** The number of all rows, if the server was asked to count them. */
  total: number | undefined;
}

/** Refuses a change of all rows that the owner may change, because the author has probably forgotten the filter. */
function checkWrite({ method, params }: Query): void {
  if (method !== 'PATCH' || params.some(([name]) => restrictsRows(name))) return;
  throw new NodeError(
    'the update has no filter, so it would change every row: add one (postgrest_builder_eq), or one that every row ' +
      'passes, such as `not is null` of the primary key (postgrest_builder_not)',
  );
}

/** Reads the header `content-range`, such as `0-99/*` or `0-99/150`. */
function readRange(contentRange: string | undefined): Pick<QueryAnswer, 'isRange' | 'total'> {
  const [found, total] = /^(?:\d{1,15}-\d{1,15}|\*)\/(\d{1,15}|\*)$/.exec(contentRange ?? '') ?? [];
  return { isRange: found !== undefined, total: total === undefined || total === '*' ? undefined : Number(total) };
}

/**
 * Fails if a function returned more rows than the server has put into its answer. A function is called only once, so
 * the other rows can't be read.
 */
function checkAllRows({ target, params }: Query, { result, total }: QueryAnswer): void {
  if (target.kind === 'table' || total === undefined || !('A' in result)) return;
  // With a limit or an offset, the author has asked for a part of the rows.
  if (params.some(([name]) => name === 'limit' || name === 'offset') || total <= result.A.length) return;
  throw new NodeError(
    `the function was called and returned ${total} rows, but an answer has only ${result.A.length} of them: ` +
      'let the function return fewer rows, or all of them as one JSON value',
  );
}

/**
 * Sends a query. A query to the project's own REST API is sent as the flow's owner. A query to another address is sent
 * like a request of the node `http_request`.
 */
export async function sendQuery(
  query: Query,
  headers: HttpRequest['headers'],
  call: NodeCall,
): Promise<QueryAnswer> {
  const { project, http, maxOutputBytes } = call;
  checkWrite(query);
  const url = urlOf(query, query.url ?? project.restUrl());
  const { body, method } = query;
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  return await requestOfRun(call, effectsOfQuery(query) !== 'once', async (signal) => {
    const response = await (project.serves(url) ? project : http).request({
      method,
      url: url.href,
      // A header that the author gives replaces the query's header of the same name. Only headers `Prefer` are all
      // sent.
      headers: [...headersOf(query).filter(([name]) => name === 'prefer' || !given.has(name)), ...headers],
      makeBody: body && (() => new TextEncoder().encode(toWireJson(body))),
      maxResponseBytes: maxOutputBytes,
      signal,
    });
    const { body: result, headers: received } = readResponse(response, maxOutputBytes);
    const answer = {
      result: response.body.length === 0 ? { N: 0 } satisfies Value : result,
      headers: received,
      bytes: response.body.length,
      ...readRange(response.headers['content-range']),
    };
    checkAllRows(query, answer);
    return answer;
  });
}
