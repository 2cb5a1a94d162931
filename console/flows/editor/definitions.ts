import type { Db } from '../../shared/api.tsx';
import { nameFilter, searchFilter } from '../../shared/definition_search.ts';
import { isObject } from '../../shared/graph/drawn_node.ts';
import type { DrawnDefinition } from './definition.ts';

/** Number of definitions that the palette reads at once, and by each click on “More”. */
export const PALETTE_PAGE = 60;

/** A definition in the palette. */
export interface PaletteEntry {
  id: string;
  nodeId: string;
  title: string;
  description: string;
  /** The heading in the palette. */
  group: string;
}

/** The contents of the palette. */
export interface PaletteList {
  entries: PaletteEntry[];
  hasMore: boolean;
}

interface ListedRow {
  id: string;
  user_id: string | null;
  node_id: string;
  created_at: string;
  title: unknown;
  description: unknown;
  tags: unknown;
}

const textOf = (json: unknown): string => typeof json === 'string' ? json : '';

const groupOf = ({ user_id, tags }: ListedRow, userId: string): string => {
  if (user_id === userId) return 'Own';
  const [tag] = Array.isArray(tags) ? tags : [];
  return typeof tag === 'string' && tag !== '' ? tag : 'other';
};

/** Returns the newest version of each definition, and the user's own before a public one, in the order of the rows. */
function newestOf(rows: readonly ListedRow[], userId: string): PaletteEntry[] {
  const newest = new Map<string, ListedRow>();
  for (const row of rows) {
    const known = newest.get(row.node_id);
    const isOwn = row.user_id === userId;
    const isKnownOwn = known?.user_id === userId;
    const isBetter = known === undefined || (isOwn === isKnownOwn ? row.created_at > known.created_at : isOwn);
    if (isBetter) newest.set(row.node_id, row);
  }
  return [...newest.values()].map((row) => ({
    id: row.id,
    nodeId: row.node_id,
    title: textOf(row.title) || row.node_id,
    description: textOf(row.description),
    group: groupOf(row, userId),
  }));
}

const COLUMNS =
  'id, user_id, node_id, created_at, title:data->display_name, description:data->description, tags:data->tags';

/** Ranks how well a name matches a search: smaller is better. */
function rankOf({ title }: PaletteEntry, search: string): number {
  const [name, wanted] = [title.toLowerCase(), search.toLowerCase()];
  return name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2;
}

/**
 * Reads public definitions and the user's own, up to a limit: without a search all by groups, the user's own first;
 * with a search those that match, matches of names first.
 */
export async function readPalette(
  db: Db,
  userId: string,
  { search, limit }: { search: string; limit: number },
  signal: AbortSignal,
): Promise<PaletteList> {
  const list = async (order: string, narrow: (query: ReturnType<typeof select>) => ReturnType<typeof select>) => {
    const { data } = await narrow(select()).order(order).order('data->>display_name').order('id').limit(limit + 1)
      .abortSignal(signal).throwOnError();
    // SAFETY: the select names these columns.
    return data as unknown as ListedRow[];
  };
  const select = () => db.from('nodes').select(COLUMNS);
  const name = 'data->>display_name';
  const lists = await Promise.all(
    search === ''
      ? [
        list(name, (query) => query.eq('user_id', userId)),
        list('data->tags->>0', (query) => query.or(`user_id.is.null,user_id.neq.${userId}`)),
      ]
      : [
        list(name, (query) => query.or(nameFilter(search))),
        list(name, (query) => query.or(searchFilter(search))),
      ],
  );
  const [first, second] = lists.map((rows) => newestOf(rows.slice(0, limit), userId));
  if (search !== '') first!.sort((a, b) => rankOf(a, search) - rankOf(b, search));
  const known = new Set(first!.map(({ nodeId }) => nodeId));
  return {
    entries: [...first!, ...second!.filter(({ nodeId }) => !known.has(nodeId))],
    hasMore: lists.some((rows) => rows.length > limit),
  };
}

/** Reads a whole definition. Throws if it has been deleted. */
export async function readDefinition(db: Db, id: string): Promise<DrawnDefinition> {
  const { data } = await db.from('nodes').select('*').eq('id', id).maybeSingle().throwOnError();
  if (!isObject(data)) throw new Error('This definition has been deleted.');
  // SAFETY: a row of the table has these columns.
  return data as unknown as DrawnDefinition;
}

/** Groups entries in the order in which they come. */
export const groupPalette = (entries: readonly PaletteEntry[]): [group: string, entries: PaletteEntry[]][] => [
  ...Map.groupBy(entries, ({ group }) => group),
];
