/** An address without the slashes at its end, to which paths can be added. A loop, since a pattern for this looks quadratic. */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
