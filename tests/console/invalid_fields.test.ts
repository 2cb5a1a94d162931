import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type ConsolePage, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';

/** A flow with an input of each kind of field. Each input becomes an output of the same name. */
function fieldsFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const types: [name: string, type: string, fallback?: string][] = [
    ['list', 'array'],
    ['settings', 'object'],
    ['price.net', 'string'],
    ['is new', 'bool'],
    ['anything', 'free', 'nothing'],
  ];
  for (const [name, type, fallback] of types) {
    const input = flow.input(name, fallback);
    const script = flow.node('rhai_script_1x1', { inputs: ['source', 'a'], outputs: ['u'], form: { source: '1' } });
    flow.declare(script, 'a', { type_bounds: [type] });
    flow.connect(input, script.input('a'));
    flow.output(name, input);
  }
  return flow;
}

const fieldOf = (place: Page | Locator, name: string) => place.getByRole('textbox', { name, exact: true });

/** The button that adds a row to a list or a map. It has the fault of a field without rows. */
const rowsOf = (place: Page | Locator, name: string) => place.getByRole('button', { name: `Add to ${name}` });

const kindOf = (place: Page | Locator, name: string) =>
  place.getByRole('combobox', { name: `Kind of ${name}`, exact: true });

/** Replaces the text of a field by the keyboard. */
async function type(page: Page, field: Locator, text: string): Promise<void> {
  await field.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
}

/** Presses a button by the keyboard. */
async function press(page: Page, button: Locator): Promise<void> {
  await button.focus();
  await page.keyboard.press('Enter');
}

const hasFocus = (field: Locator) => field.evaluate((element) => element === document.activeElement);

/** Waits until a field has the focus and shows this fault. */
async function expectFault(field: Locator, fault: string): Promise<void> {
  await expect.poll(() => hasFocus(field)).toBe(true);
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  const [id] = (await field.getAttribute('aria-describedby') ?? '').split(' ');
  expect(await field.page().locator(`[id="${id}"]`).innerText()).toContain(fault);
}

const runsOf = async ({ client }: Person) => (await client.from('flow_run').select('id, inputs').throwOnError()).data;

/** Adds a row by the keyboard. The focus goes to its first field. */
async function addRow(page: Page, place: Page | Locator, name: string, ...texts: string[]): Promise<void> {
  const count = await place.getByRole('textbox', { name: `Value of ${name} ` }).count();
  await press(page, rowsOf(place, name));
  await place.getByRole('textbox', { name: `Value of ${name} ${count + 1}`, exact: true }).waitFor();
  for (const [index, text] of texts.entries()) {
    if (index > 0) await page.keyboard.press('Tab');
    await page.keyboard.type(text);
  }
}

/** Fills in all required fields, some of them with values that the form refuses, and presses the button after each. */
async function startWithFaults(opened: ConsolePage, owner: Person, place: Page | Locator, button: Locator) {
  const { page } = opened;
  await press(page, button);
  await expectFault(rowsOf(place, 'list'), 'must be given');
  expect(await place.getByText('must be given', { exact: true }).count()).toBe(4);
  expect(await page.getByText('Unsupported field schema').count()).toBe(0);
  await opened.checkAccessibilityInBoth();

  await addRow(page, place, 'list', '1');
  await kindOf(place, 'list 1').selectOption('Number');
  await addRow(page, place, 'list', 'two');
  await addRow(page, place, 'settings', 'mode', 'fast');
  await type(page, fieldOf(place, 'price.net'), '12');
  const choice = place.getByRole('combobox', { name: 'is new' });
  await choice.focus();
  await page.keyboard.type('No');
  // The first match is marked a moment after the list has opened. An earlier Enter would send the form instead.
  const option = page.getByRole('option', { name: 'No', exact: true });
  await expect.poll(() => option.getAttribute('data-combobox-selected')).not.toBeNull();
  await page.keyboard.press('Enter');
  await option.waitFor({ state: 'detached' });
  // A row without a name is not left out.
  await addRow(page, place, 'settings', '', 'nameless');
  await press(page, button);
  await place.getByText('A name is missing.').waitFor();
  await expect.poll(() => hasFocus(place.getByRole('textbox', { name: 'Name of settings 2' }))).toBe(true);
  await press(page, place.getByRole('button', { name: 'Remove settings 2' }));
  // A text that was JSON before is not used.
  await kindOf(place, 'settings').selectOption('JSON');
  await expect.poll(() => fieldOf(place, 'settings').inputValue()).toContain('fast');
  await type(page, fieldOf(place, 'settings'), '{"mode": "slow"');
  await press(page, button);
  await expectFault(fieldOf(place, 'settings'), 'This is not JSON.');
  await type(page, fieldOf(place, 'settings'), '[]');
  await press(page, button);
  await expectFault(fieldOf(place, 'settings'), 'must be a map');
  await opened.checkAccessibilityInBoth();
  expect(await runsOf(owner)).toEqual([]);
  await type(page, fieldOf(place, 'settings'), '{"mode": "slow"}');
  await press(page, button);
}

/** The output of a run with the values of `startWithFaults`. */
const OUTPUT = {
  M: {
    list: { A: [{ U: '1' }, { S: 'two' }] },
    settings: { M: { mode: { S: 'slow' } } },
    'price.net': { S: '12' },
    'is new': { B: false },
    anything: { S: 'nothing' },
  },
};

async function expectOutput(owner: Person): Promise<void> {
  await expect.poll(async () => (await runsOf(owner)).length).toBe(1);
  const [run] = await runsOf(owner);
  expect((await finishedRun(owner, run!.id)).output).toEqual(OUTPUT);
}

