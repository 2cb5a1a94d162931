import type { DocsSection } from './make_index.ts';

/** The most sections that a search returns. */
const FOUND = 12;

/** Ranks a section for one searched word: 0 if it lacks the word, more if its heading or its page has the word. */
function rankOf({ page, heading, words }: DocsSection, word: string): number {
  if (heading.toLowerCase().includes(word)) return 4;
  if (!words.includes(word)) return 0;
  return page.toLowerCase().includes(word) ? 3 : ` ${words} `.includes(` ${word} `) ? 2 : 1;
}

/** Returns the sections that have every word of the query, the best first. */
export function findSections(index: readonly DocsSection[], query: string): DocsSection[] {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
  if (words.length === 0) return [];
  return index.map((section) => {
    const ranks = words.map((word) => rankOf(section, word));
    return { section, rank: ranks.includes(0) ? 0 : ranks.reduce((sum, rank) => sum + rank, 0) };
  }).filter(({ rank }) => rank > 0).sort((a, b) => b.rank - a.rank).slice(0, FOUND).map(({ section }) => section);
}
