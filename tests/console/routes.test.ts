import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, start, storeFlow } from '../support/people.ts';

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
  const id = await storeFlow(owner, flow);
  await opened.goto(`flows/${id}`);
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
  // The graphs of a deployment and of a run have the same routes.
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  const deployment = await deploy(owner, id);
  const straight = (graph: string) => page.getByRole('region', { name: graph }).locator('.react-flow__edge-path[d*=L]');
  await opened.goto(`deployments/${deployment}`);
  await page.getByRole('tab', { name: 'Versions', exact: true }).click();
  await expect.poll(() => straight('Frozen graph').count()).toBe(1);
  const { flow_run_id: run } = await start(owner, `id=${deployment}`);
  await opened.goto(`runs/${run}`);
  await expect.poll(() => straight('Graph of the run').count()).toBe(1);
});
