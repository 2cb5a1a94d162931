/** The most characters of a search. Further characters are ignored. */
export const MAX_SEARCH_LENGTH = 100;
/** The most words of a search. Further words are ignored. */
const MAX_WORDS = 8;

/** Makes a pattern for `ilike` that matches the text literally. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Quotes a text for a filter in PostgREST's `or`, so that all its characters are literal. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Makes the filter for a tag that equals this text. */
const tagFilter = (text: string): string => `data.cs.${quoted(JSON.stringify({ tags: [text] }))}`;

const likeFilter = (columns: string[], word: string): string =>
  columns.map((column) => `${column}.ilike.${quoted(likePattern(word))}`).join(',');

const NAMES = ['node_id', 'data->>display_name'];
const TEXTS = [...NAMES, 'data->>description'];

/** Combines the filters of all words of a search, for PostgREST's `or`. */
function everyWord(search: string, filter: (word: string) => string): string {
  const words = search.slice(0, MAX_SEARCH_LENGTH).split(/\s+/).filter((word) => word !== '').slice(0, MAX_WORDS);
  return `and(${words.map((word) => `or(${filter(word)})`).join(',')})`;
}

/** Makes the filter for definitions whose names have all words of a search. The search must not be empty. */
export const nameFilter = (search: string): string => everyWord(search, (word) => likeFilter(NAMES, word));

/**
 * Makes a filter for definitions. A definition passes if each word of the search is in its names, description or tags,
 * or if a tag equals the search. The search must not be empty.
 */
export const searchFilter = (search: string): string =>
  `${everyWord(search, (word) => `${likeFilter(TEXTS, word)},${tagFilter(word)}`)},${tagFilter(search)}`;
