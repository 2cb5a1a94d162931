import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsolePage, enterConsole, openConsole } from '../support/browser.ts';
import { startWebhookReceiver, type WebhookReceiver, withStatus } from '../support/webhook_receiver.ts';

/** The most actions that draw the flow, with mouse and keyboard. */
const MOST_ACTIONS = 25;
/** The most actions by keyboard only, from the list of flows to the start by somebody else. */
const MOST_PRESSES = 59;
/** The whole task takes longer than other tests on a busy machine. */
const LONG = { timeout: 300_000 };

let server: WebhookReceiver;
beforeAll(async () => {
  server = await startWebhookReceiver();
  server.answer('/mail', withStatus(200, { 'content-type': 'application/json' }, '{"sent":true}'));
  server.answer('/wrong', withStatus(404));
});
afterAll(() => server.close());

const hasFocus = (element: Locator): Promise<boolean> => element.evaluate((one) => one === document.activeElement);
const canvasOf = (page: Page) => page.getByRole('region', { name: 'Canvas' });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const lastRunOf = (page: Page) => page.getByRole('region', { name: 'Last run' });

/**
 * Counts what a person does. A key is one action, also with Ctrl or Shift. A click is one, and a typed text is one,
 * because the texts are the same in every editor. To wait, and to look at the page, is no action.
 */
class Person {
  readonly page: Page;
  count = 0;
  /** The actions of each step, for a failure's message. */
  steps: Record<string, number> = {};

  constructor({ page }: ConsolePage) {
    this.page = page;
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.count += 1;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.count += 1;
    await this.page.keyboard.type(text);
  }

  async click(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  /** Moves the focus by one key until an element has it. */
  async moveTo(target: Locator, key = 'Tab'): Promise<void> {
    await target.waitFor();
    for (let moves = 0; moves < 60; moves++) {
      if (await hasFocus(target)) return;
      await this.press(key);
    }
    throw new Error(`${key} does not reach ${String(target)}`);
  }

  /** Types into the field that gets the focus by itself. */
  async typeInto(field: Locator, text: string): Promise<void> {
    await expect.poll(() => hasFocus(field)).toBe(true);
    await this.type(text);
  }

  async choose(option: string): Promise<void> {
    await this.type(option);
    const marked = this.page.getByRole('option', { name: option, exact: true });
    await expect.poll(() => marked.getAttribute('data-combobox-selected')).not.toBeNull();
    await this.press('Enter');
    await marked.waitFor({ state: 'detached' });
  }

  async step(name: string, act: () => Promise<void>): Promise<void> {
    const before = this.count;
    await act();
    this.steps[name] = this.count - before;
  }
}

/**
 * Enters what the field refuses, and leaves it marked for the next text. It is no part of the task, so nothing counts.
 */
async function enterWrong(page: Page, field: Locator): Promise<void> {
  await expect.poll(() => hasFocus(field)).toBe(true);
  await page.keyboard.type('ada');
  await page.keyboard.press('Enter');
  await page.getByText('must be an e-mail address').waitFor();
  expect(await hasFocus(field)).toBe(true);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Control+a');
}

/** Finds a node in the list of nodes and adds it. The new node then has the focus. */
async function add(person: Person, name: string, key = 'Enter'): Promise<void> {
  const { page } = person;
  await person.typeInto(page.getByRole('searchbox', { name: 'Find a node' }), name);
  await page.getByRole('option', { name, exact: true }).waitFor();
  await person.press(key);
  await panelOf(page).getByRole('heading', { level: 2, name, exact: true }).waitFor();
}

test('the flow of an approved request is drawn in few actions', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('flows');
  await page.getByRole('button', { name: 'New flow' }).first().click();
  await canvasOf(page).waitFor();
  const person = new Person(opened);
  await person.press('/');
  for (const name of ['Flow Input', 'API Input', 'Branch', 'HTTP Request', 'Flow Output']) {
    await add(person, name, name === 'Flow Output' ? 'Enter' : 'Shift+Enter');
  }
  const field = (name: string) => panelOf(page).getByRole('textbox', { name, exact: true });
  // The name of an input stands behind the name of its node.
  const node = (name: string) => canvasOf(page).getByRole('group', { name: new RegExp(`^${name}`) }).first();
  const set = async (name: string, text: string) => {
    await person.click(field(name));
    await person.type(text);
  };
  const pick = async (name: string, option: string) => {
    await person.click(panelOf(page).getByRole('combobox', { name, exact: true }));
    await person.choose(option);
  };
  await person.click(page.getByRole('button', { name: 'Fit View' }));
  await person.click(node('HTTP Request'));
  await set('URL', `${server.url}/mail`);
  await person.click(node('Branch'));
  await pick('Operator', 'equals');
  await set('Compare with', 'yes');
  await person.click(node('Flow Input'));
  await set('Name of the input', 'email');
  expect(person.count).toBeLessThanOrEqual(MOST_ACTIONS);
});

