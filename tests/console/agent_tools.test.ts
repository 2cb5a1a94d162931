import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

test('the panel of an agent chooses a flow by its name as a tool that needs the approval of a person', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const called = await storeFlow(owner, new FlowBuilder(), { name: 'Pay an order back' });
  const flow = await storeFlow(owner, new FlowBuilder(), { name: 'Letters' });
  await opened.goto(`flows/${flow}`);
  await page.getByRole('region', { name: 'Canvas' }).waitFor();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Find a node' });
  await search.fill('AI Agent');
  await page.getByRole('option', { name: 'AI Agent', exact: true }).waitFor();
  await search.press('Enter');

  await page.getByRole('button', { name: 'Add a tool' }).click();
  const tool = page.getByRole('group', { name: 'Tool 1' });
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

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { data } = await owner.client.from('flows').select('nodes').eq('id', flow).single().throwOnError();
  const [node] = data.nodes as { data: { targets_form: { form_data: { tools: object[] } } } }[];
  expect(node!.data.targets_form.form_data.tools).toEqual([{
    flow: called,
    name: 'pay_back',
    description: 'Pays an order back.',
    needs_approval: true,
    answered_by: 'starter',
  }]);
});
