import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsolePage, type ConsolePerson, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { finishedRun, storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
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
