import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsolePage, type ConsolePerson, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { finishedRun, storeFlow } from '../support/people.ts';
import { runErrors } from '../../types/run_errors.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const lastRunOf = (page: Page) => page.getByRole('region', { name: 'Last run' });
const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).first().click();

/** A flow whose script divides by zero. */
function dividingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const number = flow.input('number');
  const half = flow.node('rhai_script_1x1', {
    inputs: ['source', 'n'],
    outputs: ['quotient'],
    form: { source: 'parse_int(n) / 0' },
    title: 'Divide',
  });
  flow.connect(number, half.input('n'));
  const text = flow.use('to_string', { stringify: half.output('quotient') }, { title: 'Text' });
  flow.output('told', text.output('result'));
  return flow;
}

async function openFlow(opened: ConsolePage, flow: FlowBuilder): Promise<{ person: ConsolePerson; id: number }> {
  const person = await enterConsole(opened);
  const id = await storeFlow(person, flow);
  await opened.goto(`flows/${id}`);
  await canvasOf(opened.page).locator('.react-flow__node').first().waitFor();
  return { person, id };
}

/** Runs the flow with the value of its input `number`. */
async function runWith(page: Page, number: string): Promise<void> {
  await run(page);
  const dialog = page.getByRole('dialog', { name: 'Run' });
  const field = dialog.getByRole('textbox', { name: 'number' });
  await field.fill(number);
  await dialog.getByRole('button', { name: 'Run' }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('a failing node is repaired on the canvas: it is explained, its script is changed, and the run goes on', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { person } = await openFlow(opened, dividingFlow());
  await runWith(page, '4');
  const last = lastRunOf(page);
  await last.getByText('failed', { exact: true }).first().waitFor();
  await nodeOf(page, 'Divide').getByText(/Division by zero/).waitFor();
  await last.getByRole('button', { name: 'Divide' }).click();
  const panel = panelOf(page);
  await panel.getByText('failed', { exact: true }).waitFor();
  await panel.getByRole('alert').getByText(/Division by zero/).waitFor();
  await expect.poll(() => panel.getByRole('group', { name: 'Inputs' }).textContent()).toContain('"n": "4"');
  await panel.getByRole('button', { name: 'Try again' }).waitFor();
  await opened.checkAccessibilityInBoth();

  await panel.getByRole('textbox', { name: 'source' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('100 / parse_int(n)');
  await last.getByText('The flow has changed since this run.').waitFor();
  await panel.getByRole('button', { name: 'Run from here' }).click();
  await last.getByText('succeeded', { exact: true }).first().waitFor();
  await expect.poll(() => last.getByRole('group', { name: 'Output', exact: true }).textContent()).toContain(
    '"told": "25"',
  );
  expect(await last.getByText('The flow has changed since this run.').count()).toBe(0);
  const href = await last.getByRole('link', { name: 'Open the run' }).getAttribute('href');
  const { data } = await person.client.from('node_run').select('node_id')
    .eq('flow_run_id', (await finishedRun(person, href!.split('/').at(-1)!)).id).throwOnError();
  expect(data).toHaveLength(3);
});

test('a run is drawn on the canvas and stays after a reload; a node runs with other values, and is pinned', async () => {
  const opened = await openConsole({ colorScheme: 'dark' });
  const { page } = opened;
  const flow = new FlowBuilder();
  const text = flow.use('to_string', { stringify: flow.input('greeting', 'good day') }, { title: 'Text' });
  flow.output('told', text.output('result'));
  const { person, id } = await openFlow(opened, flow);
  await run(page);
  await page.getByRole('dialog', { name: 'Run' }).getByRole('button', { name: 'Run' }).click();
  const last = lastRunOf(page);
  const output = last.getByRole('group', { name: 'Output', exact: true });
  await expect.poll(() => output.textContent()).toContain('"told": "good day"');
  const node = nodeOf(page, 'Text');
  await node.getByText('succeeded').waitFor();
  await node.getByText('good day').waitFor();
  await page.reload();
  await node.getByText('good day').waitFor();
  await page.getByRole('button', { name: 'Show the results' }).click();
  await expect.poll(() => output.textContent()).toContain('"told": "good day"');

  await node.click();
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Edit the values' }).click();
  await panel.getByRole('textbox', { name: 'Inputs of the next run' }).fill('{"stringify": "by hand"}');
  await panel.getByRole('button', { name: 'Run this node' }).click();
  await node.getByText('by hand').waitFor();
  await last.getByText('one node of the flow').waitFor();
  // The other nodes keep their results.
  await nodeOf(page, 'greeting: greeting').getByText('succeeded').waitFor();

  await panel.getByRole('button', { name: 'Pin', exact: true }).click();
  await node.getByText('pinned').waitFor();
  await panel.getByRole('button', { name: 'Edit the pinned value' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pinned outputs of Text' });
  await dialog.getByRole('textbox').fill('["no object"]');
  await dialog.getByText('This must be an object').waitFor();
  await dialog.getByRole('textbox').fill('{"result": "pinned text"}');
  await dialog.getByRole('button', { name: 'Pin' }).click();
  await node.getByText('pinned text').waitFor();
  await opened.checkAccessibilityInBoth();
  await run(page);
  await page.getByRole('dialog', { name: 'Run' }).getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => output.textContent()).toContain('"told": "pinned text"');
  await panel.getByRole('button', { name: 'Unpin' }).click();
  await panel.getByRole('button', { name: 'Pin', exact: true }).waitFor();
  const { data } = await person.client.from('flow_pins').select('node_id').eq('flow_id', id).throwOnError();
  expect(data).toEqual([]);
});

test('a draft run asks its question in the last run, and a failed node shows the remedy of its error', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const flow = askingFlow({ title: 'How much?', choices: ['Pay', 'Refuse'] });
  const form = { url: 'https://api.example.com/', method: 'GET', connection: 'shop' };
  flow.use('http_request', {}, { form, title: 'Request' });
  await openFlow(opened, flow);
  await run(page);
  const last = lastRunOf(page);
  await last.getByRole('group', { name: /waits for an input/ }).getByText('How much?').waitFor();
  await opened.checkAccessibilityInBoth();
  await last.getByRole('button', { name: 'Refuse' }).click();
  await last.getByText('failed', { exact: true }).first().waitFor();

  await nodeOf(page, 'Request').click();
  const alert = panelOf(page).getByRole('alert');
  await alert.getByText('connection_missing').first().waitFor();
  await alert.getByText(runErrors.connection_missing.remedy.replaceAll('`', '')).waitFor();
  const address = () => last.getByRole('link', { name: 'Open the run' }).getAttribute('href');
  const before = await address();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(address).not.toBe(before);
});
