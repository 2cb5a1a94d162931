import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

const nodeOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name, exact: true });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const problemsOf = (page: Page) => page.getByRole('region', { name: 'Problems' });

test('problems are listed while drawing, and each leads to its node and field', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.use('http_request', {}, { title: 'Request' });
  flow.node('rhai_script_1x1', { inputs: ['a'], outputs: ['out'], form: { source: 'a *' }, title: 'Script' });
  flow.use('api_input', {}, { form: { json_schema: { type: 'text' } }, title: 'Ask' });
  await goto(`flows/${await storeFlow(person, flow)}`);

  // The database finds one problem, and the browser finds the others.
  await page.getByRole('button', { name: '3 problems' }).click();
  await nodeOf(page, 'Request').getByRole('img', { name: '1 problem' }).waitFor();
  await opened.checkAccessibility();
  await problemsOf(page).getByRole('button', { name: 'Script · source' }).click();
  const source = panelOf(page).getByRole('textbox', { name: 'source' });
  await expect.poll(() => source.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' 2');
  await page.getByRole('button', { name: '2 problems' }).waitFor();

  await problemsOf(page).getByText('json_schema.type: must be one of object, array').waitFor();
  await problemsOf(page).getByRole('button', { name: 'Ask · JSON Schema of the answer' }).click();
  const schema = panelOf(page).getByRole('textbox', { name: 'JSON Schema of the answer' });
  await expect.poll(() => schema.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{}');
  await page.getByRole('button', { name: '1 problem', exact: true }).waitFor();

  await problemsOf(page).getByRole('button', { name: 'Request · url' }).click();
  const url = panelOf(page).getByRole('textbox', { name: 'url' });
  await expect.poll(() => url.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type('https://example.com');
  await page.getByRole('button', { name: '0 problems' }).waitFor();
  await problemsOf(page).getByText('A check found no problems.').waitFor();
});

test('a problem of a setting leads to the field of the setting', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.node('rhai_script_1x1', {
    inputs: ['a?'],
    outputs: ['out'],
    form: { source: '1' },
    title: 'Script',
    retry: { max_attempts: 99, delay_ms: 0, backoff: 1, max_delay_ms: 0 },
  });
  const id = await storeFlow(person, flow);
  await person.client.from('flows').update({ environment: { OVERWRITE_FEEPAYER: 'nobody' } }).eq('id', id)
    .throwOnError();
  await goto(`flows/${id}`);

  await page.getByRole('button', { name: '2 problems' }).click();
  await problemsOf(page).getByRole('button', { name: 'Script · retry.max_attempts' }).click();
  const attempts = panelOf(page).getByRole('textbox', { name: 'Attempts' });
  await expect.poll(() => attempts.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('3');
  await problemsOf(page).getByRole('button', { name: 'Open the flow settings' }).click();
  const settings = page.getByRole('dialog', { name: 'Flow settings' });
  await settings.getByRole('button', { name: 'Remove Environment 1' }).click();
  await settings.getByRole('button', { name: 'Save' }).click();

  // Warnings are found only if there are no errors. This warning names the whole setting.
  await problemsOf(page).getByRole('button', { name: 'Script · retry:' }).click();
  const retry = panelOf(page).getByRole('switch', { name: 'Try again when it fails' });
  await expect.poll(() => retry.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: '0 problems' }).waitFor();
});

test('a deploy asks once if a run would fail', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.use('http_request', {}, { title: 'Request' });
  await goto(`flows/${await storeFlow(person, flow)}`);
  const dialog = page.getByRole('dialog', { name: 'A run would fail' });
  const deploy = page.getByRole('button', { name: 'Deploy', exact: true });
  const countDeployments = async () => {
    const { count } = await person.client.from('flow_deployments').select('id', { count: 'exact', head: true })
      .throwOnError();
    return count;
  };
  await deploy.click();
  await dialog.getByText('the input "url" is required').waitFor();
  await opened.checkAccessibility();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await countDeployments()).toBe(0);
  await deploy.click();
  await dialog.getByRole('button', { name: 'Deploy anyway' }).click();
  await page.getByText('Deployed, with warnings').waitFor();
  expect(await countDeployments()).toBe(1);
  await page.getByRole('button', { name: 'Close', exact: true }).first().click();
  await deploy.click();
  await page.getByText('Deployed, with warnings').waitFor();
  await expect.poll(countDeployments).toBe(2);
});

test('a flow of more than 1 MiB is checked when it is saved', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.node('no_such_node', { title: 'Unknown', form: { text: 'x'.repeat(1_100_000) } });
  await goto(`flows/${await storeFlow(person, flow)}`);
  await page.getByRole('button', { name: '1 problem', exact: true }).click();
  await problemsOf(page).getByText('this project has no node "no_such_node"').click();
  await panelOf(page).getByRole('textbox', { name: 'Name' }).fill('Still unknown');
  await problemsOf(page).getByText('This flow is larger than 1 MiB, so it is checked when it is saved.').waitFor();
  await page.keyboard.press('Control+s');
  await problemsOf(page).getByText('This flow is larger than 1 MiB').waitFor({ state: 'hidden' });
});
