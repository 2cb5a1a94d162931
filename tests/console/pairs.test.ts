import { expect, test } from 'vitest';
import { completeDefinition } from '../../dev/nodes/complete_definition.ts';
import httpRequest from '../../runner/nodes/http_request/definition.json' with { type: 'json' };
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const definition = completeDefinition(httpRequest);

test('headers of http_request are rows of names and values, and its method is a choice', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.node('http_request', {
    inputs: ['url'],
    outputs: ['body'],
    form: { url: 'https://example.com', form: { a: 1 } },
  });
  Object.assign(flow.nodes[0]!.data.targets_form, {
    json_schema: definition['targets_form.json_schema'],
    ui_schema: definition['targets_form.ui_schema'],
  });
  const id = await storeFlow(person, flow, { name: 'Ask' });
  await opened.goto(`flows/${id}`);
  await page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name: 'http_request', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Node', exact: true });

  await panel.getByRole('button', { name: 'Add to headers' }).click();
  await panel.getByRole('textbox', { name: 'Value of headers 1' }).fill('text/csv');
  await panel.getByText('A name is missing').waitFor();
  await panel.getByRole('textbox', { name: 'Name of headers 1' }).fill('accept');
  await panel.getByRole('button', { name: 'Add to headers' }).click();
  await panel.getByRole('textbox', { name: 'Name of headers 2' }).fill('x-gone');
  await panel.getByRole('button', { name: 'Remove headers 2' }).click();
  // A stored map has rows, too.
  expect(await panel.getByRole('textbox', { name: 'Name of form 1' }).inputValue()).toBe('a');
  await panel.getByRole('textbox', { name: 'Value of form 1' }).fill('2');
  await panel.getByRole('combobox', { name: 'method' }).or(panel.getByRole('textbox', { name: 'method' })).click();
  await page.getByRole('option', { name: 'PATCH' }).click();
  await opened.checkAccessibility();

  await page.getByRole('button', { name: 'Save' }).click();
  const form_data = { method: 'PATCH', headers: [['accept', 'text/csv']], form: [['a', '2']] };
  const stored = person.client.from('flows').select('id').eq('id', id)
    .contains('nodes', JSON.stringify([{ data: { targets_form: { form_data } } }]));
  await waitFor(async () => (await stored.throwOnError()).data.length === 1 || undefined);
});
