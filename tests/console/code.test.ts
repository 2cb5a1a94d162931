import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });

/** Opens a flow with scripts in all languages, in which no node is selected. */
async function openScripts(colorScheme: 'light' | 'dark' = 'light') {
  const opened = await openConsole({ colorScheme });
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const rhai = { inputs: ['source', 'a'], outputs: ['u'], form: { source: 'let b = 1;\na' }, title: 'Script' };
  flow.node('rhai_script_1x1', rhai);
  const code = { inputs: ['amount'], outputs: ['total'], form: { source: 'return { total: 1 };' }, title: 'Code' };
  flow.node('javascript', code);
  flow.use('jsonata', {}, { form: { expression: 'orders' }, title: 'Query' });
  flow.node('flow_input', { outputs: ['value'], form: { label: 'value', form_label: [1] }, title: 'Value' });
  await opened.goto(`flows/${await storeFlow(person, flow)}`);
  return opened;
}

async function openCode(page: Page, node: string, field: string) {
  await nodeOf(page, node).click();
  await panelOf(page).getByRole('button', { name: 'Open', exact: true }).click();
  const code = page.getByRole('dialog').getByRole('textbox', { name: field });
  // The dialog gives the focus to the editor a moment after it has opened.
  await expect.poll(() => code.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+End');
  return code;
}

test('code opens in a dialog, with completion, find and faults at their lines', async () => {
  const opened = await openScripts();
  const { page } = opened;
  const dialog = page.getByRole('dialog');
  const marked = dialog.locator('.cm-lintRange-error');
  const code = await openCode(page, 'Script', 'source');
  await page.keyboard.type('.to_up');
  await dialog.getByRole('option', { name: 'to_upper' }).click();
  await code.getByText('a.to_upper').waitFor();
  await page.keyboard.type('(;');
  await marked.waitFor();
  expect(await marked.textContent()).toBe(';');
  await opened.checkAccessibility();

  // A change of the colour scheme keeps the steps that can be undone.
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await opened.checkAccessibility();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await marked.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await marked.waitFor();

  await page.keyboard.press('Control+f');
  await dialog.getByRole('textbox', { name: 'Find' }).pressSequentially('let');
  await dialog.locator('.cm-searchMatch').waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByRole('textbox', { name: 'Find' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await panelOf(page).getByText('a.to_upper(;').waitFor();
});

test('JavaScript, JSONata and JSON are parsed in the dialog, too', async () => {
  const { page } = await openScripts();
  const dialog = page.getByRole('dialog');
  const marked = dialog.locator('.cm-lint-marker-error');
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  for (const [node, field] of [['Code', 'source'], ['Query', 'expression'], ['Value: value', 'Default']] as const) {
    if (field === 'Default') {
      await nodeOf(page, node).click();
      await panelOf(page).getByRole('combobox', { name: 'Kind of Default', exact: true }).selectOption('JSON');
    }
    await openCode(page, node, field);
    await page.keyboard.type(' [[');
    await marked.first().waitFor();
    await close();
  }
  await openCode(page, 'Code', 'source');
  await page.keyboard.type('\nreturn am');
  await dialog.getByRole('option', { name: /^amount/ }).waitFor();
});
