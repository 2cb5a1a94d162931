import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';

test('the documentation is read with an account and without, by links, tables, code and pictures', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  await opened.goto('docs/guides/connections');
  await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
  await page.getByRole('table').first().getByRole('cell', { name: 'bearer', exact: true }).waitFor();
  await page.getByText('send "$FUNCTIONS_URL/connections/upsert"').waitFor();
  await opened.checkAccessibilityInBoth();
  // A link to a heading of another page scrolls to it.
  await page.getByRole('link', { name: 'The rules' }).click();
  await page.getByRole('heading', { level: 1, name: 'API' }).waitFor();
  const heading = page.locator('#connections');
  await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(200);
  expect((await heading.boundingBox())!.y).toBeGreaterThanOrEqual(0);

  await enterConsole(opened);
  await opened.goto('docs');
  await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
  await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Console' }).click();
  await page.getByRole('heading', { level: 1, name: 'The console' }).waitFor();
  const picture = page.getByRole('img', { name: 'A flow on the canvas' });
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  // A comment of the guide is not shown.
  expect(await page.getByRole('main').innerText()).not.toContain('<!--');
  // The source of a diagram is not shown either.
  await opened.goto('docs/guides/own_rows');
  await page.getByText('has a diagram here').waitFor();
  expect(await page.getByRole('main').innerText()).not.toContain('graph LR');
  await opened.goto('docs/guides/nonsense');
  await page.getByText('There is no such page').waitFor();
});

test('a page of the documentation fits on a narrow screen', async () => {
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  await opened.goto('docs/reference/flows');
  await opened.page.getByRole('table').first().waitFor();
  await opened.checkAccessibility();
  expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test('the documentation is searched without a request to a server, by the keyboard', async () => {
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  await opened.goto('docs');
  await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
  const field = page.getByRole('searchbox', { name: 'Search the documentation' });
  await field.fill('<img src=x>');
  await page.getByText('Nothing found.').waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await field.fill('flow that answers');
  const found = page.getByRole('list', { name: 'Found sections' }).getByRole('link');
  await found.filter({ hasText: 'A flow that answers' }).waitFor();
  expect(requests).toEqual([]);
  await opened.checkAccessibilityInBoth();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await field.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'GitHub pushes' }).waitFor();
  const heading = page.locator('#a-flow-that-answers');
  await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(200);
});
