import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsolePerson, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const searchOf = (page: Page) => page.getByRole('searchbox', { name: 'Find a node' });

/** Counts what a user does: each key, each click, and each text that is written. */
function countActions(page: Page) {
  let count = 0;
  return {
    count: () => count,
    press: (key: string) => {
      count++;
      return page.keyboard.press(key);
    },
    click: (target: Locator) => {
      count++;
      return target.click();
    },
    fill: (target: Locator, text: string) => {
      count++;
      return target.fill(text);
    },
  };
}

/** Returns the ends of the stored edges of a flow, by the names of the nodes. */
async function storedEdges({ client }: ConsolePerson, page: Page): Promise<string[]> {
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  const { data } = await client.from('flows').select('nodes, edges').eq('id', id).single().throwOnError();
  const { nodes, edges } = data as unknown as {
    nodes: { id: string; data: { display_name: string } }[];
    edges: { source: string; target: string }[];
  };
  const nameOf = (node: string) => nodes.find((other) => other.id === node)!.data.display_name;
  return edges.map(({ source, target }) => `${nameOf(source)} → ${nameOf(target)}`).toSorted();
}

test('five connected nodes are drawn and run in at most 12 actions', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).click();
  await canvasOf(page).waitFor();
  const user = countActions(page);
  await user.press('/');
  for (const name of ['Random', 'To String', 'Print', 'To Bytes', 'Flow Output']) {
    await user.fill(searchOf(page), name);
    await page.getByRole('option', { name, exact: true }).waitFor();
    await user.press(name === 'Flow Output' ? 'Enter' : 'Shift+Enter');
    await panelOf(page).getByRole('heading', { level: 2, name }).waitFor();
  }
  await user.click(page.getByRole('button', { name: 'Run', exact: true }));
  await page.getByRole('region', { name: 'Last run' }).getByText('succeeded', { exact: true }).first().waitFor();
  expect(user.count()).toBeLessThanOrEqual(12);
  expect(await storedEdges(person, page)).toEqual([
    'Print → To Bytes',
    'Random → To String',
    'To Bytes → Flow Output',
    'To String → Print',
  ]);
});

test('a node is put into an edge by the plus in its middle, and by a key', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('result', flow.use('to_string', { stringify: flow.input('n') }, { title: 'Text' }).output('result'));
  await goto(`flows/${await storeFlow(person, flow)}`);
  const edge = (name: string) => canvasOf(page).getByRole('group', { name });
  const plus = page.getByRole('button', { name: 'Insert a node' });
  await edge('Edge from n: n to Text').locator('.react-flow__edge-interaction').hover();
  await plus.click();
  await searchOf(page).fill('Print');
  await page.getByRole('option', { name: 'Print', exact: true }).click();
  // The new node takes the focus a moment after it is shown.
  await expect.poll(() => nodeOf(page, 'Print').evaluate((node) => node === document.activeElement)).toBe(true);

  await edge('Edge from Text to result: result').focus();
  await page.keyboard.press('Enter');
  await plus.waitFor();
  await opened.checkAccessibility();
  await page.keyboard.press('+');
  await searchOf(page).fill('Wait');
  await page.getByRole('option', { name: 'Wait', exact: true }).waitFor();
  await searchOf(page).press('Enter');
  await nodeOf(page, 'Wait').waitFor();
  expect(await storedEdges(person, page)).toEqual(['Print → Text', 'Text → Wait', 'Wait → result', 'n → Print']);
});

test('nodes are found by their values, and the shortcuts are listed', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  for (let index = 0; index < 30; index++) {
    const node = flow.use('to_string', {}, { title: `Text ${index}` });
    const json = flow.nodes.find(({ id }) => id === node.id)!;
    Object.assign(json, { position: { x: index * 900, y: 0 } });
    if (index % 10 === 7) json.data.targets_form.form_data = { stringify: 'a Needle' };
  }
  await goto(`flows/${await storeFlow(person, flow)}`);
  await nodeOf(page, 'Text 0').waitFor();
  await page.keyboard.press('Control+f');
  const search = page.getByRole('searchbox', { name: 'Find in the flow' });
  await search.fill('needle');
  for (const name of ['Text 7', 'Text 17', 'Text 27']) {
    await search.press('Enter');
    await panelOf(page).getByRole('heading', { level: 2, name, exact: true }).waitFor();
    await expect.poll(async () => {
      const [node, canvas] = [await nodeOf(page, name).boundingBox(), await canvasOf(page).boundingBox()];
      return Math.abs(node!.x + node!.width / 2 - (canvas!.x + canvas!.width / 2));
    }).toBeLessThan(10);
  }
  await page.getByText('3 of 3: value of stringify').waitFor();
  await opened.checkAccessibilityInBoth();
  await search.press('Escape');
  await search.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Shortcuts' });
  await dialog.getByRole('row', { name: 'Ctrl F Find a node of this flow' }).waitFor();
  await opened.checkAccessibilityInBoth();
});

test('the title is edited in place, and deployments of the former name are renamed on request', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('result', flow.input('n'));
  const id = await storeFlow(person, flow, { name: 'Before' });
  const deployment = await deploy(person, id);
  await goto(`flows/${id}`);
  await page.getByRole('button', { name: 'Before', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Name of the flow' });
  await field.fill('After');
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'After' }).waitFor();
  const dialog = page.getByRole('dialog', { name: 'Rename the deployments, too?' });
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const names = await person.client.from('flow_deployments').select('name, flows(name)').eq('id', deployment).single()
    .throwOnError();
  expect(names.data).toEqual({ name: 'After', flows: { name: 'After' } });
});
