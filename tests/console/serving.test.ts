import { request } from 'node:http';
import { beforeAll, expect, inject, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { signUp } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const consoleUrl = (path = '') => `${inject('stack').CONSOLE_URL}${path}`;

/** Requests exactly this path. `fetch` would resolve the dots in the path. */
const askFor = (path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(consoleUrl());
    request({ hostname, port, path }, async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() });
    }).once('error', reject).end();
  });

const builtPage = () =>
  waitFor(async () => {
    const response = await fetch(consoleUrl());
    if (response.status === 500) throw new Error(await response.text());
    return response.ok ? response : undefined;
  });

beforeAll(async () => void await builtPage());

test('the page has a policy without inline scripts that allows its own project only', async () => {
  const response = await builtPage();
  const policy = response.headers.get('content-security-policy')!.split('; ');
  const { origin, host } = new URL(consoleUrl());
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`script-src ${host}/console/assets/ 'wasm-unsafe-eval'`);
  expect(policy).toContain(`connect-src 'self' ${origin} ws://${host}`);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('an uploaded script of the same origin does not run when it is named', async () => {
  await builtPage();
  const owner = await signUp();
  const path = `${owner.id}/script.js`;
  const bucket = owner.client.storage.from('user-public-storages');
  const { error } = await bucket.upload(path, new Blob(['window.hasRun = true'], { type: 'text/javascript' }));
  expect(error).toBeNull();
  const url = new URL(`/storage/v1/object/public/user-public-storages/${path}`, consoleUrl()).href;
  expect((await fetch(url)).headers.get('content-type')).toMatch(/javascript/);
  const context = await (await launchBrowser()).newContext();
  try {
    const page = await context.newPage();
    await page.goto(consoleUrl());
    await page.getByRole('heading', { level: 1 }).waitFor();
    const blocked = await page.evaluate((src) =>
      new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ blockedURI }) => resolve(blockedURI));
        const script = Object.assign(document.createElement('script'), { src, onload: () => resolve('it ran') });
        document.head.append(script);
      }), url);
    expect(blocked).toBe(url);
    expect(await page.evaluate(() => 'hasRun' in window)).toBe(false);
  } finally {
    await context.close();
  }
});

test('files that the page loads are found, immutable, and of the right type', async () => {
  const text = await (await builtPage()).text();
  const paths = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(1);
  for (const path of paths) {
    const response = await fetch(new URL(path, consoleUrl()));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
    await response.body?.cancel();
  }
});

test('config.json names the project and its publishable key, and no other key', async () => {
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  expect(await (await fetch(consoleUrl('config.json'))).json()).toEqual({ url: API_URL, key: PUBLISHABLE_KEY });
});

test('the address of a page serves the page, and a file of an older build is not found', async () => {
  const page = await (await builtPage()).text();
  for (const path of ['flows', 'flows/7?page=2', 'start/0d0c9b1e-8f4f-4cd6-a8d8-7c36a3e7b0b2', 'nodes/a.b.0.1']) {
    expect(await (await fetch(consoleUrl(path))).text()).toBe(page);
  }
  expect((await fetch(consoleUrl('assets/gone-12345678.js'))).status).toBe(404);
});

test.for([
  '/console/../package.json',
  '/console/assets/../../../package.json',
  '/console/%2e%2e/package.json',
  '/console/..%2fpackage.json',
  '/console//etc/passwd',
  '/console/assets/%00',
])('%s reaches no file outside of the build', async (path) => {
  const { status, text } = await askFor(path);
  expect([status, text.includes('"workspaces"'), text.includes('root:')]).toEqual([
    path.startsWith('/console/assets/') ? 404 : 200,
    false,
    false,
  ]);
});

test('the address without a slash redirects to the one with it, and other methods are refused', async () => {
  const redirect = await fetch(consoleUrl().slice(0, -1), { redirect: 'manual' });
  expect([redirect.status, redirect.headers.get('location')]).toEqual([308, '/console/']);
  const refused = await fetch(consoleUrl(), { method: 'POST', body: 'x' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const head = await fetch(consoleUrl(), { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});
