import { expect, inject, test } from 'vitest';
import branch from '../../runner/nodes/branch/definition.json' with { type: 'json' };
import input from '../../runner/nodes/flow_input/definition.json' with { type: 'json' };
import { completeDefinition } from '../../dev/nodes/complete_definition.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

/** A flow with an input, a branch and a node with an input of each type. */
function fieldsFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.input('when', undefined, { type: 'date' });
  flow.use('branch', { value: flow.input('value') }, { title: 'Decide' });
  const types = { list: 'array', map: 'object', any: 'free', count: 'u8', is_on: 'bool' };
  const script = flow.node('rhai_script_1x1', {
    inputs: ['source', ...Object.keys(types)],
    outputs: ['u'],
    form: { source: '1' },
    title: 'Types',
  });
  for (const [name, type] of Object.entries(types)) {
    flow.declare(script, name, { type_bounds: [type], required: false });
  }
  const forms: Record<string, Record<string, unknown>> = {
    branch: completeDefinition(branch),
    flow_input: completeDefinition(input),
  };
  for (const { data } of flow.nodes) {
    const { 'targets_form.json_schema': json_schema, 'targets_form.ui_schema': ui_schema } = forms[data.node_id] ?? {};
    Object.assign(data.targets_form, { json_schema, ui_schema });
  }
  return flow;
}

test('each input of a node has a field for its type, with its name in words', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const id = await storeFlow(owner, fieldsFlow());
  const formOf = async (nodeId: string) => {
    const { data } = await owner.client.from('flows').select('nodes').eq('id', id).single().throwOnError();
    const { nodes } = data as unknown as { nodes: FlowBuilder['nodes'] };
    return nodes.find(({ data }) => data.node_id === nodeId)?.data.targets_form.form_data;
  };
  await opened.goto(`flows/${id}`);
  const canvas = page.getByRole('region', { name: 'Canvas' });
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  const open = (name: string) => canvas.getByRole('group', { name, exact: true }).first().click();
  const kindOf = (label: string) => panel.getByRole('combobox', { name: `Kind of ${label}`, exact: true });

  await open('Types');
  await panel.getByText('is_on', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Add to List', exact: true }).click();
  await panel.getByRole('textbox', { name: 'Value of List 1' }).fill('007');
  await panel.getByRole('button', { name: 'Add to List', exact: true }).click();
  await kindOf('List 2').selectOption('Number');
  await panel.getByRole('textbox', { name: 'Value of List 2' }).fill('x');
  await panel.getByText('This is not a number.').waitFor();
  await panel.getByRole('textbox', { name: 'Value of List 2' }).fill('2.5');
  await panel.getByRole('button', { name: 'Add to Map', exact: true }).click();
  await panel.getByRole('textbox', { name: 'Name of Map 1' }).fill('on');
  await kindOf('Map 1').selectOption('Yes or no');
  await panel.getByRole('combobox', { name: 'Value of Map 1' }).selectOption('No');
  await panel.getByRole('textbox', { name: 'Any', exact: true }).fill('[1]');
  await panel.getByRole('textbox', { name: 'Count' }).fill('300');
  await panel.getByRole('switch', { name: 'Is on' }).click({ force: true });
  await opened.checkAccessibilityInBoth();
  await page.screenshot({ path: '.stack/screenshots/fields.png' });
  await page.keyboard.press('Control+s');
  await expect.poll(() => formOf('rhai_script_1x1')).toEqual({
    source: '1',
    list: ['007', 2.5],
    map: { on: false },
    any: '[1]',
    count: 300,
    is_on: true,
  });

  await open('Decide');
  await panel.getByText('compare_to', { exact: true }).waitFor();
  await panel.getByRole('combobox', { name: 'Operator', exact: true }).click();
  await page.getByRole('option', { name: 'is greater than' }).click();
  await kindOf('Compare with').selectOption('Number');
  await panel.getByRole('textbox', { name: 'Compare with', exact: true }).fill('100');
  await page.screenshot({ path: '.stack/screenshots/fields_branch.png' });
  await page.keyboard.press('Control+s');
  await expect.poll(() => formOf('branch')).toEqual({ operator: 'gt', compare_to: 100 });

  await open('when: when');
  await expect.poll(() => panel.getByRole('combobox', { name: 'Type', exact: true }).inputValue()).toBe('Date');
  await panel.getByLabel('Default', { exact: true }).first().fill('2026-12-01');
  await page.setViewportSize({ width: 360, height: 800 });
  await opened.checkAccessibility();
  await page.screenshot({ path: '.stack/screenshots/fields_input.png', fullPage: true });
  await page.keyboard.press('Control+s');
  await expect.poll(() => formOf('flow_input')).toEqual({ label: 'when', type: 'date', form_label: '2026-12-01' });
});

test('a number that JavaScript would round stays as it is when another field is changed', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const big = '18446744073709551615';
  const edited = '18446744073709551613';
  const flow = new FlowBuilder();
  const types = { any: 'free', count: 'u64', is_on: 'bool' };
  const script = flow.node('rhai_script_1x1', {
    inputs: ['source', ...Object.keys(types)],
    outputs: ['u'],
    form: { source: '1', any: { of: [big] }, count: big },
    title: 'Types',
  });
  for (const [name, type] of Object.entries(types)) {
    flow.declare(script, name, { type_bounds: [type], required: false });
  }
  const id = await storeFlow(owner, flow);
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  const stored = await fetch(`${API_URL}/rest/v1/flows?id=eq.${id}`, {
    method: 'PATCH',
    headers: { apikey: PUBLISHABLE_KEY, authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    // supabase-js would round the numbers.
    body: JSON.stringify({ nodes: flow.nodes }).replaceAll(`"${big}"`, big),
  });
  expect(stored.status).toBe(204);
  const storedText = async () => {
    const { data } = await owner.client.from('flows').select('nodes::text').eq('id', id).single().throwOnError();
    // SAFETY: the column is cast to text.
    return (data as unknown as { nodes: string }).nodes;
  };
  await opened.goto(`flows/${id}`);
  await page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name: 'Types' }).first().click();
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  const count = panel.getByRole('textbox', { name: 'Count' });
  await expect.poll(() => count.inputValue()).toBe(big);
  await panel.getByRole('switch', { name: 'Is on' }).click({ force: true });
  await panel.getByRole('textbox', { name: 'Value of Any 1' }).fill(`[${big}, 2]`);
  await panel.getByRole('button', { name: 'Add to Any', exact: true }).click();
  await panel.getByRole('textbox', { name: 'Name of Any 2' }).fill('row');
  await panel.getByRole('combobox', { name: 'Kind of Any 2' }).selectOption('Number');
  await panel.getByRole('textbox', { name: 'Value of Any 2' }).fill(big);
  await expect.poll(() => count.inputValue()).toBe(big);
  expect(await panel.getByText('rawJSON').count()).toBe(0);
  await count.press('End');
  await count.press('Backspace');
  await count.press('3');
  await page.keyboard.press('Tab');
  await expect.poll(() => count.inputValue()).toBe(edited);
  await page.keyboard.press('Control+s');
  await expect.poll(storedText).toContain('"is_on": true');
  expect(await storedText()).toContain(`"count": ${edited}`);
  expect(await storedText()).toContain(`{"of": [${big}, 2], "row": ${big}}`);
});
