import { expect, test } from 'vitest';
import { type ConsolePage, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, type Person, storeFlow } from '../support/people.ts';
import { asSuperuser } from '../support/tokens.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

/** A flow that counts to a required number, and passes a note on. */
function countingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('numbers', flow.collect(flow.foreach(flow.range(flow.input('n')))));
  flow.output('note', flow.input('note', 'nothing'));
  return flow;
}

const save = ({ page }: ConsolePage) => page.getByRole('button', { name: 'Save' }).click();

/** Opens the form of a new schedule, and chooses the only flow. */
async function openNew(opened: ConsolePage): Promise<void> {
  await opened.goto('schedules/new');
  await opened.page.getByRole('combobox', { name: 'Flow' }).click();
  await opened.page.getByRole('option').click();
}

/** Opens the only schedule of the list. */
async function openOnly({ page }: ConsolePage): Promise<void> {
  await page.getByRole('table', { name: 'schedules' }).getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: 'Schedule', exact: true }).waitFor();
}

/**
 * Writes a text into each editor of these names, faster than the page is drawn. This simulates a person who types on a
 * busy machine.
 */
async function replaceAtOnce({ page }: ConsolePage, texts: { [name: string]: string }): Promise<void> {
  await page.evaluate(async (entries) => {
    for (const [name, text] of entries) {
      document.querySelector<HTMLElement>(`[aria-label="${name}"]`)!.focus();
      document.execCommand('selectAll');
      document.execCommand('insertText', false, text);
      // After a microtask, the editor has received the text, but the page is not drawn yet.
      await Promise.resolve();
    }
  }, Object.entries(texts));
}

/** Makes the only schedule of a person due now. */
const makeDue = ({ id }: Person) =>
  asSuperuser((sql) => sql`update public.flow_schedules set next_start_at = now() where user_id = ${id}`);

const storedOf = async ({ client }: Person) =>
  (await client.from('flow_schedules').select('*, exact:values::text').single().throwOnError()).data;

test('a schedule is made, refused for a wrong cron text, paused and deleted', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const db = owner.client;
  const flow = await storeFlow(owner, new FlowBuilder(), { name: HOSTILE });
  await opened.goto('schedules');
  await page.getByRole('link', { name: 'New schedule' }).click();
  await page.getByRole('combobox', { name: 'Flow' }).click();
  await page.getByRole('option').click();
  await page.getByText('There is no such deployment yet').waitFor();
  await page.getByRole('textbox', { name: /^When/ }).fill('61 * * * *');
  await page.getByText('cron.minute: has "61"').waitFor();
  await save(opened);
  await page.getByRole('alert').getByText('column_invalid').waitFor();
  await opened.checkAccessibility();
  await page.getByRole('textbox', { name: /^When/ }).fill('30 2 * * *');
  await save(opened);
  await page.getByRole('alert').getByText('deployment_not_found').waitFor();
  await deploy(owner, flow);
  await save(opened);
  await page.getByRole('link', { name: `${HOSTILE}, latest` }).waitFor();
  await opened.checkAccessibility();

  await page.getByRole('switch', { name: /is active/ }).click({ force: true });
  await page.getByRole('cell', { name: 'none' }).waitFor();
  const { data } = await db.from('flow_schedules').select('cron, is_active, next_start_at').single().throwOnError();
  expect(data).toEqual({ cron: '30 2 * * *', is_active: false, next_start_at: null });
  await page.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('You have no schedules yet').waitFor();
});

