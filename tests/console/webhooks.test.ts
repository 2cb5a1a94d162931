import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsolePage, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, storeFlow } from '../support/people.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

function bodyFlow(input = 'body'): FlowBuilder {
  const graph = new FlowBuilder();
  graph.output('body', graph.input(input));
  return graph;
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

/** Chooses the only flow in the dialog, and the input by its name in the list. */
async function chooseTarget({ page }: ConsolePage): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Flow' }).click();
  await page.getByRole('option').click();
  await dialog.getByRole('combobox', { name: 'Input' }).click();
  await page.getByRole('option', { name: 'body' }).click();
}

test('a webhook is made, shows its URL once, starts a run, and stops working when it is deleted', async () => {
  const opened = await openConsole({ colorScheme: 'dark' });
  const { page } = opened;
  const owner = await enterConsole(opened);
  await deploy(owner, await storeFlow(owner, bodyFlow(), { name: 'Pushes' }));
  await opened.goto('settings');
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog');
  await chooseTarget(opened);
  await opened.checkAccessibility();
  await dialog.getByRole('button', { name: 'Make' }).click();
  const url = await dialog.getByRole('textbox', { name: 'URL' }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect((await post(url, '{"ref": "main"}')).status).toBe(202);
  await page.reload();
  await page.getByRole('cell', { name: 'Pushes, latest' }).waitFor();
  await page.getByRole('table', { name: 'webhooks' }).getByRole('link', { name: 'All runs' }).waitFor();
  await opened.checkAccessibility();
  await page.getByRole('button', { name: /^Delete fh_/ }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('You have no webhooks yet').waitFor();
  expect((await post(url, '{"ref": "main"}')).status).toBe(404);
});

test('the input and the verification of a webhook are changed later, on a narrow screen', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  const flow = await storeFlow(owner, bodyFlow(HOSTILE), { name: 'Pushes' });
  await deploy(owner, flow);
  const { data } = await owner.client.rpc('create_webhook', { flow, input: HOSTILE }).throwOnError();
  await owner.client.from('flows').update({ ...bodyFlow().row() as object }).eq('id', flow).throwOnError();
  await deploy(owner, flow);
  const { url } = data as { url: string };
  await opened.goto('settings');
  await page.getByText(HOSTILE).waitFor();
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: /^Change fh_/ }).click();
  await dialog.getByText('so requests would be refused. It has: body.').waitFor();
  await dialog.getByRole('combobox', { name: 'Input' }).fill('body');
  await dialog.getByText('so requests would be refused').waitFor({ state: 'detached' });
  await dialog.getByRole('combobox', { name: 'Headers' }).pressSequentially('authorization,');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('column_invalid').waitFor();
  await opened.checkAccessibility();
  await dialog.getByRole('combobox', { name: 'Headers' }).press('Backspace');
  await dialog.getByRole('combobox', { name: 'Headers' }).pressSequentially('X-GitHub-Event');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('with headers: x-github-event').waitFor();

  await page.getByRole('button', { name: /^Verification of fh_/ }).click();
  await dialog.getByRole('combobox', { name: 'Verified by' }).click();
  await page.getByRole('option', { name: 'GitHub' }).click();
  await dialog.getByRole('textbox', { name: 'Secret' }).fill('short');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('must have 8 to 1000 characters').waitFor();
  await opened.checkAccessibility();
  await dialog.getByRole('textbox', { name: 'Secret' }).fill('a long secret');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: /GitHub$/ }).waitFor();
  await opened.checkAccessibility();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  const body = '{"ref": "main"}';
  expect((await post(url, body)).status).toBe(401);
  const signature = createHmac('sha256', 'a long secret').update(body).digest('hex');
  const answer = await post(url, body, { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'push' });
  expect(answer.status).toBe(202);
  const { flow_run_id } = await answer.json() as { flow_run_id: string };
  expect(JSON.stringify((await finishedRun(owner, flow_run_id)).inputs)).toContain(
    '"x-github-event": {"S": "push"}'.replaceAll(' ', ''),
  );

  await page.getByRole('button', { name: /^Verification of fh_/ }).click();
  await dialog.getByRole('combobox', { name: 'Verified by' }).click();
  await page.getByRole('option', { name: 'an HMAC of the body in a header' }).click();
  await dialog.getByRole('textbox', { name: 'Header of the signature' }).fill('X-Shopify-Hmac-Sha256');
  await dialog.getByRole('combobox', { name: 'Written in' }).click();
  await page.getByRole('option', { name: 'base64' }).click();
  await dialog.getByRole('textbox', { name: 'Secret' }).fill('another secret');
  await opened.checkAccessibility();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'an HMAC of the body in a header' }).waitFor();
  expect((await post(url, body, { 'x-hub-signature-256': `sha256=${signature}` })).status).toBe(401);
  const hmac = createHmac('sha256', 'another secret').update(body).digest('base64');
  expect((await post(url, body, { 'x-shopify-hmac-sha256': hmac })).status).toBe(202);
});

/** Posts a form to an address from a page of its own, as a browser would with a link of the sender. */
async function submitForm({ page }: ConsolePage, url: string): Promise<Page> {
  const other = await page.context().newPage();
  await other.setContent(`<title>sender</title><form method=post action="${url}"><button>Send</button></form>`);
  await other.getByRole('button').click();
  return other;
}

test('a webhook answers with the output, and HTML of a flow runs no script', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  const graph = new FlowBuilder();
  graph.input('body');
  const script = `<script>document.title = 'owned'; localStorage.setItem('owned', '1')</script>`;
  const page200 = { headers: { 'content-type': 'text/html' }, body: `<h1>Thanks</h1>${script}` };
  graph.output('response', graph.json(page200));
  await deploy(owner, await storeFlow(owner, graph, { name: 'Page' }));
  await opened.goto('settings');
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog');
  await chooseTarget(opened);
  await dialog.getByRole('combobox', { name: 'Headers' }).pressSequentially('x-event,');
  await dialog.getByRole('switch', { name: 'The input gets the whole request' }).press('Space');
  await dialog.getByRole('combobox', { name: 'Headers' }).waitFor({ state: 'detached' });
  await dialog.getByRole('switch', { name: 'The sender gets the output' }).press('Space');
  await opened.checkAccessibilityInBoth();
  await dialog.getByRole('button', { name: 'Make' }).click();
  const url = await dialog.getByRole('textbox', { name: 'URL' }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('with headers, query and method').waitFor();
  await page.getByText('The sender gets the output.').waitFor();
  await opened.checkAccessibility();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  const downloaded = page.context().waitForEvent('page').then((other) => other.waitForEvent('download'));
  const sender = await submitForm(opened, url);
  await downloaded;
  expect(await sender.title()).toBe('sender');

  // Even if something took the attachment away, the sandbox would keep the script from running.
  await page.context().route(url, async (route) => {
    const response = await route.fetch();
    const { 'content-disposition': _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  const shown = await submitForm(opened, url);
  await shown.getByRole('heading', { name: 'Thanks' }).waitFor();
  expect(await shown.title()).toBe('');
  expect(await page.evaluate(() => localStorage.getItem('owned'))).toBeNull();
});
