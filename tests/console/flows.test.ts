import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, storeFlow } from '../support/people.ts';

const EXAMPLE = join(projectDir, 'docs/example_flow.json');

/** Returns the file that a click on a button downloads. */
async function download(page: Page): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

test('a user imports a flow, deploys and runs it, and it ends with the right output', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto('');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Import' }).click(),
  ]);
  await chooser.setFiles(EXAMPLE);
  await page.getByRole('heading', { level: 1, name: 'Order total' }).waitFor();
  const canvas = page.getByRole('region', { name: 'Canvas' });
  await canvas.getByRole('group', { name: 'Price times quantity', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('link', { name: 'Open the deployment' }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Run' });
  await dialog.getByRole('textbox', { name: 'item' }).fill('tea');
  // The flow's default is a number, so the field accepts JSON.
  await dialog.getByRole('textbox', { name: 'quantity' }).fill('3');
  await dialog.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('region', { name: 'Last run' }).getByRole('link', { name: 'Open the run' }).click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  const run = await finishedRun(person, page.url().split('/').at(-1)!);
  expect(run).toMatchObject({
    status: 'succeeded',
    output: { M: { total: { D: '6.60' }, receipt: { S: '3 x tea at 2.20 = 6.60' } } },
  });

  await opened.goto('flows');
  const row = page.getByRole('row', { name: /Order total/ });
  await row.getByText('succeeded').waitFor();
  expect(await row.getByRole('link', { name: '1', exact: true }).getAttribute('href')).toMatch(
    /deployments\?flow=\d+$/,
  );
  await opened.checkAccessibility();
});

/** A flow with content that only other editors write: numbers beyond 2^53, and unknown members. */
const EXACT =
  `{"name":"Exact","nodes":[{"id":"a","theirs":{"b":[1.50,18446744073709551615]},"position":{"x":1e2,"y":-0.1},` +
  `"data":{"type":"native","node_id":"const","sources":[{"id":"s","name":"Source","type":"free","theirs":null}],` +
  `"targets":[],"targets_form":{"form_data":{"type":"U","value":{"U":"1"}}},"theirs":[123456789012345678901234567890,1.00000000000000000001]}}],` +
  `"edges":[]}`;

test('content of another editor is kept unchanged: imported by dropping, moved, and exported', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { client, id } = await enterConsole(opened);
  await opened.goto('');
  const transfer = await page.evaluateHandle((text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], 'exact.json', { type: 'application/json' }));
    return files;
  }, EXACT);
  await page.getByRole('heading', { name: 'You have no flows yet' }).dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByRole('heading', { level: 1, name: 'Exact' }).waitFor();
  const node = page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name: 'const' });
  await node.focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.getByText('Not saved').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();

  const { data } = await client.from('flows').select('nodes::text').eq('user_id', id).single().throwOnError();
  // SAFETY: the column is cast to text.
  const stored = (data as unknown as { nodes: string }).nodes;
  expect(stored).toContain('18446744073709551615');
  expect(stored).toContain('123456789012345678901234567890');
  expect(stored).toContain('1.00000000000000000001');
  expect(JSON.parse(stored)[0]).toMatchObject({ position: { x: 105, y: -0.1 }, data: { sources: [{ theirs: null }] } });

  await opened.goto('flows');
  const { name, text } = await download(page);
  expect(name).toBe('Exact.json');
  expect(text).toContain('18446744073709551615');
  expect(JSON.parse(text)).toMatchObject({ name: 'Exact', edges: [], instructions_bundling: 'Off', isPublic: false });
});

test('a file that is no flow is refused with the fault, and parts without a place are listed', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('');
  const drop = async (...texts: string[]) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Import' }).click(),
    ]);
    await chooser.setFiles(
      texts.map((text) => ({ name: 'flow.json', mimeType: 'application/json', buffer: Buffer.from(text) })),
    );
  };
  await drop('{"nodes": 5, "edges": []}');
  const alert = page.getByRole('alert').filter({
    hasText: 'not a flow as an editor exports it: nodes: must be an array',
  });
  await alert.waitFor();
  expect(await alert.textContent()).toContain('value_invalid');
  expect(await alert.textContent()).toContain('nodes');
  await drop('{');
  await page.getByRole('alert').filter({ hasText: 'The file is not JSON' }).waitFor();
  const node = {
    id: crypto.randomUUID(),
    type: 'native',
    data: { node_id: '@spo/core.note.0.1', ports: { inputs: [], outputs: [] }, config: {} },
  };
  // The list stays although the second file is refused.
  await drop(JSON.stringify({ name: 'Newer', nodes: [node], edges: [], colour: 'red' }), '{');
  await page.getByRole('status').filter({ hasText: 'flow.json: colour: has no place here' }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'The file is not JSON' }).waitFor();
  await page.getByRole('link', { name: 'Newer', exact: true }).waitFor();
});

