import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { storeFlow } from '../support/people.ts';

test('edges lead round nodes, show expressions, and stay when their output is chosen again', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const flow = new FlowBuilder();
  const first = flow.use('to_string', { stringify: flow.json({ a: 1 }, 'Data') }, { title: 'First' });
  const second = flow.use('to_string', { stringify: first.output('result') }, { title: 'Second' });
  const last = flow.use('text_template', { template: second.output('result') }, { title: 'Last' });
  flow.connect(first.output('result'), last.input('data'));
  Object.assign(flow.edges[1]!, { data: { expression: 'length' } });
  await opened.goto(`flows/${await storeFlow(owner, flow)}`);
  const canvas = page.getByRole('region', { name: 'Canvas' });
  const pathOf = (name: string) => canvas.getByRole('group', { name, exact: true }).locator('.react-flow__edge-path');
  await page.getByRole('button', { name: 'Lay out' }).click();
  // A route has straight parts beside the nodes in its way.
  await expect.poll(() => pathOf('Edge from First to Last').getAttribute('d')).toMatch(/L/);
  expect(await pathOf('Edge from Second to Last').getAttribute('d')).not.toMatch(/L/);
  await canvas.locator('.editor-expression-mark').waitFor();
  await opened.checkAccessibilityInBoth();
  await page.screenshot({ path: '.stack/screenshots/routes.png' });

  await canvas.getByRole('group', { name: 'Last', exact: true }).first().click();
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  const edge = panel.getByRole('combobox', { name: 'Edge into data' }).or(
    panel.getByRole('textbox', { name: 'Edge into data' }),
  );
  const chosen = await edge.inputValue();
  await edge.click();
  await page.getByRole('option', { name: chosen, exact: true }).click();
  expect(await edge.inputValue()).toBe(chosen);
  expect(await canvas.getByRole('group', { name: 'Edge from First to Last' }).count()).toBe(1);

  // When the drawer opens, all nodes are visible above it.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /problem/ }).click();
  const drawer = page.getByRole('region', { name: 'Problems' });
  await drawer.waitFor();
  await expect.poll(async () => {
    const top = (await drawer.boundingBox())!.y;
    const nodes = await canvas.locator('.react-flow__node').all();
    const boxes = await Promise.all(nodes.map((node) => node.boundingBox()));
    return boxes.every((box) => box !== null && box.y >= 0 && box.y + box.height <= top);
  }).toBe(true);
});
