import { isObject } from '../graph/drawn_node.ts';

/** A row with a name and a value. */
export interface PairRow {
  name: string;
  value: string;
}

/** True for the values that a row can show. */
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Reads a map or a list of pairs [name, value] into rows. Returns undefined if a value is no text, number or boolean,
 * because rows can't show it.
 */
export function readRows(stored: unknown): PairRow[] | undefined {
  const pairs = isObject(stored) ? Object.entries(stored) : stored ?? [];
  if (!Array.isArray(pairs)) return undefined;
  const isPair = (pair: unknown): pair is [string, unknown] =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && isPlain(pair[1]);
  return pairs.every(isPair) ? pairs.map(([name, value]) => ({ name, value: String(value) })) : undefined;
}

/** Converts rows to a list of pairs; undefined if no row has a name. */
export function toPairs(rows: readonly PairRow[]): [string, string][] | undefined {
  const pairs = rows.filter(({ name }) => name !== '').map(({ name, value }): [string, string] => [name, value]);
  return pairs.length === 0 ? undefined : pairs;
}

/** True if the stored value is what these rows store. So rows without a name stay until the user completes them. */
export const isStored = (rows: readonly PairRow[], stored: unknown): boolean =>
  JSON.stringify(toPairs(rows) ?? []) === JSON.stringify(toPairs(readRows(stored) ?? []) ?? []);
