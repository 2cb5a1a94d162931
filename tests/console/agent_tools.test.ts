import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { createFlowClient } from '../../client/index.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { type Person, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

type Opened = Awaited<ReturnType<typeof openConsole>>;

/** Opens a flow, and adds an agent with one empty tool. */
async function addAgent(opened: Opened, flow: number) {
  const { page } = opened;
  await opened.goto(`flows/${flow}`);
  await page.getByRole('region', { name: 'Canvas' }).waitFor();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Find a node' });
  await search.fill('AI Agent');
  await page.getByRole('option', { name: 'AI Agent', exact: true }).waitFor();
  await search.press('Enter');

  await page.getByRole('button', { name: 'Add a tool' }).click();
  return page.getByRole('group', { name: 'Tool 1' });
}

/** Saves the flow, and returns the tools of its agent. */
async function savedTools({ page }: Opened, owner: Person, flow: number): Promise<object[]> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { data } = await owner.client.from('flows').select('nodes').eq('id', flow).single().throwOnError();
  const [node] = data.nodes as { data: { targets_form: { form_data: { tools: object[] } } } }[];
  return node!.data.targets_form.form_data.tools;
}

test('the panel of an agent chooses a flow by its name as a tool that needs the approval of a person', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const called = await storeFlow(owner, new FlowBuilder(), { name: 'Pay an order back' });
  const flow = await storeFlow(owner, new FlowBuilder(), { name: 'Letters' });
  const tool = await addAgent(opened, flow);
  await tool.getByText('Choose a flow').waitFor();
  await tool.locator('input').and(page.getByLabel('Flow')).fill('order');
  await page.getByRole('option', { name: `Pay an order back (${called})` }).click();
  const name = tool.getByRole('textbox', { name: 'Name for the model' });
  expect(await name.inputValue()).toBe('pay_an_order_back');
  await name.fill('pay back');
  await tool.getByText('At most 64 letters, digits, _ and -').waitFor();
  await name.fill('pay_back');
  await tool.getByRole('textbox', { name: 'Description for the model' }).fill('Pays an order back.');
  expect(await tool.getByRole('combobox', { name: 'Who may approve' }).count()).toBe(0);
  await tool.getByRole('switch', { name: 'Needs approval' }).click();
  const who = tool.getByRole('combobox', { name: 'Who may approve' });
  expect(await who.inputValue()).toBe('owner');
  await who.selectOption('Whoever started the run');
  await opened.checkAccessibilityInBoth();
  await page.getByRole('button', { name: 'Add a tool' }).click();
  await page.getByRole('button', { name: 'Remove tool 2' }).click();

  expect(await savedTools(opened, owner, flow)).toEqual([{
    flow: called,
    name: 'pay_back',
    description: 'Pays an order back.',
    needs_approval: true,
    answered_by: 'starter',
  }]);
});

test('the panel of an agent chooses a described node as a tool, and fixes what the model may not choose', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const ports = [['amount', 'decimal'], ['currency', 'string'], ['express', 'bool']] as const;
  await createFlowClient(owner.client).storeDefinitions([{
    type: 'openapi',
    data: {
      node_id: 'charge_card',
      version: '1',
      display_name: 'Charge a card',
      description: 'Charges a card.',
      effects: 'once',
      implementation: { method: 'POST', path: '/charges', parameters: [], outputs: [], accept: [] },
    },
    sources: [],
    targets: ports.map(([name, type]) => ({ name, type_bounds: [type], required: true, passthrough: false })),
    'targets_form.json_schema': { type: 'object', properties: { connection: { title: 'connection', type: 'string' } } },
    'targets_form.ui_schema': {},
  }]);
  const flow = await storeFlow(owner, new FlowBuilder(), { name: 'Payments' });
  const tool = await addAgent(opened, flow);
  await tool.getByRole('combobox', { name: 'The tool is' }).selectOption({ index: 1 });
  await tool.getByText('Choose a node').waitFor();
  await tool.locator('input').and(page.getByLabel(/^Node/)).fill('charge');
  await page.getByRole('option', { name: 'Charge a card (charge_card 1)' }).click();
  expect(await tool.getByRole('textbox', { name: 'Name for the model' }).inputValue()).toBe('charge_a_card');
  await tool.getByText('It chooses: amount, currency, express').waitFor();
  await tool.getByRole('textbox', { name: 'Currency' }).fill('EUR');
  await tool.getByText('It chooses: amount, express').waitFor();
  await tool.locator('input').and(page.getByLabel('connection')).fill('bank');
  await opened.checkAccessibilityInBoth();
  expect(await savedTools(opened, owner, flow)).toEqual([{
    name: 'charge_a_card',
    node: { type: 'openapi', node_id: 'charge_card', version: '1', form_data: { currency: 'EUR', connection: 'bank' } },
  }]);
  await page.reload();
  await page.locator('.react-flow__node').filter({ hasText: 'AI Agent' }).click();
  const label = 'Charge a card (charge_card 1)';
  const select = tool.locator('input').and(page.getByLabel(/^Node/));
  await waitFor(async () => await select.inputValue() === label || undefined);
  await select.click();
  await page.getByRole('option', { name: label }).waitFor();
  await page.keyboard.press('Escape');
  expect(await tool.getByRole('textbox', { name: 'Currency' }).inputValue()).toBe('EUR');
  await tool.getByRole('textbox', { name: 'Currency' }).fill('');
  await tool.getByText('It chooses: amount, currency, express').waitFor();
  await tool.getByRole('combobox', { name: 'The tool is' }).selectOption({ index: 0 });
  await tool.getByText('Choose a flow').waitFor();
});
