import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { type ConsolePerson, enterConsole, openConsole, signInToConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, storeFlow } from '../support/people.ts';

const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const nodeOf = (page: Page, name: string) => canvasOf(page).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });

/** Finds a node in the palette and adds it, by keyboard only. */
async function addNode(page: Page, name: string): Promise<void> {
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Find a node' });
  await search.fill(name);
  await page.getByRole('option', { name, exact: true }).waitFor();
  await search.press('Enter');
  await panelOf(page).getByRole('heading', { level: 2, name }).waitFor();
}

/** Draws an edge to an input of the selected node, by keyboard only. */
async function chooseEdge(page: Page, input: string, from: string): Promise<void> {
  const select = panelOf(page).getByRole('combobox', { name: `Edge into ${input}` });
  await select.fill(from);
  await page.getByRole('option', { name: from }).first().waitFor();
  await select.press('ArrowDown');
  await select.press('Enter');
}

/** Returns the graph of a flow as the project has stored it. */
async function storedGraph({ client }: ConsolePerson, id: number) {
  const { data } = await client.from('flows').select('nodes, edges').eq('id', id).single().throwOnError();
  return data as unknown as { nodes: { id: string; data: { display_name: string } }[]; edges: object[] };
}

const flowIdOf = (page: Page): number => Number(new URL(page.url()).pathname.split('/').at(-1));

async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
}

/** A flow of three nodes whose ports have the types of their definitions. */
function typedFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.node('flow_input', { outputs: ['value'], form: { label: 'value' }, title: 'Anything' });
  flow.use('get_balance', {}, { title: 'Balance' });
  flow.use('http_request', {}, { title: 'Request' });
  for (const { data } of flow.nodes.slice(1)) {
    const { sources, targets } = nodeRegistry(data.node_id)!.definition;
    data.sources.forEach((port, index) => Object.assign(port, { type: sources[index]!.type }));
    data.targets.forEach((port, index) => Object.assign(port, { type_bounds: targets[index]!.type_bounds }));
  }
  return flow;
}

test('a new flow of three nodes is drawn by keyboard, and runs', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).press('Enter');
  await canvasOf(page).waitFor();
  await addNode(page, 'Flow Input');
  await panelOf(page).getByRole('textbox', { name: 'Name of the input' }).fill('greeting');
  // Escape leads from the panel back to the node.
  await page.keyboard.press('Escape');
  // If a node is selected, the new node is connected to it. If none is selected, the user draws the edge by the panel.
  await addNode(page, 'To String');
  await panelOf(page).getByRole('button', { name: 'Close the node' }).press('Enter');
  await addNode(page, 'Flow Output');
  await panelOf(page).getByRole('textbox', { name: 'Label' }).fill('told');
  await chooseEdge(page, 'told', 'To String');
  await page.getByRole('button', { name: 'Deploy' }).press('Enter');
  await page.getByRole('link', { name: 'Open the deployment' }).waitFor();
  expect(await page.getByText('with warnings').count()).toBe(0);
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await page.getByRole('textbox', { name: 'greeting' }).fill('good day');
  await page.keyboard.press('Tab');
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).press('Enter');
  await page.getByRole('region', { name: 'Last run' }).getByRole('link', { name: 'Open the run' }).press('Enter');
  await page.waitForURL(/\/runs\//);
  const run = await finishedRun(person, page.url().split('/').at(-1)!);
  expect(run).toMatchObject({ status: 'succeeded', output: { M: { told: { S: 'good day' } } } });
});

test('a flow whose nodes are far from the origin is in view when it is opened', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.node('wait', { title: 'Far away' });
  Object.assign(flow.nodes[0]!, { position: { x: -9_000, y: 12_000 } });
  await goto(`flows/${await storeFlow(person, flow)}`);
  await nodeOf(page, 'Far away').waitFor();
});

test('a script is highlighted, and stored as it was typed', async () => {
  const opened = await openConsole({ colorScheme: 'dark' });
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const source = 'let a = `x ${1 + 2}`; // <b>import</b>\n/* /* */ a */ a.len()';
  flow.node('rhai_script_0x1', { inputs: ['source'], outputs: ['u'], form: { source }, title: 'Script' });
  const id = await storeFlow(person, flow);
  await goto(`flows/${id}`);
  await nodeOf(page, 'Script').click();
  const code = panelOf(page).getByRole('textbox', { name: 'source' });
  const coloured = (text: string) => code.locator('span[class]', { hasText: text }).first();
  await coloured('let').waitFor();
  const colourOf = (text: string) => coloured(text).evaluate((element) => getComputedStyle(element).color);
  const colours = await Promise.all(['let', '`x ', '1', '// <b>import</b>'].map(colourOf));
  expect(new Set(colours).size).toBe(4);
  expect(await colourOf('/* /* */ a */')).toBe(colours[3]);
  await opened.checkAccessibility();
  await code.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' + 1');
  await save(page);
  const { nodes } = await storedGraph(person, id);
  expect(nodes[0]).toMatchObject({ data: { targets_form: { form_data: { source: `${source} + 1` } } } });
});

