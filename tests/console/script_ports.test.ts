import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const nameOf = (page: Page, port: string) =>
  panelOf(page).getByRole('textbox', { name: `Name of ${port}`, exact: true });
const edgesOf = (page: Page) => canvasOf(page).locator('.react-flow__edge');

/** Adds a node by the palette. */
async function add(page: Page, name: string): Promise<void> {
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Find a node' }).fill(name);
  await page.getByRole('option', { name, exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await panelOf(page).getByRole('heading', { level: 2, name }).waitFor();
}

/** Draws an edge by the panel of its target. */
async function connect(page: Page, input: string, output: string): Promise<void> {
  await panelOf(page).getByRole('combobox', { name: `Edge into ${input}` }).click();
  await page.getByRole('option', { name: output, exact: true }).click();
}

test('a script is added, its ports are named and connected, and the draft gives their values', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.json(21, 'Price');
  flow.json('tea', 'Item');
  flow.nodes.forEach((node, index) => Object.assign(node, { position: { x: 0, y: 160 * index } }));
  await opened.goto(`flows/${await storeFlow(person, flow)}`);
  await nodeOf(page, 'Price').waitFor();

  await add(page, 'Script');
  const panel = panelOf(page);
  await connect(page, 'input', 'Price · Source');
  await expect.poll(() => edgesOf(page).count()).toBe(1);
  // If a name is wrong, the panel explains why and changes nothing.
  await nameOf(page, 'input input').fill('let');
  await panel.getByText('“let” is a word of the language.').waitFor();
  await nameOf(page, 'input input').fill('unit price');
  await panel.getByText('A name has only letters from A to Z, digits and _.').waitFor();
  await opened.checkAccessibility();
  await nameOf(page, 'input input').fill('price');
  await nameOf(page, 'input price').waitFor();
  expect(await edgesOf(page).count()).toBe(1);

  await panel.getByRole('button', { name: 'Add an input' }).click();
  await page.keyboard.type('price');
  await panel.getByText('Another input has this name.').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('item');
  await connect(page, 'item', 'Item · Source');
  await nameOf(page, 'output output').fill('total');
  await panel.getByRole('button', { name: 'Add an output' }).click();
  await page.keyboard.type('text');
  await nameOf(page, 'output text').waitFor();
  await panel.getByRole('combobox', { name: 'Type of output text' }).click();
  await page.getByRole('option', { name: 'string', exact: true }).click();
  await opened.checkAccessibilityInBoth();

  // The code editor completes the named inputs.
  await panel.getByRole('button', { name: 'Open', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'source' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('let total = pri');
  await dialog.getByRole('option', { name: /^price/ }).click();
  await page.keyboard.type(' * 2; let text = `${item}: ${total}`;');
  await dialog.locator('.mantine-Modal-close').click();
  await dialog.waitFor({ state: 'detached' });

  // Undo brings back a removed input with its edge.
  await panel.getByRole('button', { name: 'Remove input price' }).click();
  await page.getByText('The input “price” is removed with its edge.').waitFor();
  await expect.poll(() => edgesOf(page).count()).toBe(1);
  await page.keyboard.press('Control+z');
  await expect.poll(() => edgesOf(page).count()).toBe(2);
  await nameOf(page, 'input price').waitFor();

  // All inputs have an edge, so a drop on the script offers a new one.
  await nodeOf(page, 'Price').getByLabel('Output Source, free').hover();
  await page.mouse.down();
  await nodeOf(page, 'Script').getByText('Script', { exact: true }).hover();
  await page.mouse.up();
  await page.getByRole('menu', { name: 'Ports of “Script”' }).getByRole('menuitem', { name: /^New input/ }).click();
  await nameOf(page, 'input Source').waitFor();
  await expect.poll(() => edgesOf(page).count()).toBe(3);
  await panel.getByRole('button', { name: 'Remove input Source' }).click();
  await expect.poll(() => edgesOf(page).count()).toBe(2);

  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  const last = page.getByRole('region', { name: 'Last run' });
  await last.getByText('succeeded', { exact: true }).first().waitFor();
  await last.getByRole('group', { name: 'Inputs' }).getByText('"item": "tea",\n  "price": 21').waitFor();
  await last.getByRole('group', { name: 'Outputs', exact: true }).getByText('"text": "tea: 42",\n  "total": 42')
    .waitFor();
});

test('a script of 32 ports, and hostile names of another editor, are shown as texts and may be renamed', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const many = Array.from({ length: 32 }, (_, index) => `port_${index}`);
  flow.node('rhai_script', { inputs: many, outputs: many, form: { source: '1' }, title: 'Many' });
  const hostile = ['__proto__', 'constructor', '<img src=x onerror=alert(1)>', 'let', 'x'.repeat(10_000)];
  flow.node('javascript', { inputs: hostile, outputs: hostile, form: { source: 'return 1' }, title: 'Hostile' });
  flow.nodes.forEach((node, index) => Object.assign(node, { position: { x: 500 * index, y: 0 } }));
  const id = await storeFlow(person, flow);
  await opened.goto(`flows/${id}`);
  await nodeOf(page, 'Many').click();
  const panel = panelOf(page);
  await nameOf(page, 'input port_31').waitFor();
  expect(await panel.getByRole('button', { name: 'Add an input' }).isDisabled()).toBe(true);
  await panel.getByText('A script has at most 32 outputs.').waitFor();

  await page.getByRole('button', { name: 'Close the node' }).click();
  await nodeOf(page, 'Hostile').click();
  await panel.getByText('A name has at most 100 characters.').first().waitFor();
  await panel.getByText('“__proto__” has a meaning of its own in scripts.').first().waitFor();
  await nameOf(page, 'input __proto__').fill('proto');
  await nameOf(page, 'input let').fill('better');
  await nameOf(page, 'input proto').waitFor();
  expect(await panel.getByRole('button', { name: 'Move input proto up' }).isDisabled()).toBe(true);
  await panel.getByRole('button', { name: 'Move input constructor up' }).click();
  await opened.checkAccessibility();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  const { data } = await person.client.from('flows').select('nodes').eq('id', id).single().throwOnError();
  const [, stored] = data.nodes as unknown as { data: { targets: { name: string }[] } }[];
  expect(stored!.data.targets.map(({ name }) => name)).toEqual([
    'constructor',
    'proto',
    hostile[2],
    'better',
    hostile[4],
  ]);
});
