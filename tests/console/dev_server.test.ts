import { execFile } from 'node:child_process';
import { readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ServedProject, startDevServer } from '../../dev/console/dev_server.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { openConsole, signUpInConsole } from '../support/browser.ts';
import { npmScript } from '../support/npm_script.ts';

let server: Awaited<ReturnType<typeof startDevServer>>;
let url: string;
beforeAll(async () => {
  server = await startDevServer(inject('stack') satisfies ServedProject);
  url = server.resolvedUrls!.local[0]!;
});
afterAll(() => server.close());

test('the dev server listens on loopback and connects the console to the stack', async () => {
  expect(new URL(url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/console/' });
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  expect(await (await fetch(new URL('config.json', url))).json()).toEqual({ url: API_URL, key: PUBLISHABLE_KEY });
});

test('a page of the dev server signs up at the stack, and shows a changed source without a reload', async () => {
  const opened = await openConsole({ consoleUrl: url });
  const { page } = opened;
  await signUpInConsole(opened);
  await page.evaluate(() => Reflect.set(window, 'isSamePage', true));
  const source = join(projectDir, 'console/shared/page/empty_state.tsx');
  const before = await readFile(source);
  const updated = page.waitForEvent('console', (message) => /hot updated: .*empty_state\.tsx/.test(message.text()));
  // Only the file's time changes. The file's content stays, because other tests build from the file meanwhile.
  await utimes(source, new Date(), new Date());
  await updated;
  await page.getByText('You have no flows yet').waitFor();
  expect(await page.evaluate(() => Reflect.get(window, 'isSamePage'))).toBe(true);
  expect(await readFile(source)).toEqual(before);
});

/** Returns the lines with which `npm run console` refuses, and its exit code. */
const refusal = (...args: string[]): Promise<{ code: number | string | null | undefined; lines: string[] }> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      npmScript('console', ...args),
      { cwd: projectDir },
      (error, stdout, stderr) => resolve({ code: error?.code, lines: `${stdout}${stderr}`.trim().split('\n') }),
    )
  );

test('the dev server ends with one line if no stack runs', async () => {
  const port = await findFreePort();
  expect(await refusal('--port', String(port)))
    .toEqual({ code: 1, lines: [`No stack runs on port ${port}; start one with: npm start`] });
});

test('an unknown option is refused with the known ones', async () => {
  const { code, lines } = await refusal('--prot', '1');
  expect([code, lines.at(-1)]).toEqual([1, "npm run console -- [--port <the stack's port>]"]);
});
