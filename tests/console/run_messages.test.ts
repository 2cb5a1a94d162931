import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsolePage, enterConsole, openConsole } from '../support/browser.ts';
import { textFlow } from '../support/flow_builder.ts';
import { deploy, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { asSuperuser } from '../support/tokens.ts';
import { startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook_receiver.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

let receiver: WebhookReceiver;
beforeAll(async () => void (receiver = await startWebhookReceiver()));
afterAll(() => receiver.close());

/** Sets the webhook address in the settings of a deployment, for messages about succeeded runs. */
async function setAddress({ page }: ConsolePage, url: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Where messages go' });
  await form.getByRole('textbox', { name: 'Webhook address' }).fill(url);
  await form.getByRole('checkbox', { name: 'failed' }).uncheck();
  await form.getByRole('checkbox', { name: 'succeeded' }).check();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Saved', { exact: true }).waitFor();
}

/** Makes a new secret, and reads it while it is shown. */
async function makeSecret(opened: ConsolePage): Promise<string> {
  const { page } = opened;
  await page.getByRole('button', { name: 'New secret' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('For 24 hours').waitFor();
  await dialog.getByRole('button', { name: 'Make' }).click();
  const secret = await dialog.getByRole('textbox', { name: 'Secret' }).inputValue();
  await opened.checkAccessibility();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return secret;
}

async function openDeployment(opened: ConsolePage): Promise<{ owner: Person; id: string }> {
  const owner = await enterConsole(opened);
  const id = await deploy(owner, await storeFlow(owner, textFlow(), { name: 'Texts' }));
  await opened.goto(`deployments/${id}?tab=messages`);
  return { owner, id };
}

test("messages about runs are posted to the address in the settings, signed by the flow's secret, and again on request", async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { owner, id } = await openDeployment(opened);
  const section = page.getByRole('region', { name: 'Messages about runs' });
  await section.getByText('No messages are sent').waitFor();
  await section.getByText('No message has been made').waitFor();
  await setAddress(opened, `${receiver.url}/told`);
  await section.getByText(`posted to ${receiver.url}/told: succeeded.`).waitFor();
  const first = await makeSecret(opened);
  await start(owner, `id=${id}`);
  const [message] = await receiver.next('/told');
  expect(new Webhook(first).verify(message!.body, message!.headers)).toMatchObject({ type: 'flow_run.succeeded' });
  const row = section.getByRole('table', { name: 'messages' }).getByRole('row', { name: /succeeded/ });
  await row.getByText('delivered').waitFor();
  await row.getByText('attempt 1 of 8').waitFor();
  await row.getByText('HTTP 204').waitFor();

  const second = await makeSecret(opened);
  expect(second).not.toBe(first);
  await row.getByRole('button', { name: /^Post once more/ }).click();
  const again = (await receiver.next('/told', 2))[1]!;
  for (const secret of [first, second]) new Webhook(secret).verify(again.body, again.headers);
  expect(again.headers['webhook-id']).toBe(message!.headers['webhook-id']);
  await row.getByText('attempt 2 of 9').waitFor();
  await opened.checkAccessibility();
});

test('a refused message shows the answer and the time of the next attempt, on a narrow screen in dark mode', async () => {
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const { owner, id } = await openDeployment(opened);
  receiver.answer('/refused', withStatus(503, { 'retry-after': '3600' }, HOSTILE));
  await setAddress(opened, `${receiver.url}/refused`);
  await start(owner, `id=${id}`);
  const row = page.getByRole('table', { name: 'messages' }).getByRole('row', { name: /succeeded/ });
  await row.getByText('HTTP 503').waitFor();
  await row.getByText('but a status from 200 to 299 is needed').waitFor();
  await row.getByText(/^in (59|60) minutes$|^in 1 hour$/).waitFor();
  await row.getByText('pending').waitFor();
  await row.getByText('Answer', { exact: true }).click();
  await row.getByText(HOSTILE).waitFor();
  await opened.checkAccessibility();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await page.title()).not.toBe('owned');

  // A message that was given up is posted again, to the present address in the settings.
  receiver.answer('/gone', withStatus(410));
  await setAddress(opened, `${receiver.url}/gone`);
  await row.getByRole('button', { name: /^Post once more/ }).click();
  await receiver.next('/gone');
  await row.getByText('failed', { exact: true }).waitFor();
  await row.getByText('none').waitFor();
  await page.reload();
  await page.getByRole('region', { name: 'Messages about runs' }).getByText('No messages are sent').waitFor();
});

test('the owner reads who started a run, at its message and on its page, and the starter reads only their own', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { owner, id } = await openDeployment(opened);
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
  await setAddress(opened, `${receiver.url}/who`);
  const starter = await signUp();
  const email = `${crypto.randomUUID()}@example.com`;
  await asSuperuser(async (sql) => {
    await sql`update auth.users set email = ${email}, email_confirmed_at = now() where id = ${starter.id}`;
  });
  const { flow_run_id } = await start(starter, `id=${id}`);
  const rows = page.getByRole('table', { name: 'messages' }).getByRole('row');
  await rows.filter({ hasText: `by ${email}` }).getByRole('link').click();
  await page.waitForURL(new RegExp(`/runs/${flow_run_id}$`));
  await page.getByRole('region', { name: 'Facts' }).getByText(`by ${email}`).waitFor();
  await opened.checkAccessibility();

  const read = await starter.client.from('flow_run').select('id, started_by_email').throwOnError();
  expect(read.data).toEqual([{ id: flow_run_id, started_by_email: null }]);
});
