import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const TOKEN = 'token-of-a-test-0123456789';

/** A server that accepts the token only. */
async function startServer(): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(request.headers.authorization === `Bearer ${TOKEN}` ? 200 : 401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a connection is stored, tested, chosen in a node, kept while deployments use it, and deleted', async () => {
  const host = await startServer();
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  await opened.goto('');
  await page.getByRole('link', { name: 'Connections', exact: true }).click();
  await page.getByText('You have no connections yet').waitFor();
  await opened.checkAccessibilityInBoth();

  await page.getByRole('button', { name: 'New connection' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('shop');
  await dialog.getByRole('textbox', { name: 'Hosts' }).fill(`http://${host}`);
  await dialog.getByRole('textbox', { name: 'Token' }).fill('short');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must have at least 8 characters', { exact: true }).waitFor();
  await opened.checkAccessibility();
  await dialog.getByRole('textbox', { name: 'Token' }).fill('wrong-token');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();

  const test = page.getByRole('region', { name: 'Test' });
  await test.getByRole('textbox', { name: 'URL' }).fill(`http://${host}/`);
  await test.getByRole('button', { name: 'Test' }).click();
  await test.getByText('The answer has status 401').waitFor();
  const facts = page.getByRole('region', { name: 'What it sends, and where' });
  await facts.getByText('Status 401').waitFor();
  await page.getByRole('button', { name: 'Replace shop' }).click();
  expect(await dialog.getByRole('textbox', { name: 'Token' }).inputValue()).toBe('');
  await dialog.getByRole('textbox', { name: 'Token' }).fill(TOKEN);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await facts.getByText('not since it was stored').waitFor();
  await test.getByRole('button', { name: 'Test' }).click();
  await test.getByText('The answer has status 200').waitFor();

  const flow = new FlowBuilder();
  const request = flow.node('http_request', { inputs: ['url'], outputs: ['body'], form: { url: `http://${host}/` } });
  const properties = { connection: { title: 'connection', type: 'string' } };
  Object.assign(flow.nodes[0]!.data.targets_form, { json_schema: { type: 'object', properties } });
  flow.output('body', request.output('body'));
  const id = await storeFlow(person, flow, { name: 'Buy' });
  await opened.goto(`flows/${id}`);
  await page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name: 'http_request', exact: true }).click();
  const field = page.getByRole('region', { name: 'Node', exact: true }).getByRole('combobox', { name: 'connection' })
    .or(page.getByRole('textbox', { name: 'connection' }));
  await field.fill('shoe');
  await page.getByText('You have no connection of this name').waitFor();
  await field.fill('sh');
  await page.getByRole('option', { name: 'shop' }).click();
  expect(await field.inputValue()).toBe('shop');
  await page.getByRole('button', { name: 'Save' }).click();
  const usesShop = person.client.from('flows').select('id').eq('id', id)
    .contains('nodes', JSON.stringify([{ data: { targets_form: { form_data: { connection: 'shop' } } } }]));
  await waitFor(async () => (await usesShop.throwOnError()).data.length === 1 || undefined);
  const deployment = await deploy(person, id);

  await opened.goto('connections');
  await page.getByRole('row', { name: /shop/ }).getByText('Status 200').waitFor();
  await page.getByRole('table', { name: 'connections' }).getByRole('link', { name: 'shop' }).click();
  await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: 'Buy' }).waitFor();
  await opened.checkAccessibilityInBoth();
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByText('connection_in_use').waitFor();
  expect(await dialog.getByRole('link', { name: 'latest' }).getAttribute('href')).toContain(deployment);
  await person.client.from('flow_deployments').delete().eq('id', deployment).throwOnError();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('You have no connections yet').waitFor();
});
