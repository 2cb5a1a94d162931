/** The target of a link in a page of the documentation. */
type DocsLink =
  | { kind: 'page'; path: string; anchor: string | undefined }
  | { kind: 'image'; name: string }
  | { kind: 'here'; anchor: string }
  | { kind: 'other site'; url: string }
  /** A file of the project that is not shipped with the console. */
  | { kind: 'file'; path: string };

/** Joins a relative path to the folder of a page. A path that begins with `..` may lead out of docs/. */
function join(page: string, target: string): string {
  const parts = `docs/${page}`.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/**
 * Resolves a link of the page `page`, such as `guides/connections`. `hasPage` returns true for pages that are shipped.
 */
export function resolveLink(page: string, href: string, hasPage: (path: string) => boolean): DocsLink {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return { kind: 'other site', url: href };
  const [target = '', anchor] = href.split('#', 2);
  if (target === '') return { kind: 'here', anchor: anchor ?? '' };
  const file = join(page, target);
  const [, image] = /^docs\/images\/([^/]+)$/.exec(file) ?? [];
  if (image !== undefined) return { kind: 'image', name: image };
  const path = file.replace(/^docs\//, '').replace(/\.md$/, '');
  return file.startsWith('docs/') && file.endsWith('.md') && hasPage(path)
    ? { kind: 'page', path, anchor }
    : { kind: 'file', path: file };
}