test('an edge is drawn with the mouse if the types match, and else refused with the reason', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const id = await storeFlow(person, typedFlow());
  await goto(`flows/${id}`);
  const drag = async (from: string, output: string, to: string, input: string) => {
    await nodeOf(page, from).getByLabel(output).hover();
    await page.mouse.down();
    await nodeOf(page, to).getByLabel(input).hover();
    await page.mouse.up();
  };
  await drag('Balance', 'Output balance, u64', 'Request', 'Input url, string');
  await page.getByText('The output “balance” gives u64, but the input “url” wants string.').waitFor();
  await drag('Anything: value', 'Output value, free', 'Request', 'Input url, string');
  await page.getByText('Not saved').waitFor();
  await drag('Balance', 'Output balance, u64', 'Request', 'Input url, string');
  await nodeOf(page, 'Request').getByRole('button', { name: '6 more' }).click();
  await page.getByRole('button', { name: 'Fit View' }).click();
  await drag('Request', 'Output body, free', 'Balance', 'Input pubkey, pubkey');
  await save(page);
  await drag('Balance', 'Output balance, u64', 'Request', 'Input body, json');
  await page.getByText('The nodes would wait for each other in a circle.').waitFor();
  expect((await storedGraph(person, id)).edges).toHaveLength(2);
});

test('steps are undone and redone, and nodes are copied with their edges, pasted and deleted', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.use('to_string', { stringify: flow.input('n') }, { title: 'Text' });
  const id = await storeFlow(person, flow);
  await goto(`flows/${id}`);
  await nodeOf(page, 'Text').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await expect.poll(() => nodeOf(page, 'Text').count()).toBe(2);
  await save(page);
  const { nodes, edges } = await storedGraph(person, id);
  expect(new Set(nodes.map((node) => node.id)).size).toBe(4);
  expect(edges).toHaveLength(2);
  await deploy(person, id);

  await page.keyboard.press('Delete');
  await expect.poll(() => nodeOf(page, 'Text').count()).toBe(1);
  await page.keyboard.press('Control+z');
  await expect.poll(() => nodeOf(page, 'Text').count()).toBe(2);
  await page.keyboard.press('Control+z');
  await expect.poll(() => nodeOf(page, 'Text').count()).toBe(1);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(() => nodeOf(page, 'Text').count()).toBe(2);
  await page.getByText('Saved', { exact: true }).waitFor();
});

test('the form, the name and the retry of a node are stored with the flow', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.node('rhai_script_1x1', { inputs: ['source', 'a?'], outputs: ['u'], form: { source: '1' }, title: 'Script' });
  flow.node('wait', { title: 'Pause' });
  const id = await storeFlow(person, flow);
  await goto(`flows/${id}`);
  await nodeOf(page, 'Script').click();
  const code = panelOf(page).getByRole('textbox', { name: 'source' });
  await code.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('a * 2');
  await panelOf(page).getByRole('textbox', { name: 'Name' }).fill('Double');
  await panelOf(page).getByRole('switch', { name: 'Try again when it fails' }).click();
  await panelOf(page).getByRole('textbox', { name: 'Attempts' }).fill('5');
  await panelOf(page).getByRole('textbox', { name: 'Growth of the pause' }).fill('1.5');
  await save(page);
  const { nodes } = await storedGraph(person, id);
  expect(nodes[0]).toMatchObject({
    data: {
      display_name: 'Double',
      retry: { max_attempts: 5, backoff: 1.5 },
      targets_form: { form_data: { source: 'a * 2' } },
    },
  });
});

test('warnings and findings of a deploy are shown at the nodes', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.node('no_such_node', { title: 'Unknown' });
  flow.use('to_string', {}, { title: 'Text' });
  const id = await storeFlow(person, flow);
  await goto(`flows/${id}`);
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('button', { name: 'Deploy anyway' }).click();
  await page.getByText('Deployed, with warnings').waitFor();
  await nodeOf(page, 'Unknown').getByText('this project has no node "no_such_node"').waitFor();
  await opened.checkAccessibility();

  const [first] = flow.nodes;
  await storeFlow(
    person,
    Object.assign(new FlowBuilder(), { nodes: [first!, { ...first!, data: { ...first!.data } }] }),
    {
      name: 'Twice',
    },
  );
  await goto('flows');
  await page.getByRole('link', { name: 'Twice' }).click();
  await page.getByRole('button', { name: 'Deploy' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'The flow can’t be deployed as it is' });
  await alert.getByText('two nodes have the id').waitFor();
});

