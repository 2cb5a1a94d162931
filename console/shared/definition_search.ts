/** Longer searches find nothing more. */
export const MAX_SEARCH_LENGTH = 100;
/** Further words are not looked for. */
const MAX_WORDS = 8;

/** A pattern for `ilike` in which the text stands for itself. */
const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** A value of PostgREST's `or`, in which all characters stand for themselves. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** What says that a tag is this text. */
const tagFilter = (text: string): string => `data.cs.${quoted(JSON.stringify({ tags: [text] }))}`;

const likeFilter = (columns: string[], word: string): string =>
  columns.map((column) => `${column}.ilike.${quoted(likePattern(word))}`).join(',');

const NAMES = ['node_id', 'data->>display_name'];
const TEXTS = [...NAMES, 'data->>description'];

/** What all words of a search have to fulfil, for PostgREST's `or`. */
function everyWord(search: string, filter: (word: string) => string): string {
  const words = search.slice(0, MAX_SEARCH_LENGTH).split(/\s+/).filter((word) => word !== '').slice(0, MAX_WORDS);
  return `and(${words.map((word) => `or(${filter(word)})`).join(',')})`;
}

/** What finds definitions that have all words of a search in their names. The search must not be empty. */
export const nameFilter = (search: string): string => everyWord(search, (word) => likeFilter(NAMES, word));

/**
 * What finds definitions that have all words of a search in their names, descriptions and tags, or that have a tag which
 * is the search. The search must not be empty.
 */
export const searchFilter = (search: string): string =>
  `${everyWord(search, (word) => `${likeFilter(TEXTS, word)},${tagFilter(word)}`)},${tagFilter(search)}`;
