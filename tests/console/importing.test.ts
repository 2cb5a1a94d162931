import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, start } from '../support/people.ts';

/** Imports files with these contents, by name. */
async function importFiles(page: Page, files: { [name: string]: unknown }): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Import' }).click(),
  ]);
  await chooser.setFiles(
    Object.entries(files).map(([name, json]) => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(json)),
    })),
  );
}

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A node in the newest form of the editor. */
const node = (number: number, node_id: string, members: object) => ({
  id: uuid(number),
  type: 'native',
  position: { x: 300 * number, y: 0 },
  data: { node_id, inputs: [], outputs: [], config: {}, ...members },
});

const edge = (source: number, target: number) => ({
  source: uuid(source),
  sourceHandle: uuid(100 + source),
  target: uuid(target),
  targetHandle: uuid(200 + target),
});

const output = (number: number, name: string) => [{ id: uuid(100 + number), name, type: 'free' }];
const input = (
  number: number,
  name: string,
) => [{ id: uuid(200 + number), name, type_bounds: ['free'], required: true }];

const CALLED = {
  id: uuid(901),
  name: 'Called',
  nodes: [
    node(1, 'const', {
      outputs: output(1, 'output'),
      config: { type: 'String', value: { S: 'from the called flow' } },
    }),
    node(2, 'flow_output', { inputs: input(2, 'text'), config: { label: 'text' } }),
  ],
  edges: [edge(1, 2)],
};

const CALLER = {
  id: uuid(902),
  name: 'Caller',
  nodes: [
    node(3, 'interflow', { outputs: output(3, 'text'), config: { flow_id: { S: CALLED.id } } }),
    node(4, 'flow_output', { inputs: input(4, 'told'), config: { label: 'told' } }),
  ],
  edges: [edge(3, 4)],
};

test('flows of the newest editor that call each other are imported together, deployed and run', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto('');
  await importFiles(page, { 'caller.json': CALLER, 'called.json': CALLED });
  await page.getByRole('link', { name: 'Called', exact: true }).waitFor();
  const { data: row } = await person.client.from('flows').select('id').eq('name', 'Caller').single().throwOnError();
  expect(await page.getByRole('status').filter({ hasText: 'caller.json' }).count()).toBe(0);
  await deploy(person, row.id);
  const { output: result } = await finishedRun(person, (await start(person, `flow=${row.id}`)).flow_run_id);
  expect(result).toEqual({ M: { told: { S: 'from the called flow' } } });

  // Without the called flow, the import says what is missing.
  await importFiles(page, { 'alone.json': { ...CALLER, name: 'Alone' } });
  await page.getByRole('status').filter({ hasText: 'alone.json: nodes[0].data.config.flow_id' }).waitFor();
});

test("an import asks once about flows that send the user's data away", async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const read = flow.use('kv_read_item', {}, { form: { store: 'settings', key: 'secret' }, title: 'Read' });
  const form = { url: 'https://api.example.com', method: 'POST' };
  flow.use('http_request', { body: read.output('value') }, { form, title: 'Send' });
  const file = { name: 'Report', ...flow.row() };
  const harmless = { name: 'Harmless', ...new FlowBuilder().row() };
  const names = async () =>
    (await person.client.from('flows').select('name').order('name').throwOnError()).data.map(({ name }) => name);
  await opened.goto('');

  await importFiles(page, { 'report.json': file, 'harmless.json': harmless });
  const dialog = page.getByRole('dialog', { name: 'This sends your data to other servers' });
  await dialog.getByText('report.json').waitFor();
  expect(await dialog.getByText('harmless.json').count()).toBe(0);
  await opened.checkAccessibilityInBoth();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await names()).toEqual(['Harmless', 'Report']);
  await dialog.getByRole('button', { name: 'Delete the import' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await names()).toEqual([]);

  await importFiles(page, { 'report.json': file });
  await dialog.getByRole('button', { name: 'Keep them' }).press('Enter');
  await page.waitForURL(/\/flows\/\d+$/);
  await page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name: 'Send', exact: true }).first()
    .waitFor();
  await page.getByRole('button', { name: /^[1-9]\d* problems?$/ }).click();
  await page.getByText('what nodes before it read from your rows').first().waitFor();
  // The question does not come again.
  expect(await dialog.count()).toBe(0);
});
