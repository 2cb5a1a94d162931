import type { Value } from '../../types/values/value.ts';
import { type HttpRequest, type NodeCall, NodeError, outputTooLarge } from '../engine/node.ts';
import { lastParam, type Query, withOnlyParam } from './query.ts';
import { type QueryAnswer, sendQuery } from './send.ts';

/** With these headers, the flow's author chooses the rows or the form of one answer. */
const ONE_ANSWER_HEADERS = new Set(['accept', 'range']);

/** The schema that PostgREST serves first on Supabase. */
const DEFAULT_SCHEMA = 'public';

const rowsOf = ({ result }: QueryAnswer): Value[] => 'A' in result ? result.A : [];

/** Returns the number that a query has for a parameter. PostgREST refuses a text that is no number. */
const numberOf = (query: Query, param: string, otherwise: number): number =>
  Number(lastParam(query, param) ?? otherwise);

/** Returns the part of a query behind its first rows. */
function behind(query: Query, rows: number): Query {
  const limit = numberOf(query, 'limit', Infinity);
  const moved = withOnlyParam(query, 'offset', String(numberOf(query, 'offset', 0) + rows));
  return limit === Infinity ? moved : withOnlyParam(moved, 'limit', String(limit - rows));
}

/** Writes the name of a column so that PostgREST reads all its characters as the name. */
const quoted = (column: string): string => `"${column.replaceAll(/["\\]/g, '\\$&')}"`;

/**
 * Returns the query with an order that gives each row one place. Without such an order, a row could be on two pages or
 * on none.
 */
async function withStableOrder(query: Query, rows: number, { project }: NodeCall): Promise<Query> {
  const order = lastParam(query, 'order');
  const isOwn = query.url === undefined || (URL.canParse(query.url) && project.serves(new URL(query.url)));
  const key = isOwn ? await project.primaryKeyColumns(query.target.name, query.schema ?? DEFAULT_SCHEMA) : [];
  if (order === undefined && key.length === 0) {
    throw new NodeError(
      `the result has more than the ${rows} rows of one answer, and no primary key is known by which to read the ` +
        'others: order the rows with postgrest_builder_order, or read at most that many with postgrest_builder_limit',
    );
  }
  return withOnlyParam(query, 'order', [...order === undefined ? [] : [order], ...key.map(quoted)].join(','));
}

/** Tests whether an answer is known to have all rows of a query that its answer can have. */
function isWhole(query: Query, rows: readonly Value[], { total }: QueryAnswer): boolean {
  const wanted = Math.min(numberOf(query, 'limit', Infinity), (total ?? Infinity) - numberOf(query, 'offset', 0));
  return rows.length === 0 || rows.length >= wanted;
}

/**
 * Reads all rows of a query. A server gives only a part of many rows, so this function asks for the next rows until
 * there are none, the query's limit is reached, or the rows do not fit into an output.
 */
export async function readPages(query: Query, headers: HttpRequest['headers'], call: NodeCall): Promise<QueryAnswer> {
  const send = (part: Query) => sendQuery(part, headers, call);
  const first = await send(query);
  const { length } = rowsOf(first);
  const isOneAnswer = !first.isRange || headers.some(([name]) => ONE_ANSWER_HEADERS.has(name.toLowerCase()));
  if (isOneAnswer || isWhole(query, rowsOf(first), first)) return first;
  if (first.total === undefined && rowsOf(await send(behind(query, length))).length === 0) return first;
  // The first answers had no order that gives each row one place, so they are read again.
  const ordered = await withStableOrder(query, length, call);
  const rows: Value[] = [];
  let bytes = 0;
  let page: Value[];
  do {
    const answer = await send(behind(ordered, rows.length));
    page = rowsOf(answer);
    for (const row of page) rows.push(row);
    bytes += answer.bytes;
    if (bytes > call.maxOutputBytes) {
      throw outputTooLarge(`the first ${rows.length} rows of the result do not`, call.maxOutputBytes);
    }
  } while (page.length >= length && !isWhole(query, rows, first));
  return { ...first, result: { A: rows } };
}
