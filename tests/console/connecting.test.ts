import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { type ConsolePerson, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });

/** Gives the ports of nodes the types of their definitions. */
function withTypes(flow: FlowBuilder): FlowBuilder {
  for (const { data } of flow.nodes) {
    const definition = nodeRegistry(data.node_id)?.definition;
    if (definition === undefined) continue;
    data.sources.forEach((port, index) => Object.assign(port, { type: definition.sources[index]!.type }));
    data.targets.forEach((port, index) => Object.assign(port, { type_bounds: definition.targets[index]!.type_bounds }));
  }
  return flow;
}

async function storedEdges({ client }: ConsolePerson, id: number) {
  const { data } = await client.from('flows').select('edges').eq('id', id).single().throwOnError();
  return data.edges as unknown as { source: string; target: string; data?: { expression?: string } }[];
}

async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
}

test('while an edge is dragged fitting ports are marked, and each drop has an answer', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.use('get_balance', {}, { title: 'Balance' });
  flow.use('to_vec', {}, { title: 'Pair' });
  flow.use('to_bytes', {}, { title: 'Bytes' });
  const places = [{ x: 0, y: 0 }, { x: 400, y: 0 }, { x: 400, y: 300 }];
  flow.nodes.forEach((node, index) => Object.assign(node, { position: places[index] }));
  const id = await storeFlow(person, withTypes(flow));
  await goto(`flows/${id}`);
  const start = nodeOf(page, 'Balance').getByLabel('Output balance, u64');
  const begin = async () => {
    await start.hover();
    await page.mouse.down();
  };
  await begin();
  await nodeOf(page, 'Pair').getByText('To Vec').or(nodeOf(page, 'Pair').getByText('Pair')).first().hover();
  const fits = (name: string, label: string) => nodeOf(page, name).getByLabel(label).getAttribute('data-fits');
  expect(await fits('Pair', 'Input first, free')).toBe('true');
  expect(await fits('Bytes', 'Input string, string')).toBe('false');
  // Several ports of the node fit, so the user chooses one.
  await page.mouse.up();
  const menu = page.getByRole('menu', { name: 'Ports of “Pair”' });
  await menu.getByRole('menuitem', { name: /^second/ }).waitFor();
  await opened.checkAccessibility();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await menu.waitFor({ state: 'hidden' });
  expect(await start.getAttribute('data-fits')).toBeNull();

  // No port of this node fits. The reason is shown near the pointer.
  await begin();
  const box = (await nodeOf(page, 'Bytes').boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.up();
  const reason = page.getByText('The output “balance” gives u64, but the input “string” wants string.');
  await reason.waitFor();
  expect(Math.abs((await reason.boundingBox())!.x - box.x - box.width / 2)).toBeLessThan(40);
  await page.keyboard.press('Escape');
  await reason.waitFor({ state: 'hidden' });

  // If the edge is dropped on nothing, the palette lists the nodes that take its value, and connects the chosen node.
  await begin();
  const around = (await canvasOf(page).boundingBox())!;
  await page.mouse.move(around.x + around.width / 2, around.y + around.height - 60);
  await page.mouse.up();
  await page.getByText('Nodes that take u64').waitFor();
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Print');
  await page.getByRole('option', { name: 'Print', exact: true }).click();
  await nodeOf(page, 'Print').waitFor();
  await save(page);
  const edges = await storedEdges(person, id);
  expect(edges).toHaveLength(2);
  expect(edges.every(({ source }) => source === flow.nodes[0]!.id)).toBe(true);
});

test('the expression of an edge is completed, checked and tried with the value of the last run', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.toText(flow.json({ order: { price: 12, items: [1, 2] } }, 'Data'), 'Text');
  const id = await storeFlow(person, flow);
  await goto(`flows/${id}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('region', { name: 'Last run' }).getByText('succeeded').first().waitFor();

  await canvasOf(page).getByRole('group', { name: 'Edge from Data to Text' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Edge' });
  await panel.getByRole('button', { name: 'Data' }).waitFor();
  const field = panel.getByRole('textbox', { name: 'Expression' });
  await field.click();
  await page.keyboard.type('order.');
  await page.getByRole('option', { name: 'items' }).waitFor();
  await page.getByRole('option', { name: 'price' }).click();
  const preview = panel.getByRole('status', { name: 'Preview' });
  await preview.getByText('12', { exact: true }).waitFor();
  await page.keyboard.type(' * (');
  await preview.getByText(/Expected|end of expression/i).waitFor();
  await panel.locator('.cm-lintRange-error').waitFor();
  await opened.checkAccessibilityInBoth();
  await page.keyboard.type('2)');
  await preview.getByText('24', { exact: true }).waitFor();
  await save(page);
  expect((await storedEdges(person, id))[0]).toMatchObject({ data: { expression: 'order.price * (2)' } });
  await panel.getByRole('button', { name: 'Delete the edge' }).click();
  await panel.waitFor({ state: 'hidden' });
  await save(page);
  expect(await storedEdges(person, id)).toEqual([]);
});

test('a value of the last run is used in another node, by its button and by dragging it to a field', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const data = flow.json({ order: { price: 12, name: 'tea' } }, 'Data');
  flow.use('to_vec', {}, { title: 'Pair' });
  flow.use('to_bytes', { string: flow.toText(data, 'Text') }, { title: 'Bytes' });
  const id = await storeFlow(person, withTypes(flow));
  await goto(`flows/${id}`);
  // An edge has the colour of the port at which it begins.
  const edge = canvasOf(page).getByRole('group', { name: 'Edge from Text to Bytes' }).locator('.react-flow__edge-path');
  const dot = nodeOf(page, 'Text').locator('.react-flow__handle.source').first();
  expect(await edge.evaluate((path) => getComputedStyle(path).stroke))
    .toBe(await dot.evaluate((handle) => getComputedStyle(handle).borderTopColor));
  await nodeOf(page, 'Data').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Run this node' }).click();
  await page.getByRole('region', { name: 'Last run' }).getByText('succeeded').first().waitFor();
  await nodeOf(page, 'Pair').focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  await panel.getByText('Values of the last run').click();
  await panel.getByRole('button', { name: 'Use price in…' }).press('Enter');
  await page.getByRole('menuitem', { name: 'first' }).click();
  await panel.getByText('name', { exact: true }).dragTo(panel.getByRole('combobox', { name: 'Edge into second' }));
  await nodeOf(page, 'Bytes').focus();
  await page.keyboard.press('Enter');
  await panel.getByText('price', { exact: true }).dragTo(panel.getByRole('combobox', { name: 'Edge into string' }));
  const refusal = page.getByText('The value is a number, but the input “string” wants string.');
  await refusal.waitFor();
  await page.keyboard.press('Shift');
  await refusal.waitFor({ state: 'detached' });
  await save(page);
  const edges = await storedEdges(person, id);
  expect(edges.map(({ data }) => data?.expression)).toEqual([undefined, undefined, 'order.price', 'order.name']);
});
