import type { Db } from '../../../shared/api.tsx';
import { nameFilter, searchFilter } from '../../../shared/definition_search.ts';
import { inOrderOf, joinEntries, type ListedRow, newestOf, type PaletteEntry } from './entries.ts';
import { leadOf } from './leads.ts';
import { rankMatches } from './rank_matches.ts';
import { COMMON, HIDDEN, meantBy, SUGGESTED } from './words.ts';

/** Number of definitions that the palette reads at first, and with each click on “More”. */
export const PALETTE_PAGE = 60;

/** The contents of the palette. */
export interface PaletteList {
  entries: PaletteEntry[];
  hasMore: boolean;
  /** True if no definition fits the search, and the entries are suggestions. */
  isSuggested: boolean;
}

const COLUMNS = 'id, user_id, node_id, created_at, sources, targets, title:data->display_name, ' +
  'description:data->description, tags:data->tags';
const NAME = 'data->>display_name';

const select = (db: Db) => db.from('nodes').select(COLUMNS).not('node_id', 'in', `(${HIDDEN.join(',')})`);
type Query = ReturnType<typeof select>;

/** Reads the rows of a query, and one row more than the limit, which shows whether there are more rows. */
type Read = (narrow: (query: Query) => Query, order?: string) => Promise<ListedRow[]>;

/** Reads all definitions: the common ones, the user's own, and the others by groups. */
async function readAll(read: Read, userId: string, limit: number): Promise<PaletteList> {
  const lists = await Promise.all([
    read((query) => query.in('node_id', COMMON)),
    read((query) => query.eq('user_id', userId)),
    read((query) => query.or(`user_id.is.null,user_id.neq.${userId}`), 'data->tags->>0'),
  ]);
  const [common, own, others] = lists.map((rows) => newestOf(rows.slice(0, limit), userId));
  const first = inOrderOf(COMMON, common!).map((entry) => ({ ...entry, group: 'Common' }));
  return {
    entries: joinEntries(first, own!, others!),
    hasMore: lists.some((rows) => rows.length > limit),
    isSuggested: false,
  };
}

/**
 * Reads the definitions that a search finds, in the order of `rankMatches`. If the search finds nothing, reads
 * suggestions, unless the search means something that is no node.
 */
async function readMatches(read: Read, userId: string, search: string, limit: number): Promise<PaletteList> {
  const meant = meantBy(search);
  const lists = await Promise.all([
    read((query) => query.or(nameFilter(search))),
    meant.length === 0 ? [] : read((query) => query.in('node_id', meant)),
    read((query) => query.or(searchFilter(search))),
  ]);
  const [named, meanings, others] = lists.map((rows) => newestOf(rows.slice(0, limit), userId));
  const found = rankMatches(search, { named: named!, meant: inOrderOf(meant, meanings!), others: others! });
  if (found.length > 0 || leadOf(search) !== undefined) {
    return { entries: found, hasMore: lists.some((rows) => rows.length > limit), isSuggested: false };
  }
  const suggested = newestOf(await read((query) => query.in('node_id', SUGGESTED)), userId);
  return { entries: inOrderOf(SUGGESTED, suggested), hasMore: false, isSuggested: true };
}

/**
 * Reads the public definitions and the user's own definitions that match the search, up to a limit. An empty search
 * matches all of them.
 */
export function readPalette(
  db: Db,
  userId: string,
  { search, limit }: { search: string; limit: number },
  signal: AbortSignal,
): Promise<PaletteList> {
  const read: Read = async (narrow, order = NAME) => {
    const { data } = await narrow(select(db)).order(order).order(NAME).order('id').limit(limit + 1)
      .abortSignal(signal).throwOnError();
    // SAFETY: the select names these columns.
    return data as unknown as ListedRow[];
  };
  return search === '' ? readAll(read, userId, limit) : readMatches(read, userId, search, limit);
}
