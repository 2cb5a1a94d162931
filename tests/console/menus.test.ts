import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsolePerson, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const menuOf = (page: Page, name: string) => page.getByRole('menu', { name, exact: true });

/** Returns the entries of a menu, each with its shortcut. */
const entriesOf = (menu: Locator): Promise<string[]> =>
  menu.getByRole('menuitem').evaluateAll((items) =>
    items.map((item) => [...item.children].map(({ textContent }) => textContent).join(': '))
  );

/** Tests whether an element is wholly inside the window, and nothing covers its corners. */
const isWhole = (element: Locator): Promise<boolean> =>
  element.evaluate((own) => {
    const { left, top, right, bottom } = own.getBoundingClientRect();
    const corners = [[left + 6, top + 6], [right - 6, top + 6], [left + 6, bottom - 6], [right - 6, bottom - 6]];
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight &&
      corners.every(([x, y]) => own.contains(document.elementFromPoint(x!, y!)));
  });

/** Stores a flow that turns a number into a text, in a row. */
function storeRow(person: ConsolePerson): Promise<number> {
  const flow = new FlowBuilder();
  const amount = flow.json({ price: 12 }, 'Data');
  const text = flow.toText({ ...amount, expression: 'price' }, 'Text');
  const data = { ...text, expression: '{ "price": $ }' };
  const bill = flow.use('text_template', { data }, { form: { template: 'Costs {{price}}' }, title: 'Bill' });
  flow.output('result', bill.output('text'));
  flow.nodes.forEach((node, index) => Object.assign(node, { position: { x: index * 320, y: 0 } }));
  return storeFlow(person, flow);
}

test('a right click opens a menu of the node, the edge or the canvas, with the shortcuts', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const person = await enterConsole(opened);
  await opened.goto(`flows/${await storeRow(person)}`);
  await nodeOf(page, 'Text').click({ button: 'right' });
  const selection = menuOf(page, 'The selection');
  await selection.waitFor();
  expect(await entriesOf(selection)).toEqual([
    'Go to its fields: Enter',
    'Run this node',
    'Run to here',
    'Run from here',
    'Copy: Ctrl C',
    'Cut: Ctrl X',
    'Duplicate: Ctrl D',
    'Disable: D',
    'Group: Ctrl G',
    'Extract into a flow: Shift X',
    'Delete: Delete',
  ]);
  await opened.checkAccessibilityInBoth();
  await selection.getByRole('menuitem', { name: 'Cut' }).click();
  await nodeOf(page, 'Text').waitFor({ state: 'detached' });

  const box = (await canvasOf(page).boundingBox())!;
  await page.mouse.click(box.x + box.width - 40, box.y + box.height - 40, { button: 'right' });
  const canvas = menuOf(page, 'The canvas');
  await canvas.waitFor();
  expect(await isWhole(canvas)).toBe(true);
  await canvas.getByRole('menuitem', { name: 'Undo' }).click();
  const edge = canvasOf(page).getByRole('group', { name: 'Edge from Data to Text, with an expression' });
  const middle = await edge.locator('.react-flow__edge-path').evaluate((path: SVGPathElement) => {
    const { x, y } = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM()!);
    return { x, y };
  });
  await page.mouse.click(middle.x, middle.y, { button: 'right' });
  await selection.waitFor();
  expect(await entriesOf(selection)).toEqual(['Insert a node: / or +', 'Delete the edge: Delete']);
  await selection.getByRole('menuitem', { name: 'Delete the edge' }).click();
  await edge.waitFor({ state: 'detached' });

  await page.mouse.click(box.x + box.width / 2, box.y + 40, { button: 'right' });
  await canvas.getByRole('menuitem', { name: 'Paste' }).click();
  await expect.poll(() => nodeOf(page, 'Text').count()).toBe(2);
  // A click outside closes the menu.
  await page.mouse.click(box.x + box.width / 2, box.y + 40, { button: 'right' });
  await canvas.waitFor();
  await page.mouse.click(box.x + 20, box.y + box.height - 20);
  await canvas.waitFor({ state: 'detached' });
});

