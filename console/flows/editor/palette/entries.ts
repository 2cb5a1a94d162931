import { type DrawnNode, readNode } from '../../../shared/graph/drawn_node.ts';

/** A definition in the palette. */
export interface PaletteEntry {
  id: string;
  nodeId: string;
  title: string;
  description: string;
  /** The heading in the palette. */
  group: string;
  /** The ports, in the form of a drawn node. */
  node: DrawnNode;
}

/** A row of the palette's query. */
export interface ListedRow {
  id: string;
  user_id: string | null;
  node_id: string;
  created_at: string;
  title: unknown;
  description: unknown;
  tags: unknown;
  sources: unknown;
  targets: unknown;
}

const textOf = (json: unknown): string => typeof json === 'string' ? json : '';

/** Titles of groups whose tags are abbreviations. */
const TITLES = new Map([['ai', 'AI'], ['http', 'HTTP'], ['kv store', 'KV store']]);

const groupOf = ({ user_id, tags }: ListedRow, userId: string): string => {
  if (user_id === userId) return 'Own';
  const [tag] = Array.isArray(tags) ? tags : [];
  return typeof tag === 'string' && tag !== '' ? TITLES.get(tag) ?? tag : 'other';
};

/**
 * Returns one version of each definition: the newest version of the user, or else the newest public version. Keeps the
 * order of the rows.
 */
export function newestOf(rows: readonly ListedRow[], userId: string): PaletteEntry[] {
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
    node: readNode({ data: { node_id: row.node_id }, sources: row.sources, targets: row.targets }),
  }));
}

/** Sorts entries into the order of `nodeIds`. */
export const inOrderOf = (nodeIds: readonly string[], entries: readonly PaletteEntry[]): PaletteEntry[] =>
  entries.toSorted((a, b) => nodeIds.indexOf(a.nodeId) - nodeIds.indexOf(b.nodeId));

/** Joins lists. If several entries have the same node, keeps the first. */
export function joinEntries(...lists: readonly (readonly PaletteEntry[])[]): PaletteEntry[] {
  const joined = new Map<string, PaletteEntry>();
  for (const entry of lists.flat()) if (!joined.has(entry.nodeId)) joined.set(entry.nodeId, entry);
  return [...joined.values()];
}

/** Groups entries by their headings. Groups and entries keep their order. */
export const groupPalette = (entries: readonly PaletteEntry[]): [group: string, entries: PaletteEntry[]][] => [
  ...Map.groupBy(entries, ({ group }) => group),
];
