import { expect, test } from 'vitest';
import { resolveLink } from './resolve_link.ts';

const PAGES = ['guides/curl', 'reference/api', 'reference/README', 'architecture'];
const resolve = (href: string) => resolveLink('guides/connections', href, (path) => PAGES.includes(path));

test.for(
  [
    ['curl.md', { kind: 'page', path: 'guides/curl', anchor: undefined }],
    ['../reference/api.md#connections', { kind: 'page', path: 'reference/api', anchor: 'connections' }],
    ['../reference/README.md', { kind: 'page', path: 'reference/README', anchor: undefined }],
    ['../architecture.md', { kind: 'page', path: 'architecture', anchor: undefined }],
    ['#test-it', { kind: 'here', anchor: 'test-it' }],
    ['../images/console_run.png', { kind: 'image', name: 'console_run.png' }],
    ['../../README.md', { kind: 'file', path: 'README.md' }],
    ['../reference/openapi.json', { kind: 'file', path: 'docs/reference/openapi.json' }],
    ['missing.md', { kind: 'file', path: 'docs/guides/missing.md' }],
    ['https://example.com/a#b', { kind: 'other site', url: 'https://example.com/a#b' }],
    ['../../../../etc/passwd', { kind: 'file', path: 'etc/passwd' }],
  ] as const,
)('%s leads to the right place', ([href, target]) => {
  expect(resolve(href)).toEqual(target);
});
