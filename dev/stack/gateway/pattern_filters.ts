import { Refusal } from './answer.ts';

/** Parameters of a query that hold no filters. Those in the second list may begin with an embedded table's name. */
const NO_FILTERS = ['select', 'columns', 'on_conflict'];
const NO_FILTERS_OF_TABLES = ['order', 'limit', 'offset'];

/** A filter by a regular expression, such as `match.^a` or `not.imatch(any).{^a,^b}`. */
const BY_PATTERN = /^(?:not\.)?i?match[.(]/;
/**
 * The same in a list of `and` or `or`, such as `(a.is.null,not.and(b.eq.1,c.match.^x))`. Texts in the list are not told
 * from filters, because a text may hold quotes and commas.
 */
const BY_PATTERN_IN_LIST = /\.i?match[.(]/;

/**
 * Tests whether a query of PostgREST filters by a regular expression: at the top, for an embedded table, or within `and`
 * and `or`. In some versions `;` ends a parameter, too.
 */
function filtersByPattern(query: string): boolean {
  for (const parameter of query.split(/[&;]/)) {
    for (const [name, value] of new URLSearchParams(parameter)) {
      const lastWord = name.slice(name.lastIndexOf('.') + 1);
      if (NO_FILTERS.includes(name) || NO_FILTERS_OF_TABLES.includes(lastWord)) continue;
      if (BY_PATTERN.test(value)) return true;
      if (['and', 'or'].includes(lastWord) && BY_PATTERN_IN_LIST.test(value)) return true;
    }
  }
  return false;
}

/**
 * Throws a Refusal if a query filters by a regular expression. A back-reference in such an expression takes
 * exponential time, and the rows that it searches hold long texts of users.
 */
export function refusePatternFilters(query: string): void {
  if (!filtersByPattern(query)) return;
  throw new Refusal(400, 'pattern_filter_refused', 'Filters by a regular expression (match, imatch) are refused.', {
    hint: 'Use like, ilike, eq or in. In the lists of and and or, no text may hold ".match." or ".imatch.".',
  });
}