test('a flow is drawn, run, approved, mended, deployed and started by keyboard only', LONG, async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  await opened.goto('flows');
  const person = new Person(opened);
  const field = (name: string) =>
    panelOf(page).getByRole('textbox', { name, exact: true })
      .or(panelOf(page).getByRole('combobox', { name, exact: true }));
  const focusedNode = () => page.evaluate(() => document.activeElement?.classList.contains('react-flow__node'));
  /** Adds a node, and goes to its first field. */
  const addAndOpen = async (name: string, first: string) => {
    await add(person, name);
    await expect.poll(focusedNode).toBe(true);
    await person.press('Enter');
    await expect.poll(() => hasFocus(field(first))).toBe(true);
  };
  const next = () => person.press('Control+k');

  await person.step('new flow', async () => {
    await person.press('Tab', 'Enter');
    await person.moveTo(page.getByRole('button', { name: 'New flow' }).first());
    await person.press('Enter');
    await canvasOf(page).waitFor();
  });
  await person.step('input', async () => {
    await person.press('/');
    await addAndOpen('Flow Input', 'Name of the input');
    await person.type('email');
    await person.press('Tab');
    await person.choose('E-mail address');
  });
  await person.step('approval', async () => {
    await next();
    await addAndOpen('API Input', 'Title');
    await person.type('May we write?');
  });
  await person.step('branch', async () => {
    await next();
    await addAndOpen('Branch', 'Operator');
    await person.choose('equals');
    await person.moveTo(field('Compare with'));
    await person.type('yes');
  });
  await person.step('request', async () => {
    await next();
    await addAndOpen('HTTP Request', 'URL');
    await person.type(`${server.url}/wrong`);
    await person.press('Tab');
    await person.choose('POST');
  });
  await person.step('output', async () => {
    await next();
    await addAndOpen('Flow Output', 'Label');
    await person.type('answer');
  });
  const form = page.getByRole('dialog', { name: 'Run' });
  await person.step('run', async () => {
    await person.press('Control+Enter');
    await enterWrong(page, form.getByRole('textbox', { name: 'email' }));
    await person.typeInto(form.getByRole('textbox', { name: 'email' }), 'ada@example.com');
    await person.press('Enter');
  });
  await person.step('approve', async () => {
    const answer = lastRunOf(page).getByRole('textbox', { name: 'value', exact: true });
    await answer.waitFor();
    await person.press('F6');
    await person.typeInto(answer, 'yes');
    await person.press('Control+Enter');
    await lastRunOf(page).getByText('failed', { exact: true }).first().waitFor();
  });
  await person.step('mend', async () => {
    await lastRunOf(page).getByRole('button', { name: 'HTTP Request' }).waitFor();
    await person.press('F6', 'Enter');
    await expect.poll(() => hasFocus(field('URL'))).toBe(true);
    await person.press('Control+a');
    await person.type(`${server.url}/mail`);
    await person.press('Control+Shift+Enter');
    await lastRunOf(page).getByText('succeeded', { exact: true }).first().waitFor();
  });
  const startPage = page.getByRole('link', { name: /\/start\/f\/\d+\/latest$/ });
  await person.step('deploy to signed-in users', async () => {
    await person.press('Control+Shift+D');
    const who = page.getByRole('combobox', { name: 'Who may start it' });
    await who.waitFor();
    await page.getByText('Deployed', { exact: true }).waitFor();
    await person.press('F6');
    expect(await hasFocus(who)).toBe(true);
    await person.press('ArrowDown');
    await expect.poll(async () => {
      const { data } = await owner.client.from('flow_deployments').select('start_permission').throwOnError();
      return data;
    }).toEqual([{ start_permission: 'Authenticated' }]);
  });
  const other = await openConsole();
  const starter = await enterConsole(other);
  const visitor = new Person(other);
  await person.step('start as somebody else', async () => {
    await other.goto(await startPage.innerText());
    // Opening the address is one action.
    visitor.count += 1;
    const email = other.page.getByRole('textbox', { name: 'email', exact: true });
    await other.page.getByText(`You start as ${starter.email}`).waitFor();
    await visitor.moveTo(email);
    await visitor.type('bob@example.com');
    await visitor.press('Enter');
    // The owner has to approve the request of the other person.
    await other.page.getByText('It waits for an answer').waitFor();
    person.count += visitor.count;
  });
  const { data: runs } = await owner.client.from('flow_run').select('status, started_by')
    .not('deployment_id', 'is', null).throwOnError();
  expect(runs).toEqual([{ status: 'waiting', started_by: starter.id }]);
  expect(person.count, JSON.stringify(person.steps)).toBeLessThanOrEqual(MOST_PRESSES);
});
