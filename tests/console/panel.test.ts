import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const nodeOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });

/** Tests whether the element with the focus is a field of the open panel. */
const isInField = (page: Page) =>
  page.evaluate(() => document.activeElement?.matches('.editor-panel :is(input, textarea, [contenteditable=true])'));

const focusedNode = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

test('keys lead from node to node, to the first field and back, and run the flow', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const text = flow.use('to_string', {}, { title: 'Text' });
  flow.output('text', text.output('result'));
  const made = flow.use('math', { a: flow.json(4, 'Four') }, { title: 'Double', form: { b: 2, operator: '*' } });
  flow.output('doubled', made.output('result'));
  await opened.goto(`flows/${await storeFlow(person, flow)}`);
  await nodeOf(page, 'Four').focus();
  await page.keyboard.press('Tab');
  expect(await focusedNode(page)).toBe('Double');
  await page.keyboard.press('Enter');
  await expect.poll(() => isInField(page)).toBe(true);
  await page.keyboard.press('Escape');
  expect(await focusedNode(page)).toBe('Double');
  await page.keyboard.press('Enter');
  await expect.poll(() => isInField(page)).toBe(true);
  await page.keyboard.press('Control+Enter');
  const last = page.getByRole('region', { name: 'Last run' });
  await last.getByText('succeeded').first().waitFor();

  // The values of a run are shown once. The panel has its fields before everything else.
  await last.getByRole('group', { name: 'Outputs', exact: true }).waitFor();
  expect(await page.getByRole('group', { name: 'Outputs', exact: true }).count()).toBe(1);
  const heights = await Promise.all(
    ['Run this node', 'Pin'].map(async (name) =>
      (await panelOf(page).getByRole('button', { name, exact: true }).boundingBox())!.y
    ),
  );
  const field = (await panelOf(page).getByRole('heading', { level: 3, name: 'Values' }).boundingBox())!.y;
  expect([heights[0]! < field, field < heights[1]!]).toEqual([true, true]);
  await opened.checkAccessibilityInBoth();
  await page.screenshot({ path: '.stack/screenshots/panel.png' });

  // Enter goes to the first field, and begins no line in it.
  await nodeOf(page, 'Text').focus();
  await page.keyboard.press('Enter');
  const value = panelOf(page).getByRole('textbox', { name: 'Value', exact: true });
  await expect.poll(() => value.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.keyboard.type('one');
  expect(await value.inputValue()).toBe('one');

  // Another selection begins at the top of its panel.
  const content = page.locator('.editor-panel-content');
  await content.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  expect(await content.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
  await nodeOf(page, 'Four').press('Space');
  await panelOf(page).getByRole('heading', { level: 2, name: /Four/ }).waitFor();
  expect(await content.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
});
