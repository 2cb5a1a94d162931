import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildStaticConsole } from '../../dev/console/static_build.ts';

test('the static build contains its project, its key, its path and its policy', async () => {
  const outDir = await mkdtemp(join(tmpdir(), 'flow-console-'));
  try {
    const url = 'https://abc.supabase.co';
    await buildStaticConsole({ url, key: 'sb_publishable_x', base: '/flows-console/', outDir });
    expect(JSON.parse(await readFile(join(outDir, 'config.json'), 'utf8'))).toEqual({ url, key: 'sb_publishable_x' });
    const page = (await readFile(join(outDir, 'index.html'), 'utf8')).replaceAll('&#39;', "'");
    expect(page).toContain(`connect-src 'self' ${url} wss://abc.supabase.co`);
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<script'));
    expect(page).toContain('src="/flows-console/assets/');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    const assets = await readdir(join(outDir, 'assets'));
    expect(assets.length).toBeGreaterThan(10);
    // The development version of React is slower and larger.
    expect(assets.filter((name) => name.includes('jsx-dev-runtime'))).toEqual([]);
  } finally {
    await rm(outDir, { recursive: true });
  }
});

test.for(
  [
    [{ url: 'abc' }, '--url must be the address of a project'],
    [{ url: 'javascript:1' }, '--url must be the address of a project'],
    [{ url: 'https://abc.supabase.co/rest/v1' }, '--url must be the address of a project'],
    [{ key: 'sb_secret_x' }, 'this one is secret'],
    [{ base: 'console' }, '--base must begin and end with a slash'],
  ] as const,
)('%j is refused', async ([changes, message]) => {
  const options = { url: 'https://abc.supabase.co', key: 'k', base: '/', outDir: '/nowhere', ...changes };
  await expect(buildStaticConsole(options)).rejects.toThrow(message);
});
