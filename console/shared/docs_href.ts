/**
 * Returns the path in the console of a page of the documentation, such as `reference/nodes`. `anchor` is the id of a
 * heading, such as `http_request`.
 */
export const docsHref = (page: string, anchor?: string): string =>
  `/docs/${page}${anchor === undefined ? '' : `#${anchor}`}`;