test('a start page refuses a start until each field is valid, on a narrow screen in dark mode', async () => {
  const owner = await signUp();
  const id = await deploy(owner, await storeFlow(owner, fieldsFlow(), { start_unverified: true, is_public: true }));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  await opened.goto(`start/${id}`);
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  await startWithFaults(opened, owner, page, page.getByRole('button', { name: 'Start', exact: true }));
  await page.getByRole('region', { name: 'Result' }).getByText('slow').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expectOutput(owner);
});

test("a deployment's page refuses a start until each field is valid", async () => {
  const opened = await openConsole();
  const owner = await enterConsole(opened);
  const id = await deploy(owner, await storeFlow(owner, fieldsFlow()));
  await opened.goto(`deployments/${id}`);
  const { page } = opened;
  await startWithFaults(opened, owner, page, page.getByRole('button', { name: 'Start', exact: true }));
  // If the start was refused, the failure shows the reason.
  const alerts = page.getByRole('alert');
  await expect.poll(async () => page.url().includes('/runs/') || await alerts.count() > 0).toBe(true);
  expect(await alerts.allInnerTexts()).toEqual([]);
  await expectOutput(owner);
});

test("the editor's form of a run refuses a start until each field is valid", async () => {
  const opened = await openConsole();
  const owner = await enterConsole(opened);
  const { page } = opened;
  await opened.goto(`flows/${await storeFlow(owner, fieldsFlow())}`);
  await press(page, page.getByRole('button', { name: 'Run', exact: true }));
  const dialog = page.getByRole('dialog', { name: 'Run' });
  await startWithFaults(opened, owner, dialog, dialog.getByRole('button', { name: 'Run' }));
  await expectOutput(owner);
});

test('Enter chooses the marked option, however late the timer of the opened list is', async () => {
  const opened = await openConsole();
  const owner = await enterConsole(opened);
  const { page } = opened;
  const id = await deploy(owner, await storeFlow(owner, fieldsFlow()));
  // Timers of one delay end in their order, so after such a wait all earlier timers have ended.
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const late = (run: () => void, ms = 0) => setTimeout(run, ms === 0 ? 300 : ms);
    window.setTimeout = late as typeof setTimeout;
  });
  await opened.goto(`deployments/${id}`);
  const choice = page.getByRole('combobox', { name: 'is new' });
  await choice.focus();
  await page.keyboard.type('N');
  const option = page.getByRole('option', { name: 'No', exact: true });
  await expect.poll(() => option.getAttribute('data-combobox-selected')).not.toBeNull();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
  await page.keyboard.press('Enter');
  await expect.poll(() => choice.inputValue()).toBe('No');
  expect(await runsOf(owner)).toEqual([]);
});

test('a run and a deploy are refused while a field of the selected node is not JSON', async () => {
  const opened = await openConsole();
  const owner = await enterConsole(opened);
  const { page } = opened;
  const flow = new FlowBuilder();
  flow.output('text', flow.use('to_string', {}, { form: { stringify: [1] }, title: 'Text' }).output('result'));
  const id = await storeFlow(owner, flow);
  await opened.goto(`flows/${id}`);
  await page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name: 'Text', exact: true }).first().click();
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  const field = fieldOf(panel, 'Value');
  // A stored list has rows, until the person chooses JSON.
  await panel.getByRole('textbox', { name: 'Value of Value 1' }).waitFor();
  await panel.getByRole('combobox', { name: 'Kind of Value', exact: true }).selectOption('JSON');
  await type(page, field, '[1, 2');
  for (const name of ['Run', 'Deploy', 'Run this node']) {
    await press(page, page.getByRole('button', { name, exact: true }).first());
    await expectFault(field, 'This is not JSON.');
    await page.getByText('The marked field of the node can not be read.').waitFor();
  }
  expect(await runsOf(owner)).toEqual([]);
  const { data } = await owner.client.from('flow_deployments').select('id').throwOnError();
  expect(data).toEqual([]);
  await type(page, field, '[1, 2]');
  await press(page, page.getByRole('button', { name: 'Run', exact: true }).first());
  await expect.poll(async () => (await runsOf(owner)).length).toBe(1);
  const [run] = await runsOf(owner);
  expect((await finishedRun(owner, run!.id)).output).toEqual({ M: { text: { S: expect.stringContaining('2') } } });

  // The field shows the value that Undo brings back.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => panel.getByRole('textbox', { name: 'Value of Value 1' }).inputValue()).toBe('1');
  expect(await panel.getByRole('textbox', { name: 'Value of Value 2' }).count()).toBe(0);
});

test('a schedule is not saved while a field is not JSON', async () => {
  const opened = await openConsole();
  const owner = await enterConsole(opened);
  const { page } = opened;
  const flow = new FlowBuilder();
  flow.output('anything', flow.input('anything', 'nothing'));
  await deploy(owner, await storeFlow(owner, flow));
  await opened.goto('schedules/new');
  await page.getByRole('combobox', { name: 'Flow' }).click();
  await page.getByRole('option').click();
  const inputs = page.getByRole('group', { name: 'Inputs', exact: true });
  const field = fieldOf(inputs, 'anything');
  await type(page, field, '[1]');
  await inputs.getByText('This is a text. Choose List if you mean a list.').waitFor();
  await kindOf(inputs, 'anything').selectOption('JSON');
  await type(page, field, '[1');
  await press(page, page.getByRole('button', { name: 'Save' }));
  await expectFault(field, 'This is not JSON.');
  const { data } = await owner.client.from('flow_schedules').select('id').throwOnError();
  expect(data).toEqual([]);
});