test('if two people save the same flow, the second one gets a warning and loses nothing', async () => {
  const first = await openConsole();
  const second = await openConsole();
  const person = await enterConsole(first);
  await signInToConsole(second, person);
  const id = await storeFlow(person, typedFlow());
  await Promise.all([first.goto(`flows/${id}`), second.goto(`flows/${id}`)]);
  await addNode(first.page, 'Print');
  await save(first.page);
  await addNode(second.page, 'Collect');
  await second.page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = second.page.getByRole('dialog', { name: 'Somebody else has saved this flow' });
  await dialog.waitFor();
  const titles = async (flow: number) => (await storedGraph(person, flow)).nodes.map(({ data }) => data.display_name);
  expect(await titles(id)).toContain('Print');
  expect(await titles(id)).not.toContain('Collect');
  await dialog.getByRole('button', { name: 'Save mine as a copy' }).click();
  await second.page.waitForURL((url) => !url.pathname.endsWith(`/${id}`));
  await nodeOf(second.page, 'Collect').waitFor();
  expect(await titles(flowIdOf(second.page))).toContain('Collect');
  expect(await titles(id)).toContain('Print');

  // Now the flow has the first person's version. Then the second person saves first, and the first person overwrites
  // that version.
  await second.page.goBack();
  await nodeOf(second.page, 'Print').waitFor();
  expect(await nodeOf(second.page, 'Collect').count()).toBe(0);
  await addNode(second.page, 'Wait');
  await save(second.page);
  await addNode(first.page, 'For Each');
  await first.page.getByRole('button', { name: 'Save', exact: true }).click();
  await first.page.getByRole('button', { name: 'Overwrite theirs' }).click();
  await first.page.getByText('Saved', { exact: true }).waitFor();
  expect(await titles(id)).not.toContain('Wait');
});

test('unsaved changes are restored when the user returns', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).click();
  await canvasOf(page).waitFor();
  await addNode(page, 'Collect');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.goBack();
  await nodeOf(page, 'Collect').waitFor();
  await page.getByText('Not saved').waitFor();
});

test('axe finds no serious fault in the editor and its dialogs, in light and in dark', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const id = await storeFlow(person, typedFlow());
  await deploy(person, id);
  await goto(`flows/${id}`);
  await nodeOf(page, 'Request').waitFor();
  await opened.checkAccessibilityInBoth();
  await nodeOf(page, 'Request').focus();
  await page.keyboard.press('Enter');
  await panelOf(page).getByRole('textbox', { name: 'Name' }).waitFor();
  await panelOf(page).getByRole('switch', { name: 'Try again when it fails' }).click();
  await opened.checkAccessibilityInBoth();
  for (const name of ['Run', 'Flow settings']) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog', { name }).waitFor();
    await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    await opened.checkAccessibilityInBoth();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' });
  }
});

test('a public flow of another user can be viewed and copied, but not saved', async () => {
  const owner = await openConsole();
  const ownerPerson = await enterConsole(owner);
  const id = await storeFlow(ownerPerson, typedFlow(), {
    name: 'Shared',
    is_public: true,
    environment: { API_TOKEN: 'secret' },
    chain_network: { url: 'https://rpc.example.com/?key=secret', cluster: 'testnet' },
  });
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  await goto(`flows/${id}`);
  await page.getByText('This flow is somebody else’s.').waitFor();
  expect(await page.getByRole('button', { name: 'Deploy' }).count()).toBe(0);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8'));
  const shown = { environment: {}, current_network: { url: 'https://api.testnet.solana.com', cluster: 'testnet' } };
  expect(exported).toMatchObject({ name: 'Shared', isPublic: true, ...shown });
  await page.getByRole('button', { name: 'Save a copy' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shared (copy)' }).waitFor();
  await page.getByRole('button', { name: 'Deploy' }).waitFor();
  const copy = await person.client.from('flows').select('is_public, environment, chain_network')
    .eq('id', flowIdOf(page)).single().throwOnError();
  expect(copy.data).toEqual({
    is_public: false,
    environment: shown.environment,
    chain_network: shown.current_network,
  });
  await goto('flows/999999999');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Not found');
});

test('the settings of a flow are stored, or refused with the reason', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const id = await storeFlow(person, typedFlow());
  await goto(`flows/${id}`);
  await page.getByRole('button', { name: 'Flow settings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('All form data of nodes is shown').waitFor();
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
  const network = dialog.getByRole('combobox', { name: 'Network' });
  await network.waitFor();
  await dialog.getByRole('button', { name: 'Add to Environment' }).click();
  await dialog.getByRole('textbox', { name: 'Value of Environment 1' }).fill('debug');
  await dialog.getByRole('button', { name: 'Save settings' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'A name is missing in the environment.' }).waitFor();
  await dialog.getByRole('textbox', { name: 'Name of Environment 1' }).fill('RUST_LOG');
  await dialog.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
  const { data } = await person.client.from('flows').select('name, environment').eq('id', id).single().throwOnError();
  expect(data).toEqual({ name: 'Renamed', environment: { RUST_LOG: 'debug' } });
  await addNode(page, 'Collect');
  await save(page);

  // A flow without nodes of Solana has no settings for transactions.
  const flow = new FlowBuilder();
  flow.output('value', flow.input('value'));
  await goto(`flows/${await storeFlow(person, flow)}`);
  await page.getByRole('button', { name: 'Flow settings' }).click();
  await dialog.getByRole('button', { name: 'Add to Environment' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await network.count()).toBe(0);
});