test("inputs are a form of the deployment's inputs, and the started run gets them", async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  await deploy(owner, await storeFlow(owner, countingFlow(), { name: 'Count' }));
  await openNew(opened);
  const inputs = page.getByRole('group', { name: 'Inputs', exact: true });
  await inputs.getByRole('textbox', { name: 'n', exact: true }).fill('many');
  await save(opened);
  await page.getByRole('alert').getByText('The values do not match the inputs').waitFor();
  await inputs.getByRole('textbox', { name: 'n', exact: true }).fill('2');
  await inputs.getByRole('textbox', { name: 'note', exact: true }).fill(HOSTILE);
  await page.getByRole('combobox', { name: 'Time zone' }).click();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Tok');
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await page.getByRole('list', { name: 'The next starts would be:' }).getByText('02:00 GMT+9').first().waitFor();
  await opened.checkAccessibility();
  await save(opened);
  await page.getByRole('cell', { name: 'never' }).waitFor();
  expect(await storedOf(owner)).toMatchObject({
    values: { n: '2', note: HOSTILE },
    inputs: {},
    tag: 'latest',
    time_zone: 'Asia/Tokyo',
  });

  await makeDue(owner);
  await page.getByRole('table', { name: 'schedules' }).getByRole('link').nth(1).click();
  await page.getByRole('heading', { level: 1, name: 'Count' }).waitFor();
  const run = await finishedRun(owner, page.url().split('/').at(-1)!);
  expect(run).toMatchObject({ status: 'succeeded' });

  // Deploy the flow with other inputs. The page warns the owner, who can remove the unknown inputs.
  const changed = new FlowBuilder();
  changed.output('note', changed.input('note', 'nothing'));
  const { data: flow } = await owner.client.from('flows').select('id').eq('user_id', owner.id).single().throwOnError();
  await owner.client.from('flows').update({ ...changed.row() as object }).eq('id', flow.id).throwOnError();
  await owner.client.rpc('start_flow', { flow_id: flow.id }).throwOnError();
  await deploy(owner, flow.id);
  await makeDue(owner);
  await opened.goto('schedules');
  await page.getByText('values.n: the flow has no such input').waitFor();
  await openOnly(opened);
  await page.getByText('The last planned time started no run').waitFor();
  await page.getByText(/Last start: .*(second|minute)/).waitFor();
  await page.getByRole('link', { name: 'All runs' }).click();
  await page.getByText('Only runs that one schedule started.').waitFor();
  const runs = page.getByRole('table', { name: 'runs' }).getByRole('row');
  await expect.poll(() => runs.count()).toBe(2);
  await opened.checkAccessibility();
  await page.getByRole('button', { name: 'Show all runs' }).click();
  await expect.poll(() => runs.count()).toBe(3);
  await opened.goto('schedules');
  await openOnly(opened);
  await page.getByText('The deployment does not have all these inputs').waitFor();
  await opened.checkAccessibility();
  await page.getByRole('button', { name: 'Leave them out' }).click();
  await save(opened);
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  expect(await storedOf(owner)).toMatchObject({ values: { note: HOSTILE } });
});

test('inputs can be given as JSON, too, without loss', async () => {
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  const flow = await storeFlow(owner, countingFlow(), { name: 'Count' });
  await deploy(owner, flow);
  await openNew(opened);
  await page.getByText('JSON', { exact: true }).click();
  const values = page.getByRole('textbox', { name: 'Values' });
  await values.fill('[1]');
  await save(opened);
  await page.getByRole('alert').getByText('The values must be a JSON object').waitFor();
  await replaceAtOnce(opened, {
    Values: '{"n": 18446744073709551615}',
    'Tagged inputs': '{"note": {"D": "1.50"}}',
  });
  await opened.checkAccessibility();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await save(opened);
  await page.getByRole('cell', { name: 'never' }).waitFor();
  expect(await storedOf(owner)).toMatchObject({
    exact: '{"n": 18446744073709551615}',
    inputs: { note: { D: '1.50' } },
  });

  // The form shows the same inputs, and saves them unchanged.
  await openOnly(opened);
  const n = page.getByRole('textbox', { name: 'n', exact: true });
  await n.waitFor();
  expect(await n.inputValue()).toBe('18446744073709551615');
  await page.getByText('Given as tagged values, see JSON: note').waitFor();
  await n.fill('18446744073709551614');
  await opened.checkAccessibility();
  await save(opened);
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  expect(await storedOf(owner)).toMatchObject({
    values: { n: '18446744073709551614' },
    inputs: { note: { D: '1.50' } },
  });
});
