import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { startMcpServer } from '../support/mcp_server.ts';
import { idlText } from '../support/idls/read_idl.ts';
import { deploy, finishedRun, start } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

/** A server with a document at /openapi.yaml, and the API that the document describes. */
async function startApi(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/openapi.yaml') return void response.end(documentOf(address));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ name: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return address;
}

/** A document of 62 operations that can be nodes, and one that can't. */
const documentOf = (address: string) => `
openapi: 3.1.0
info: { title: Pets, version: "2" }
servers: [{ url: "${address}" }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: Get a pet
      parameters: [{ name: id, in: path, required: true, description: The number of the pet, schema: { type: integer } }]
      responses: { 200: { content: { application/json: { schema: { properties: { name: { type: string } } } } } } }
    post: { operationId: renamePet, summary: ${JSON.stringify(HOSTILE)}, responses: {} }
    put: { operationId: refused, requestBody: { content: { application/xml: {} } }, responses: {} }
${Array.from({ length: 60 }, (_, n) => `  /toys/${n}: { get: { operationId: toy${n}, responses: {} } }`).join('\n')}
`;

test('operations of an API become nodes: read, searched, chosen, stored, and executed in a flow', async () => {
  const address = await startApi();
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto('nodes');
  await page.getByRole('link', { name: 'Add nodes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Add nodes' }).waitFor();
  await page.getByRole('textbox', { name: 'Address' }).fill(`${address}/openapi.yaml`);
  await page.getByRole('button', { name: 'Show the nodes' }).click();
  await page.getByRole('heading', { name: '62 nodes' }).waitFor();
  const list = page.getByRole('list', { name: 'nodes' });
  expect(await list.getByRole('listitem').count()).toBe(50);
  await page.getByRole('button', { name: 'Show more (12 are hidden)' }).click();
  expect(await list.getByRole('listitem').count()).toBe(62);
  await page.getByText('Parts that can’t be nodes: 1').click();
  await page.getByText('PUT /pets/{id}: bodies of type application/xml are not supported').waitFor();
  await opened.checkAccessibilityInBoth();

  await page.getByRole('searchbox', { name: 'Find a node' }).fill('pet');
  const pet = list.getByRole('listitem').filter({ hasText: 'getPet' });
  await pet.getByText(`GET ${address}/pets/{id}`).waitFor();
  await pet.getByText('Inputs: id (required)').waitFor();
  await pet.getByText('Outputs: status, headers, body, name').waitFor();
  await list.getByText(HOSTILE).waitFor();
  expect(await list.getByRole('listitem').count()).toBe(2);
  const effects = page.getByRole('combobox', { name: 'Effects of renamePet' });
  expect(await effects.inputValue()).toBe('once');
  await effects.selectOption('idempotent');
  await page.getByRole('button', { name: 'Choose all 2' }).click();
  await page.getByRole('textbox', { name: 'Prefix' }).fill('my_');
  mkdirSync(join(projectDir, '.stack/screenshots'), { recursive: true });
  await page.screenshot({ path: join(projectDir, '.stack/screenshots/adding_nodes.png'), fullPage: true });
  await page.getByRole('button', { name: 'Add 2 nodes' }).click();
  await page.getByRole('list', { name: 'definitions' }).getByText('Get a pet').first().waitFor();
  const { data } = await person.client.from('nodes').select('node_id, data').eq('user_id', person.id).order('node_id')
    .throwOnError();
  expect(data.map((row) => [row.node_id, (row.data as { effects?: unknown }).effects])).toEqual([
    ['my_getPet', 'none'],
    ['my_renamePet', 'idempotent'],
  ]);

  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).click();
  await page.getByRole('button', { name: 'Add node' }).click();
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('openapi');
  await page.getByRole('region', { name: 'Palette' }).getByRole('link', { name: 'Add nodes' }).waitFor();
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Get a pet');
  await page.getByRole('searchbox', { name: 'Find a node' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  await panel.getByRole('heading', { level: 2, name: 'Get a pet' }).waitFor();
  await panel.getByText(`GET ${address}/pets/{id}`).waitFor();
  await panel.getByText('Changes nothing').waitFor();
  await panel.getByRole('textbox', { name: 'id' }).fill('7');
  await opened.checkAccessibility();
  await page.screenshot({ path: join(projectDir, '.stack/screenshots/described_node.png') });
  await page.getByRole('button', { name: 'Save' }).click();
  const flow = await waitFor(async () => {
    const { data: rows } = await person.client.from('flows').select('id, nodes').eq('user_id', person.id)
      .throwOnError();
    return rows.find(({ nodes }) => JSON.stringify(nodes).includes('my_getPet'))?.id;
  });
  const run = await start(person, `id=${await deploy(person, flow)}`);
  expect(await finishedRun(person, run.flow_run_id)).toMatchObject({ status: 'succeeded' });
  const { data: [execution] } = await person.client.from('node_run').select('output').eq('flow_run_id', run.flow_run_id)
    .throwOnError() as { data: { output: unknown }[] };
  expect(JSON.stringify(execution!.output)).toContain('"name":{"S":"/pets/7"}');
}, 120_000);

test('instructions of a Solana program become nodes', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('nodes/add');
  await page.getByRole('combobox', { name: 'Nodes of' }).selectOption('Solana program (IDL)');
  await page.getByText('Text', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill(idlText('vault_anchor'));
  await page.getByRole('button', { name: 'Show the nodes' }).click();
  await page.getByRole('heading', { name: '3 nodes' }).waitFor();
  await page.getByText('Parts that can’t be nodes: 2').click();
  await page.getByText('instruction grow: the type tree contains itself').waitFor();
  await page.getByText('instruction mystery: it has an unknown part: "u256"').waitFor();
  const list = page.getByRole('list', { name: 'nodes' });
  const open = list.getByRole('listitem').filter({ hasText: 'vault_open_vault' });
  const line = 'instruction open_vault of vault (7ETEzMGTJ51jLc83g1GoHqUtF6oVm7aeNosJbNmg2ZPt)';
  await open.getByText(line).waitFor();
  await open.getByText('Outputs: signature, owner, vault, referrer, system_program').waitFor();
  expect(await page.getByRole('combobox', { name: 'Effects of vault_vault_account' }).inputValue()).toBe('none');
  await opened.checkAccessibilityInBoth();
  await page.screenshot({ path: join(projectDir, '.stack/screenshots/adding_instructions.png'), fullPage: true });
  await page.getByRole('checkbox', { name: 'Add vault_open_vault' }).check();
  await page.getByRole('button', { name: 'Add 1 node' }).click();
  await page.getByRole('list', { name: 'definitions' }).getByText('Open vault').first().waitFor();

  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).click();
  await page.getByRole('button', { name: 'Add node' }).click();
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Open vault');
  await page.getByRole('searchbox', { name: 'Find a node' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  await panel.getByRole('heading', { level: 2, name: 'Open vault' }).waitFor();
  await panel.getByText(line).waitFor();
  await panel.getByText('Runs once only').waitFor();
}, 120_000);

test('a document can be a file or a text, and a faulty one is refused with the reason', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('nodes/add');
  const show = page.getByRole('button', { name: 'Show the nodes' });
  await page.getByText('File', { exact: true }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'File' }).click();
  const buffer = Buffer.from(documentOf('https://pets.example'));
  await (await chooser).setFiles({ name: 'pets.yaml', mimeType: 'application/yaml', buffer });
  await show.click();
  await page.getByRole('heading', { name: '62 nodes' }).waitFor();
  await opened.checkAccessibility();
  await page.getByText('Text', { exact: true }).click();
  const text = page.getByRole('textbox', { name: 'Text' });
  for (
    const [document, reason] of [
      ['{', 'the document is not JSON'],
      ['a: [', 'the document is neither JSON nor YAML'],
      ['openapi: 4.0.0', 'the document is not OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0'],
      [`a: &a x\nb: [${'*a,'.repeat(1_001)}]`, 'aliases'],
      ['{"openapi":"3.0.0","paths":{}}', 'It describes no operations, tools or instructions.'],
    ] as const
  ) {
    await text.fill(document);
    await show.click();
    await page.getByRole('alert').getByText(reason).waitFor();
  }
  await page.getByText('Address', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Address' }).fill('http://nowhere.invalid/openapi.json');
  await show.click();
  await page.getByRole('alert').getByText('can’t resolve').or(page.getByRole('alert').getByText("can't resolve"))
    .waitFor();
}, 120_000);

test('tools of an MCP server become nodes, and the node panel shows the tool and its effects', async () => {
  const inputSchema = { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] };
  const call = () => ({ content: [] });
  const server = await startMcpServer({
    shout: { description: { title: HOSTILE, inputSchema }, call },
    read: { description: { title: 'Read the stars', inputSchema, annotations: { readOnlyHint: true } }, call },
    odd: { description: { inputSchema: { type: 'object', 'x-mcp-header': 'A' } }, call },
  });
  onTestFinished(server.close);
  const opened = await openConsole();
  const { page } = opened;
  page.setDefaultTimeout(60_000);
  await enterConsole(opened);
  await opened.goto('nodes/add');
  await page.getByRole('combobox', { name: 'Nodes of' }).selectOption('MCP server');
  expect(await page.getByText('File', { exact: true }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'Address' }).fill(server.url);
  await page.getByRole('button', { name: 'Show the nodes' }).click();
  await page.getByRole('heading', { name: '2 nodes' }).waitFor();
  const list = page.getByRole('list', { name: 'nodes' });
  await list.getByText(HOSTILE).waitFor();
  const read = list.getByRole('listitem').filter({ hasText: 'Read the stars' });
  await read.getByText(`read of ${server.url}`).waitFor();
  await read.getByText('Inputs: words (required)').waitFor();
  await read.getByText('Outputs: content, structured').waitFor();
  expect(await page.getByRole('combobox', { name: 'Effects of read' }).inputValue()).toBe('none');
  expect(await page.getByRole('combobox', { name: 'Effects of shout' }).inputValue()).toBe('once');
  await page.getByText('Parts that can’t be nodes: 1').click();
  await page.getByText('odd: x-mcp-header of the arguments names no argument').waitFor();
  await opened.checkAccessibility();
  await page.getByRole('checkbox', { name: 'Add read' }).check();
  await page.getByRole('button', { name: 'Add 1 node' }).click();
  await page.getByRole('list', { name: 'definitions' }).getByText('Read the stars').first().waitFor();

  await opened.goto('');
  await page.getByRole('button', { name: 'New flow' }).click();
  await page.getByRole('button', { name: 'Add node' }).click();
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('Read the stars');
  await page.getByRole('searchbox', { name: 'Find a node' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  await panel.getByText(`read of ${server.url}`).waitFor();
  await panel.getByText('Changes nothing').waitFor();
}, 240_000);
