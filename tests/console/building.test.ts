import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { CONSOLE_PATH, makeConsoleServer } from '../../dev/stack/console/serve.ts';
import { StackError } from '../../dev/stack/stack_error.ts';
import { openConsole } from '../support/browser.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Serves a console as a stack does, with the test's own build function. */
async function serve(build: (signal: AbortSignal) => Promise<string>): Promise<{ url: string; logged: string[] }> {
  const logged: string[] = [];
  const server = createServer((request, response) => served.handle(request, response, request.url ?? ''));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const served = makeConsoleServer({ apiUrl: origin, publishableKey: 'k', log: (line) => logged.push(line), build });
  cleanUps.push(async () => {
    await served.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `${origin}${CONSOLE_PATH}`, logged };
}

/** Makes a folder like the result of a build, with one page. */
async function builtFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-console-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en"><title>Built</title><h1>The console</h1>',
  );
  return folder;
}

test.for(['light', 'dark'] as const)(
  'a page reports the build, and then becomes the console by itself, %s',
  async (colorScheme) => {
    const folder = await builtFolder();
    let finish = (_folder: string) => {};
    const build = new Promise<string>((resolve) => finish = resolve);
    let builds = 0;
    const { url } = await serve(() => (builds++, build));
    const opened = await openConsole({
      consoleUrl: url,
      isBuilt: false,
      colorScheme,
      viewport: { width: 360, height: 800 },
    });
    const { page } = opened;
    await opened.goto('flows/7');
    await page.getByRole('heading', { name: 'The console is being built' }).waitFor();
    await opened.checkAccessibility();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    const waiting = await fetch(url);
    expect([waiting.status, waiting.headers.get('retry-after'), waiting.headers.get('cache-control')])
      .toEqual([503, '1', 'no-store']);
    finish(folder);
    await page.getByRole('heading', { name: 'The console', exact: true }).waitFor();
    expect([new URL(page.url()).pathname, builds]).toEqual(['/console/flows/7', 1]);
  },
);

test('a failed build is reported by a page and in the log, with any text in its output', async () => {
  const output =
    'The build of the console failed:\n<img src=x onerror="document.title=\'owned\'"> at console/app/main.tsx:7';
  const { url, logged } = await serve(() => Promise.reject(new StackError(output)));
  const opened = await openConsole({ consoleUrl: url, isBuilt: false });
  const { page } = opened;
  // The first request finds the build under way; the page asks again.
  await opened.goto('');
  await page.getByRole('heading', { name: 'The console could not be built' }).waitFor();
  await page.getByText('at console/app/main.tsx:7').waitFor();
  await opened.checkAccessibility();
  expect(await page.title()).toBe('The console could not be built');
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([500, 'no-store']);
  expect(logged).toEqual([`The console could not be built; the rest of the stack works.\n${output}`]);
  expect((await fetch(new URL('config.json', url))).status).toBe(200);
});

test('a build that is deleted while the stack runs is reported by a page', async () => {
  const folder = await builtFolder();
  const { url } = await serve(async () => folder);
  await expect.poll(async () => (await fetch(url)).status).toBe(200);
  await rm(join(folder, 'index.html'));
  const answer = await fetch(url);
  expect(answer.status).toBe(500);
  expect(await answer.text()).toContain('is gone.');
});

test('a stack that ends during the build of its console ends the build', async () => {
  let isEnded = false;
  const { url, logged } = await serve((signal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        isEnded = true;
        reject(signal.reason);
      })
    )
  );
  expect((await fetch(url)).status).toBe(503);
  await cleanUps.pop()!();
  expect(isEnded).toBe(true);
  expect(logged).toEqual([]);
});
