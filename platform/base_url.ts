/**
 * Removes the slashes at the end of an address, so that paths can be added. Uses a loop, because a regular expression
 * would take quadratic time for a text of many slashes.
 */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
