import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

const paletteOf = (page: Page) => page.getByRole('region', { name: 'Palette' });
const entriesOf = (page: Page) => paletteOf(page).getByRole('option');

test('the palette lists definitions by groups in parts, and searches all of them', async () => {
  const opened = await openConsole({ colorScheme: 'dark' });
  const { page } = opened;
  const { id: user_id, client } = await enterConsole(opened);
  await opened.goto('');
  const own = (index: number) => ({
    user_id,
    type: 'mock',
    data: {
      node_id: `own_${index}`,
      version: '0.1',
      display_name: index === 0 ? HOSTILE : `Own ${String(index).padStart(3, '0')}`,
      description: index === 69 ? `the needle ${HOSTILE}` : '',
    },
    sources: [],
    targets: [],
  });
  await client.from('nodes').insert(Array.from({ length: 70 }, (_, index) => own(index)) as never).throwOnError();
  await page.getByRole('button', { name: 'New flow' }).click();
  await page.getByRole('button', { name: 'Add node' }).click();
  await paletteOf(page).getByRole('group', { name: 'Own', exact: true }).waitFor();
  const last = paletteOf(page).getByRole('option', { name: 'Own 069', exact: true });
  expect(await last.count()).toBe(0);
  const count = await entriesOf(page).count();
  await paletteOf(page).getByRole('button', { name: 'More' }).click();
  await last.waitFor();
  expect(await entriesOf(page).count()).toBeGreaterThan(count);
  const groups = await paletteOf(page).getByRole('group').evaluateAll((all) =>
    all.map((group) => group.getAttribute('aria-label'))
  );
  expect(groups.slice(0, 2)).toEqual(['Common', 'Own']);
  await opened.checkAccessibility();

  const search = page.getByRole('searchbox', { name: 'Find a node' });
  await search.fill('NEEDLE own');
  await paletteOf(page).getByText('1 node', { exact: true }).waitFor();
  await paletteOf(page).getByText(`the needle ${HOSTILE}`).waitFor();
  expect(await paletteOf(page).getByRole('group').count()).toBe(0);
  for (const nothing of ['50%', '_______________________', '"),or(id.eq.1', '\\', 'own {a,b}']) {
    await search.fill(nothing);
    await paletteOf(page).getByText('No node has these words.').waitFor();
  }
  expect(await paletteOf(page).getByRole('alert').count()).toBe(0);
  // A user who types and presses Enter at once gets the first match. Nodes whose names match come first.
  await search.fill('wait');
  await search.press('Enter');
  await page.getByRole('region', { name: 'Node', exact: true }).getByRole('heading', { level: 2, name: 'Wait' })
    .waitFor();
  expect(await search.count()).toBe(0);
  await page.keyboard.press('+');
  await search.fill(HOSTILE);
  await search.press('Enter');
  await page.getByRole('region', { name: 'Node', exact: true }).getByRole('heading', { level: 2, name: HOSTILE })
    .waitFor();
  expect(await page.locator('img').count()).toBe(0);
});

test('nodes that are added one after the other are in view and do not overlap', async () => {
  const opened = await openConsole({ viewport: { width: 1200, height: 800 } });
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).click();
  const canvas = page.getByRole('region', { name: 'Canvas' });
  await canvas.waitFor();
  const search = page.getByRole('searchbox', { name: 'Find a node' });
  const add = async (name: string, isAlone: boolean) => {
    if (isAlone) await canvas.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('/');
    await search.fill(name);
    await search.press('Enter');
    const node = canvas.getByRole('group', { name, exact: true });
    await node.waitFor();
    const [box, around] = [await node.boundingBox(), await canvas.boundingBox()];
    expect(box!.x).toBeGreaterThanOrEqual(around!.x);
    expect(box!.x + box!.width).toBeLessThanOrEqual(around!.x + around!.width);
    expect(box!.y + box!.height).toBeLessThanOrEqual(around!.y + around!.height);
  };
  await add('Collect', false);
  await add('Wait', true);
  for (const name of ['Print', 'For Each', 'To String', 'Get Balance']) await add(name, false);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Fit View' }).click();
  await canvas.locator('.react-flow__node').nth(5).waitFor();
  const boxes = await Promise.all((await canvas.locator('.react-flow__node').all()).map((node) => node.boundingBox()));
  for (const [index, a] of boxes.entries()) {
    for (const b of boxes.slice(index + 1)) {
      const overlap = a!.x < b!.x + b!.width && b!.x < a!.x + a!.width && a!.y < b!.y + b!.height &&
        b!.y < a!.y + a!.height;
      expect(overlap).toBe(false);
    }
  }
});

test('the search understands words, suggests a node if none fits, and adds connected nodes one after the other', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).click();
  await page.getByRole('region', { name: 'Canvas' }).waitFor();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Find a node' });
  const best = (count: number) =>
    entriesOf(page).evaluateAll((options, end) => options.slice(0, end).map(({ textContent }) => textContent), count);
  await expect.poll(() => best(2)).toEqual(['Flow Input', 'Flow Output']);
  await search.fill('rhai');
  await expect.poll(() => best(9)).toEqual(['Script']);
  const meanings = {
    if: ['Branch', 'Switch'],
    email: ['HTTP Request'],
    sql: ['SQL Function'],
    file: ['File Explorer', 'Upload File'],
    loop: ['For Each'],
  };
  for (const [word, titles] of Object.entries(meanings)) {
    await search.fill(word);
    await expect.poll(() => best(titles.length)).toEqual(titles);
  }
  await search.fill('teleportation');
  await expect.poll(() => best(9)).toEqual(['HTTP Request', 'Script', 'JavaScript']);
  await page.getByRole('link', { name: 'Write a node of your own' }).waitFor();

  // Shift+Enter keeps the palette open. Each new node is placed beside the one before, and connected to it if the
  // choice of ports is clear.
  for (const name of ['Flow Input', 'To String', 'Script', 'Flow Output']) {
    await search.fill(name);
    await search.press(name === 'Flow Output' ? 'Enter' : 'Shift+Enter');
    await page.getByRole('region', { name: 'Node', exact: true }).getByRole('heading', { level: 2, name }).waitFor();
  }
  await search.waitFor({ state: 'detached' });
  const edges = page.getByRole('region', { name: 'Canvas' }).locator('.react-flow__edge');
  await expect.poll(() => edges.count()).toBe(3);
});
