import { joinEntries, type PaletteEntry } from './entries.ts';

/** Ranks how well a title matches a search: smaller is better. The last rank is that of titles that do not match. */
function rankOf({ title }: PaletteEntry, search: string): number {
  const [name, wanted] = [title.toLowerCase(), search.toLowerCase()];
  if (name === wanted) return 0;
  if (name.startsWith(`${wanted} `)) return 1;
  if (name.startsWith(wanted)) return 2;
  const words = name.split(/\s+/);
  return wanted.split(/\s+/).every((word) => words.some((own) => own.startsWith(word))) ? 3 : 4;
}

/** The definitions that a search found, each list in its own order. */
export interface Matches {
  /** Definitions whose names have all words of the search. */
  named: readonly PaletteEntry[];
  /** The nodes of `meantBy`. */
  meant: readonly PaletteEntry[];
  /** Definitions with the words in their descriptions or tags. */
  others: readonly PaletteEntry[];
}

/**
 * Orders the definitions that a search found: first those whose titles have its words, the best title first. The nodes
 * that the words mean follow, then names that only contain the words, and last descriptions and tags.
 */
export function rankMatches(search: string, { named, meant, others }: Matches): PaletteEntry[] {
  const rank = (entry: PaletteEntry) => rankOf(entry, search);
  return joinEntries(meant, named, others).toSorted((a, b) => rank(a) - rank(b));
}
