/**
 * Returns the console's path of a page of the documentation that is shipped with the console, such as
 * `reference/nodes` with the anchor `http_request`.
 */
export const docsHref = (page: string, anchor?: string): string =>
  `/docs/${page}${anchor === undefined ? '' : `#${anchor}`}`;