test('the menu works by keyboard on a narrow screen, and is never cut off', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 740 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto(`flows/${await storeRow(person)}`);
  await nodeOf(page, 'Bill').focus();
  await page.keyboard.press('Shift+F10');
  const selection = menuOf(page, 'The selection');
  await selection.waitFor();
  expect(await isWhole(selection)).toBe(true);
  await opened.checkAccessibilityInBoth();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await expect.poll(focused).toContain('Go to its fields');
  await page.keyboard.press('ArrowUp');
  expect(await focused()).toContain('Delete');
  // A key that is a shortcut elsewhere does nothing in the menu.
  await page.keyboard.press('Control+d');
  await page.keyboard.press('Escape');
  await selection.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Bill');
  expect(await nodeOf(page, 'Bill').count()).toBe(1);

  await page.keyboard.press('ContextMenu');
  await selection.waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await nodeOf(page, 'Bill').waitFor({ state: 'detached' });
  // Without a focused node, the key opens the menu of the canvas.
  await page.keyboard.press('Shift+F10');
  const canvas = menuOf(page, 'The canvas');
  await canvas.getByRole('menuitem', { name: 'Select all nodes' }).press('Enter');
  await page.keyboard.press('Shift+F10');
  await selection.getByRole('menuitem', { name: 'Extract into a flow' }).waitFor();
});

test('selected nodes become a flow of their own, which gives the same result', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const id = await storeRow(person);
  await opened.goto(`flows/${id}`);
  await nodeOf(page, 'Text').click();
  await nodeOf(page, 'Bill').click({ modifiers: ['Control'] });
  await page.keyboard.press('Shift+X');
  const dialog = page.getByRole('dialog', { name: 'Extract into a flow of its own' });
  await dialog.getByText('Inputs: stringify').waitFor();
  await dialog.getByText('Outputs: text').waitFor();
  await opened.checkAccessibilityInBoth();
  await dialog.getByRole('textbox', { name: 'Name of the new flow' }).fill('Write a bill');
  await page.keyboard.press('Enter');
  await nodeOf(page, 'Write a bill').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await nodeOf(page, 'Text').count()).toBe(0);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const lastRun = page.getByRole('region', { name: 'Last run' });
  await lastRun.getByText('succeeded').first().waitFor();
  await lastRun.getByText('Costs 12').first().waitFor();

  const { data: [made] } = await person.client.from('flows').select('id, name, nodes').eq('name', 'Write a bill')
    .throwOnError();
  const kinds = (made!.nodes as unknown as { data: { node_id: string } }[]).map(({ data }) => data.node_id);
  expect(kinds).toEqual(['to_string', 'text_template', 'flow_input', 'flow_output']);
  // One step is undone, and the new flow stays.
  await page.keyboard.press('Control+z');
  await nodeOf(page, 'Text').waitFor();
  expect(await nodeOf(page, 'Write a bill').count()).toBe(0);
});

test('a disabled node hands its first input on, until it is enabled again', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto(`flows/${await storeRow(person)}`);
  await nodeOf(page, 'Bill').click();
  await page.keyboard.press('d');
  await nodeOf(page, 'Bill').getByText('disabled').waitFor();
  await opened.checkAccessibilityInBoth();
  const lastRun = page.getByRole('region', { name: 'Last run' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await lastRun.getByText('succeeded').first().waitFor();
  await lastRun.getByText('"price": "12"').first().waitFor();
  await page.getByRole('region', { name: 'Node', exact: true }).getByRole('button', { name: 'Enable' }).click();
  await lastRun.getByRole('button', { name: 'Start again' }).click();
  await lastRun.getByText('Costs 12').first().waitFor();
});
