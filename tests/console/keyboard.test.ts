import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { deploy, finishedRun, start, storeFlow } from '../support/people.ts';
import { startWebhookReceiver } from '../support/webhook_receiver.ts';

/** More focus stops than any page in these tests has. */
const MAX_STOPS = 60;

/** Tests whether the focused element, or its label, is visible. */
const isFocusShown = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    const shown = focused instanceof HTMLInputElement ? focused.labels?.[0] ?? focused : focused;
    const { width = 0, height = 0 } = shown?.getBoundingClientRect() ?? {};
    return width > 0 && height > 0;
  });

/**
 * Moves the focus to the element of this role and name by the Tab key only. Fails if Tab does not reach this element,
 * or reaches an invisible element first.
 */
async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true });
  await wanted.first().waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (await wanted.first().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
    expect(await isFocusShown(page)).toBe(true);
  }
  throw new Error(`The Tab key does not reach the ${role} ${name}.`);
}

/**
 * Chooses an option of the open list by the arrow keys only. The list marks its chosen option a moment after it has
 * opened, so the first key may mark that option again.
 */
async function chooseByArrows(page: Page, name: string): Promise<void> {
  const option = page.getByRole('option', { name });
  await option.waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('ArrowDown');
    if (await option.getAttribute('data-combobox-selected') !== null) return await page.keyboard.press('Enter');
  }
  throw new Error(`The arrow keys do not reach the option ${name}.`);
}

/** Opens a dialog by a button, and waits until the dialog has the focus, which it gets a moment after it has opened. */
async function openDialog(page: Page, button: string): Promise<void> {
  await tabTo(page, 'button', button);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]'));
}

/** Types the name of an option, and chooses the option as soon as the list shows it. */
async function chooseByName(page: Page, name: string): Promise<void> {
  await page.keyboard.type(name);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

const scrollsSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test('a schedule is made by keyboard only, on a narrow screen', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  const graph = new FlowBuilder();
  graph.output('note', graph.input('note'));
  await deploy(owner, await storeFlow(owner, graph, { name: 'Notes' }));
  await opened.goto('schedules');
  await tabTo(page, 'link', 'Skip to the content');
  await page.keyboard.press('Enter');
  await tabTo(page, 'link', 'New schedule');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New schedule' }).waitFor();

  await tabTo(page, 'combobox', /^Flow/);
  await chooseByName(page, 'Notes');
  await tabTo(page, 'textbox', /^When/);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('15 7 * * MON');
  await tabTo(page, 'combobox', 'Time zone');
  await page.keyboard.press('ControlOrMeta+A');
  await chooseByName(page, 'Europe/Ber');
  await page.getByText(/Mon, .* 07:15/).first().waitFor();
  await tabTo(page, 'textbox', /^note/);
  await page.keyboard.type('by hand');
  await tabTo(page, 'button', 'Save');
  expect(await scrollsSideways(page)).toBe(false);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Notes, latest' }).waitFor();
  const { data } = await owner.client.from('flow_schedules').select('cron, time_zone, values').single().throwOnError();
  expect(data).toEqual({ cron: '15 7 * * MON', time_zone: 'Europe/Berlin', values: { note: 'by hand' } });
});

test('a webhook is made and verified by keyboard only, and the focus returns to the button', async () => {
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  const graph = new FlowBuilder();
  graph.output('body', graph.input('body'));
  await deploy(owner, await storeFlow(owner, graph, { name: 'Pushes' }));
  await opened.goto('settings');
  await openDialog(page, 'New webhook');
  await tabTo(page, 'combobox', /^Flow/);
  await chooseByName(page, 'Pushes');
  await tabTo(page, 'combobox', /^Input/);
  await page.keyboard.type('body');
  await tabTo(page, 'button', 'Make');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'URL');
  await tabTo(page, 'button', 'Done');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  // The dialog returns the focus a moment after it is hidden.
  const button = await page.getByRole('button', { name: 'New webhook' }).elementHandle();
  await page.waitForFunction((made) => made === document.activeElement, button);

  const { data: row } = await owner.client.from('flow_webhooks').select('prefix').single().throwOnError();
  await openDialog(page, `Verification of ${row.prefix}…`);
  await tabTo(page, 'combobox', 'Verified by');
  await page.keyboard.press('Enter');
  await chooseByArrows(page, 'GitHub');
  await tabTo(page, 'textbox', 'Secret');
  await page.keyboard.type('a long secret');
  expect(await scrollsSideways(page)).toBe(false);
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'GitHub' }).waitFor();
});

test('a message is posted again, and a secret made, by keyboard only', async () => {
  const receiver = await startWebhookReceiver();
  try {
    const opened = await openConsole({ viewport: { width: 360, height: 800 } });
    const { page } = opened;
    const owner = await enterConsole(opened);
    const id = await deploy(owner, await storeFlow(owner, textFlow(), { name: 'Texts' }));
    await opened.goto(`deployments/${id}`);
    await tabTo(page, 'tab', 'Overview');
    for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowRight');
    await tabTo(page, 'textbox', 'Webhook address');
    await page.keyboard.type(`${receiver.url}/runs`);
    await tabTo(page, 'checkbox', 'succeeded');
    await page.keyboard.press('Space');
    await tabTo(page, 'button', 'Save');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    await finishedRun(owner, (await start(owner, `id=${id}`)).flow_run_id);
    await receiver.next('/runs');
    await tabTo(page, 'button', 'New secret');
    await page.keyboard.press('Enter');
    await tabTo(page, 'button', 'Make');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Secret' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('delivered', { exact: true }).waitFor();
    await tabTo(page, 'button', /^Post once more/);
    await page.keyboard.press('Enter');
    await receiver.next('/runs', 2);
    expect(await scrollsSideways(page)).toBe(false);
  } finally {
    await receiver.close();
  }
});
