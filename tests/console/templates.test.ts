import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { waitFor } from '../support/wait.ts';

test('a flow begins with a template, from the empty list and on an empty canvas', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { client } = await enterConsole(opened);
  await opened.goto('flows');
  await page.getByRole('button', { name: 'Templates' }).click();
  const dialog = page.getByRole('dialog', { name: 'Templates' });
  const card = dialog.getByRole('button', { name: 'Webhook to table' });
  await card.locator('svg rect').first().waitFor();
  await card.getByText('Needs the table “events”.').waitFor();
  await opened.checkAccessibilityInBoth();
  await card.click();
  const canvas = page.getByRole('region', { name: 'Canvas' });
  await canvas.getByRole('group', { name: 'Insert', exact: true }).waitFor();
  const stored = await waitFor(async () => (await client.from('flows').select('name, nodes').throwOnError()).data[0]);
  expect(stored.name).toBe('Webhook to table');
  const forms = (stored.nodes as { data: { node_id: string; targets_form: { json_schema?: object } } }[])
    .filter(({ data }) => data.node_id === 'postgrest_new_query').map(({ data }) => data.targets_form.json_schema);
  expect(forms).toEqual([expect.objectContaining({ properties: expect.anything() })]);

  await opened.goto('flows');
  await page.getByRole('button', { name: 'New flow' }).click();
  await page.getByRole('button', { name: 'Begin with a template' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'CSV import' }).click();
  await canvas.getByRole('group', { name: 'Read the rows', exact: true }).click();
  await page.getByRole('region', { name: 'Node', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Begin with a template' }).count()).toBe(0);
});
