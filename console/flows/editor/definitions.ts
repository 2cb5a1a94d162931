import type { Db } from '../../shared/api.tsx';
import { isObject } from '../../shared/graph/drawn_node.ts';
import type { DefinitionRow } from './definition.ts';

/** How many definitions the palette holds. */
const DEFINITIONS_READ = 1_000;

/** A definition in the palette. */
export interface PaletteEntry {
  id: string;
  nodeId: string;
  version: string;
  title: string;
  description: string;
  /** What it stands under. */
  group: string;
}

interface ListedRow {
  id: string;
  user_id: string | null;
  node_id: string;
  version: string;
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

/** The public definitions and one's own: of each the newest version, and one's own rather than a public one. */
export async function readPalette(
  db: Db,
  userId: string,
  signal: AbortSignal,
): Promise<PaletteEntry[]> {
  const { data } = await db.from('nodes')
    .select(
      'id, user_id, node_id, version, title:data->display_name, description:data->description, tags:data->tags',
    )
    .order('created_at', { ascending: false }).limit(DEFINITIONS_READ).abortSignal(signal).throwOnError();
  const entries = new Map<string, PaletteEntry>();
  // SAFETY: the columns are those that the select names.
  for (const row of (data as unknown as ListedRow[])) {
    const known = entries.get(row.node_id);
    const group = groupOf(row, userId);
    if (known !== undefined && (known.group === 'Own' || group !== 'Own')) continue;
    entries.set(row.node_id, {
      id: row.id,
      nodeId: row.node_id,
      version: row.version,
      title: textOf(row.title) || row.node_id,
      description: textOf(row.description),
      group,
    });
  }
  return [...entries.values()].sort((a, b) => a.title.localeCompare(b.title));
}

/** Reads a whole definition. Throws when it is gone. */
export async function readDefinition(db: Db, id: string): Promise<DefinitionRow> {
  const { data } = await db.from('nodes').select('*').eq('id', id).maybeSingle().throwOnError();
  if (!isObject(data)) throw new Error('This definition has been deleted.');
  // SAFETY: a row of the table has these columns.
  return data as unknown as DefinitionRow;
}

/** The entries that have all words of a search in their name, their id or their description. */
export function searchPalette(entries: readonly PaletteEntry[], search: string): PaletteEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const rank = ({ title, nodeId }: PaletteEntry) =>
    words.every((word) => `${title} ${nodeId}`.toLowerCase().includes(word)) ? 0 : 1;
  return entries.filter(({ title, nodeId, description, group }) => {
    const text = `${title} ${nodeId} ${description} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }).sort((a, b) => rank(a) - rank(b));
}

/** Entries by their group, one's own first. */
export function groupPalette(entries: readonly PaletteEntry[]): [group: string, entries: PaletteEntry[]][] {
  const groups = Map.groupBy(entries, ({ group }) => group);
  return [...groups].sort(([a], [b]) => Number(b === 'Own') - Number(a === 'Own') || a.localeCompare(b));
}
