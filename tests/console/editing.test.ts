import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsolePerson, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });

interface StoredNode {
  id: string;
  position: { x: number; y: number };
  data: { display_name: string; targets: { when_absent?: string }[] };
}

/** Saves the open flow, and returns its nodes as the project has stored them. */
async function savedNodes(page: Page, { client }: ConsolePerson, id: number): Promise<StoredNode[]> {
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  const { data } = await client.from('flows').select('nodes').eq('id', id).single().throwOnError();
  return data.nodes as unknown as StoredNode[];
}

/** Stores a flow of nodes at these positions. */
function storeAt(person: ConsolePerson, places: { [title: string]: [x: number, y: number] }): Promise<number> {
  const flow = new FlowBuilder();
  for (const title of Object.keys(places)) flow.node('wait', { title });
  flow.nodes.forEach((node, index) => {
    const [x, y] = Object.values(places)[index]!;
    Object.assign(node, { position: { x, y } });
  });
  return storeFlow(person, flow);
}

test('selected nodes are aligned', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const id = await storeAt(person, { One: [0, 0], Two: [300, 90], Three: [700, 40] });
  await opened.goto(`flows/${id}`);
  await nodeOf(page, 'Three').waitFor();
  await page.keyboard.press('Control+a');
  const bar = page.getByRole('toolbar', { name: '3 selected nodes' });
  await bar.getByRole('button', { name: 'Align top' }).click();
  await bar.getByRole('button', { name: 'Distribute across' }).click();
  await opened.checkAccessibilityInBoth();
  expect((await savedNodes(page, person, id)).map(({ position }) => position)).toEqual([
    { x: 0, y: 0 },
    { x: 350, y: 0 },
    { x: 700, y: 0 },
  ]);
});

test('nodes are copied into a flow in another tab, and a text that is selected later is copied as text', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const person = await enterConsole(opened);
  const [from, to] = [await storeAt(person, { Copied: [0, 0] }), await storeAt(person, { Other: [0, 0] })];
  await opened.goto(`flows/${from}`);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const selectText = (name: string) =>
    page.getByRole('heading', { name }).first().evaluate((heading) => getSelection()!.selectAllChildren(heading));

  await selectText(`Flow ${from}`);
  await nodeOf(page, 'Copied').click();
  await page.keyboard.press('Control+c');
  expect(JSON.parse(await clipboard())).toMatchObject({ nodes: [{ data: { display_name: 'Copied' } }] });
  const copied = await clipboard();
  await selectText(`Flow ${from}`);
  await page.keyboard.press('Control+c');
  expect(await clipboard()).toBe(`Flow ${from}`);

  await page.evaluate((text) => navigator.clipboard.writeText(text), copied);
  const otherTab = await page.context().newPage();
  await otherTab.goto(page.url().replace(`flows/${from}`, `flows/${to}`));
  await nodeOf(otherTab, 'Other').waitFor();
  await otherTab.keyboard.press('Control+v');
  await nodeOf(otherTab, 'Copied').waitFor();
  const nodes = await savedNodes(otherTab, person, to);
  expect(nodes.map(({ data }) => data.display_name)).toEqual(['Other', 'Copied']);
});

/** Chooses what the open node does without a value of its input. */
async function chooseWithout(page: Page, input: string, choice: string): Promise<void> {
  await panelOf(page).getByRole('combobox', { name: `Without a value of ${input}` }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

test('the panel of a node lets it run without the value of an edge, and shows its reference', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const body = flow.input('body');
  flow.use('http_request', { body }, { form: { url: 'https://example.com', method: 'POST' }, title: 'Request' });
  Object.assign(flow.nodes[1]!.data, { effects: 'once' });
  flow.toText(body, 'Text');
  const id = await storeFlow(person, flow);
  await opened.goto(`flows/${id}`);
  await nodeOf(page, 'Request').click();
  const edge = canvasOf(page).locator('.react-flow__edge-path').first();
  const dashes = () => edge.evaluate((path) => getComputedStyle(path).strokeDasharray);
  expect(await dashes()).toBe('none');
  await chooseWithout(page, 'body', 'Run, but not after a failure');
  await expect.poll(dashes).not.toBe('none');
  await panelOf(page).getByRole('link', { name: 'When a node runs' }).waitFor();

  // The panel also has the reference of the node.
  await panelOf(page).getByRole('heading', { name: 'Reference' }).scrollIntoViewIfNeeded();
  await panelOf(page).getByText('query_params: {"day":"2026-11-28"}').waitFor();
  await panelOf(page).getByRole('button', { name: 'Rules and errors' }).click();
  await panelOf(page).getByRole('listitem').first().waitFor();
  const reference = panelOf(page).getByRole('link', { name: 'http_request in the reference' });
  expect(await reference.getAttribute('href')).toBe('/console/docs/reference/nodes#http_request');
  await opened.checkAccessibilityInBoth();
  const [, request] = await savedNodes(page, person, id);
  expect(request!.data.targets.flatMap(({ when_absent }) => when_absent ?? [])).toEqual(['run_unless_failed']);

  // The chosen option changes nothing when it is chosen again.
  await chooseWithout(page, 'body', 'Run, but not after a failure');
  await page.getByRole('option', { name: 'Run in any case' }).waitFor({ state: 'hidden' });
  expect(await page.getByText('Not saved', { exact: true }).count()).toBe(0);

  // A choice for each input with an edge, also of nodes without effects. The last choice removes the word again.
  await chooseWithout(page, 'body', 'Do not run');
  await nodeOf(page, 'Text').click();
  await chooseWithout(page, 'stringify', 'Run in any case');
  const [, again, text] = await savedNodes(page, person, id);
  expect([again, text].map((node) => node!.data.targets.flatMap(({ when_absent }) => when_absent ?? []))).toEqual([
    [],
    ['run'],
  ]);
});

test('notes show Markdown without HTML, and a group moves its nodes', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const id = await storeAt(person, { One: [0, 0], Two: [300, 90] });
  await opened.goto(`flows/${id}`);
  await nodeOf(page, 'Two').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByRole('toolbar').getByRole('button', { name: 'Group' }).click();
  await panelOf(page).getByRole('textbox', { name: 'Title' }).fill('Both');
  const frame = canvasOf(page).getByRole('group', { name: 'Both', exact: true });
  await frame.focus();
  await page.keyboard.press('ArrowRight');

  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Note');
  await page.getByRole('option', { name: 'Note', exact: true }).click();
  await panelOf(page).getByRole('textbox', { name: 'Text' }).fill('**Careful**\n\n<img src="x" alt="drawn">');
  const note = nodeOf(page, 'Note');
  await note.locator('strong', { hasText: 'Careful' }).waitFor();
  await note.getByText('<img src="x" alt="drawn">').waitFor();
  expect(await note.locator('img').count()).toBe(0);
  await opened.checkAccessibilityInBoth();

  const [one, two] = await savedNodes(page, person, id);
  expect(one!.position.x).toBeGreaterThan(0);
  expect(two!.position.x - one!.position.x).toBe(300);
  await nodeOf(page, 'One').waitFor();
});
