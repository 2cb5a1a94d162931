import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { projectNodesDir, readDefinitionFiles } from '../../dev/nodes/publish_nodes.ts';
import { type ConsolePage, enterConsole, openConsole } from '../support/browser.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

const openNodes = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Nodes' }).click();

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** Replaces the text of the code editor. */
async function writeDefinition({ page }: ConsolePage, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Definition' });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const definition = (changed: object = {}) => ({
  type: 'native',
  data: {
    node_id: 'greet',
    version: '1.0',
    display_name: 'Greet',
    description: 'Says hello.',
    tags: ['words'],
    ...changed,
  },
  sources: [{ name: 'greeting', type: 'string' }],
  targets: [{ name: 'who', type_bounds: ['string'], required: true }],
  'targets_form.json_schema': { type: 'object', properties: { who: { title: 'Who', type: 'string' } } },
  'targets_form.ui_schema': {},
});

test('a definition is written, corrected, drawn, found, changed and deleted', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('nodes');
  await page.getByRole('link', { name: 'New definition' }).click();

  await writeDefinition(
    opened,
    JSON.stringify({ ...definition(), targets: [{ name: 'who', type_bounds: 'string' }] }, undefined, 2),
  );
  await page.getByText(/^targets\[0\]\.type_bounds: /).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);

  await writeDefinition(opened, JSON.stringify(definition(), undefined, 2));
  await page.getByText('This is a valid definition.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Greet').waitFor();
  await page.getByRole('textbox', { name: 'Who' }).fill('you');
  await page.getByRole('cell', { name: 'who' }).waitFor();
  await opened.checkAccessibility();

  await page.getByRole('link', { name: 'Edit' }).click();
  await writeDefinition(opened, JSON.stringify(definition({ display_name: 'Greet all' }), undefined, 2));
  await page.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Greet all').waitFor();

  await openNodes(page);
  await page.getByText('My own', { exact: true }).click();
  await page.getByRole('searchbox', { name: 'Find a definition' }).fill('words');
  await page.getByRole('link', { name: 'Greet all' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await heading(page, 'Nodes').waitFor();
  await page.getByText('My own', { exact: true }).click();
  await page.getByText('You have no definitions yet').waitFor();
});

test('a definition of the newer form is converted', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('nodes/new');
  const convert = page.getByRole('button', { name: 'Convert from the newer form' });
  await writeDefinition(opened, '{ "name": "greet", "version": "1", "ports": { "inputs": {} } }');
  await convert.click();
  await page.getByRole('alert').getByText(/^This is not a node definition: ports\.inputs/).waitFor();
  await writeDefinition(
    opened,
    '{ // Says hello.\n"name": "greet", "version": "1", "ports": { "inputs": [{ "name": "who", "required": true }], }, }',
  );
  await convert.click();
  await page.getByText('This is a valid definition.').waitFor();
  expect(await convert.count()).toBe(0);
  await page.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'greet').waitFor();
  await page.getByRole('cell', { name: 'who' }).waitFor();
});

test('a search finds by name, tag and text, and takes every character literally', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('nodes');
  const search = page.getByRole('searchbox', { name: 'Find a definition' });
  await search.fill('http_request');
  await page.getByRole('list', { name: 'definitions' }).getByRole('link').first().waitFor();
  for (const text of ['100%_', 'a,b.eq.c)', '"\\', '*', '{}', "' or 1=1 --"]) {
    await search.fill(text);
    await page.getByText('Nothing was found').waitFor();
  }
  await search.fill('');
  await page.getByRole('navigation', { name: 'Pages of definitions' }).waitFor();
  await opened.checkAccessibility();
});

test('texts of another user stay texts, in light and in dark', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { client } = await enterConsole(opened);
  const { data } = await client.from('nodes').insert({
    ...definition({
      display_name: HOSTILE,
      description: HOSTILE.repeat(20),
      tags: [HOSTILE],
      resources: { documentation_url: `javascript:document.title='owned'` },
      design: { backgroundColor: 'url(https://evil.example/)', icon_url: 'https://evil.example/i.png' },
    }),
    'targets_form.json_schema': {
      type: 'object',
      title: HOSTILE,
      properties: { [HOSTILE]: { type: 'string', description: HOSTILE, pattern: '^(a+)+$' } },
    },
    'targets_form.ui_schema': { 'ui:order': ['unknown'], [HOSTILE]: { 'ui:widget': 'HtmlWidget', 'ui:help': HOSTILE } },
  } as never).select('id').single().throwOnError();
  await opened.goto(`nodes/${data.id}`);
  await heading(page, HOSTILE).waitFor();
  expect(await page.title()).toContain(HOSTILE);
  expect(await page.getByRole('main').getByRole('link', { name: /Documentation/ }).count()).toBe(0);
  await opened.checkAccessibilityInBoth();
});

test('every definition of the project is drawn with its ports and its form', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const { client } = await enterConsole(opened);
  await opened.goto('');
  // Take the definitions from the project's files, because other tests publish and delete definitions meanwhile.
  const nodeIds = (await readDefinitionFiles(projectNodesDir)).map(({ text }) => JSON.parse(text).data.node_id);
  const { data } = await client.from('nodes').select('id, node_id, version, sources, targets').is('user_id', null)
    .in('node_id', nodeIds).throwOnError();
  expect(data).toHaveLength(nodeIds.length);
  for (const { id, node_id, version, sources, targets } of data) {
    // Changes the address like a link on the page, without reloading the console.
    await page.evaluate((id) => history.pushState(null, '', `/console/nodes/${id}`), id);
    await page.getByText(`${node_id} version ${version}, changed`).waitFor();
    await expect.poll(() => page.locator('.graph-port').count()).toBe([sources, targets].flat().length);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  }
});