test('a flow is deleted after a question, but not while it has deployments', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  await person.client.from('flows').insert({ name: 'Old' }).throwOnError();
  await deploy(person, await storeFlow(person, new FlowBuilder(), { name: 'Other' }));
  await opened.goto('');
  await page.getByRole('button', { name: 'Delete Old' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('link', { name: 'Old', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete Other' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('alert').filter({ hasText: 'flow_has_deployments' }).waitFor();
  await dialog.getByText('Delete its deployments first.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => page.getByRole('link', { name: 'Other', exact: true }).count()).toBe(1);
});

test('more flows than fit on a page are paged, with the page in the address', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { client } = await enterConsole(opened);
  const rows = Array.from({ length: 27 }, (_, index) => ({ name: `Flow no. ${index + 1}` }));
  await client.from('flows').insert(rows).throwOnError();
  await opened.goto('');
  await page.getByRole('table', { name: 'flows' }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(1 + 25);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2);
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 25);
});

test('a flow is found by its name, opened by its row, and duplicated', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const graph = new FlowBuilder();
  graph.output('told', graph.input('greeting'));
  const id = await storeFlow(person, graph, { name: '50% off' });
  await storeFlow(person, new FlowBuilder(), { name: 'Another' });
  await opened.goto('');
  const rows = page.getByRole('table', { name: 'flows' }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(1 + 2);
  await page.getByRole('searchbox', { name: 'Find a flow' }).fill('50%');
  await expect.poll(() => rows.count()).toBe(1 + 1);
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByRole('link', { name: '50% off (copy)', exact: true }).waitFor();
  const { data } = await person.client.from('flows').select('name, nodes').neq('id', id).ilike('name', '50%off%')
    .single().throwOnError();
  expect(data).toMatchObject({ name: '50% off (copy)', nodes: { length: 2 } });
  await opened.checkAccessibilityInBoth();
  await page.screenshot({ path: '.stack/screenshots/flow_list.png' });
  await page.getByRole('searchbox', { name: 'Find a flow' }).fill('50_');
  await page.getByText('No flow has this text in its name and is in this folder.').waitFor();
  await page.getByRole('searchbox', { name: 'Find a flow' }).fill('');
  await expect.poll(() => rows.count()).toBe(1 + 3);
  const row = page.getByRole('row', { name: /50% off(?! \(copy)/ });
  const box = (await row.boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.getByRole('heading', { level: 1, name: '50% off' }).waitFor();
  expect(page.url()).toMatch(new RegExp(`/flows/${id}$`));
});

test('a flow becomes a tool, and its configuration can be copied', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('out', flow.input('in'));
  const id = await storeFlow(person, flow, { name: 'Echo' });
  await storeFlow(person, flow, { name: 'Older', tool_name: 'taken' });
  const stored = async () =>
    (await person.client.from('flows').select('tool_name, tool_tag, tool_description').eq('id', id).single()
      .throwOnError()).data;
  await opened.goto('flows');
  const dialog = page.getByRole('dialog', { name: 'Tool of Echo' });
  await page.getByRole('button', { name: 'Tool of Echo' }).click();
  expect(await dialog.locator('pre').textContent()).toContain('/functions/v1/mcp"');
  await dialog.getByRole('textbox', { name: 'Name for assistants' }).fill('two words');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must be 1 to 64 letters').first().waitFor();
  await dialog.getByRole('textbox', { name: 'Name for assistants' }).fill('taken');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('another flow of yours has this name').first().waitFor();
  await dialog.getByRole('textbox', { name: 'Name for assistants' }).fill('echo');
  await dialog.getByRole('textbox', { name: 'Description for assistants' }).fill('Says it again.');
  await opened.checkAccessibility();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await stored()).toEqual({ tool_name: 'echo', tool_tag: 'latest', tool_description: 'Says it again.' });
  await page.getByRole('button', { name: 'Tool of Echo' }).click();
  const name = dialog.getByRole('textbox', { name: 'Name for assistants' });
  await expect.poll(() => name.inputValue()).toBe('echo');
  await name.fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await stored()).toMatchObject({ tool_name: null });
});

test('flows are moved to folders, and the list shows one folder and where its flows are deployed', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('one', flow.json(1));
  const id = await storeFlow(person, flow, { name: 'Invoice' });
  await storeFlow(person, flow, { name: 'Other', folder: '<b>Old' });
  const [older, newest] = [await deploy(person, id), await deploy(person, id)];
  await person.client.from('flow_deployments_tags')
    .insert({ user_id: person.id, entrypoint: id, tag: 'stable', deployment_id: older }).throwOnError();
  await opened.goto('flows');
  const row = page.getByRole('row').filter({ hasText: 'Invoice' });
  await row.getByRole('button', { name: 'Move' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move Invoice' });
  const folder = dialog.getByRole('combobox', { name: 'Folder' });
  await folder.fill('a/b');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('must be the name of a folder').first().waitFor();
  await opened.checkAccessibilityInBoth();
  await folder.fill('Accounts');
  await folder.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await row.getByText('Accounts', { exact: true }).waitFor();

  await page.getByRole('combobox', { name: 'Folder' }).click();
  await page.getByRole('option', { name: 'Accounts' }).click();
  await page.waitForURL(/folder=Accounts/);
  await expect.poll(() => page.getByRole('table', { name: 'flows' }).getByRole('row').count()).toBe(1 + 1);
  expect(await row.getByRole('link', { name: 'latest' }).getAttribute('href')).toMatch(new RegExp(`${newest}$`));
  await opened.checkAccessibilityInBoth();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.reload();
  await row.waitFor();
  await page.screenshot({ path: '.stack/screenshots/flow_folders.png', fullPage: true });
  await row.getByRole('link', { name: 'stable' }).click();
  await page.waitForURL(new RegExp(`/deployments/${older}$`));
  await opened.goto('flows');
  await page.getByRole('table', { name: 'flows' }).getByText('<b>Old').waitFor();
});
