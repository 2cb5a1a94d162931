import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { openConsole, signUpInConsole } from '../support/browser.ts';

const KIB = 1024;

/** Returns the size in bytes of the scripts that a page loads, compressed as a web host compresses them. */
async function loadedScripts(page: Page, visit: () => Promise<void>): Promise<number> {
  const urls = new Set<string>();
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) urls.add(response.url());
  });
  await visit();
  const sizes = await Promise.all(
    [...urls].map(async (url) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length),
  );
  expect(urls.size).toBeGreaterThan(0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('the page for signing in loads at most 150 KiB of scripts', async () => {
  const opened = await openConsole({ isFirstVisit: true });
  expect(await loadedScripts(opened.page, () => opened.goto(''))).toBeLessThan(150 * KIB);
});

test('the editor loads at most 575 KiB of scripts, with the pages before it and the code editor', async () => {
  const opened = await openConsole({ isFirstVisit: true });
  const { page } = opened;
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  const size = await loadedScripts(page, async () => {
    await signUpInConsole(opened);
    await page.getByRole('button', { name: 'New flow' }).click();
    await page.getByRole('button', { name: 'Add node' }).click();
    await page.getByRole('searchbox', { name: 'Find a node' }).fill('Script');
    await page.getByRole('searchbox', { name: 'Find a node' }).press('Enter');
    await panel.getByRole('textbox', { name: 'source' }).waitFor();
  });
  expect(size).toBeLessThan(575 * KIB);
});
