import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { askingFlow, pendingInputs } from '../support/pending_inputs.ts';
import { deploy, finishedRun, start, storeFlow } from '../support/people.ts';

/** The most clicks of a usual task, from the page on which it begins. Typing does not count. */
const MOST_CLICKS = 3;

/** A flow whose only node fails. */
function failingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.field('missing', flow.json({}), 'Price'));
  return flow;
}

test('each usual task takes at most three clicks from its page', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = await storeFlow(person, failingFlow(), { name: 'Shop' });
  const older = await deploy(person, flow);
  const deployment = await deploy(person, flow);
  const failed = await start(person, `id=${deployment}`);
  await finishedRun(person, failed.flow_run_id);
  const asking = await deploy(person, await storeFlow(person, askingFlow({ choices: ['Pay', 'Refuse'] })));
  const waiting = await start(person, `id=${asking}`);
  await pendingInputs(person, waiting.flow_run_id);

  let clicks = 0;
  const click = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');
  const node = page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name: 'Price', exact: true });
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  const spent: Record<string, number> = {};
  const task = async (name: string, path: string, act: () => Promise<void>) => {
    await opened.goto(path);
    clicks = 0;
    await act();
    spent[name] = clicks;
  };

  await task('start a flow with a template', 'flows', async () => {
    await click(button('Templates'));
    await click(dialog.getByRole('button', { name: 'CSV import' }));
    await page.waitForURL(/\/flows\/\d+$/);
  });
  await task('run a draft', `flows/${flow}`, async () => {
    await click(button('Run'));
    await page.getByRole('region', { name: 'Last run' }).getByText('failed', { exact: true }).first().waitFor();
  });
  await task('run one node with its last values', `flows/${flow}`, async () => {
    await click(node);
    await click(panel.getByRole('button', { name: 'Run this node' }));
    await page.getByRole('region', { name: 'Last run' }).getByText('one node of the flow').waitFor();
  });
  await task('deploy a flow', `flows/${flow}`, async () => {
    await click(button('Deploy'));
    await page.getByRole('link', { name: 'Open the deployment' }).waitFor();
  });
  await task('restore a version', `flows/${flow}`, async () => {
    await click(button('History'));
    await click(dialog.getByRole('button', { name: /^Restore/ }).first());
    await click(dialog.getByRole('button', { name: 'Restore now' }));
    await dialog.waitFor({ state: 'detached' });
  });
  await task('start a deployment', `deployments/${deployment}`, async () => {
    await click(button('Start'));
    await page.waitForURL(/\/runs\//);
  });
  await task('let every user start a deployment', `deployments/${older}?tab=access`, async () => {
    const form = page.getByRole('form', { name: 'Access and limits' });
    clicks += 1;
    await form.getByRole('combobox', { name: 'Who may start it' }).selectOption('Authenticated');
    await click(form.getByRole('button', { name: 'Save' }));
    await form.getByText('Saved', { exact: true }).waitFor();
  });
  await task('compare two deployments', `deployments/${older}?tab=versions`, async () => {
    await click(button('Compare'));
    await page.getByRole('region', { name: 'Comparison' }).waitFor();
  });
  await task('give a deployment a tag', `deployments/${older}?tab=versions`, async () => {
    await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('stable');
    await click(button('Add tag'));
    await page.getByRole('row', { name: /stable this deployment/ }).waitFor();
  });
  await task('move a tag', `deployments/${deployment}?tab=versions`, async () => {
    await click(button('Move stable here'));
    await page.getByRole('row', { name: /stable this deployment/ }).waitFor();
  });
  await task('start a deployment each night', `deployments/${deployment}?tab=triggers`, async () => {
    await click(page.getByRole('link', { name: 'New schedule' }));
    await click(page.getByRole('form', { name: 'Schedule' }).getByRole('button', { name: 'Save' }));
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  });
  await task('find the failed runs and open one', 'runs', async () => {
    await click(page.getByRole('combobox', { name: 'Status' }));
    await click(page.getByRole('option', { name: 'failed' }));
    await click(page.getByRole('table', { name: 'runs', exact: true }).getByRole('link').first());
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  });
  await task('start a run again', `runs/${failed.flow_run_id}`, async () => {
    await click(button('Start again'));
    await click(dialog.getByRole('button', { name: 'Start again' }));
    await page.waitForURL((url) => !url.pathname.endsWith(failed.flow_run_id));
  });
  await task('redrive a run', `runs/${failed.flow_run_id}`, async () => {
    await click(button('Redrive'));
    await click(dialog.getByRole('button', { name: 'Redrive' }));
    await page.waitForURL((url) => !url.pathname.endsWith(failed.flow_run_id));
  });
  await task('answer a question', 'inbox', async () => {
    await click(button('Refuse'));
    await page.getByRole('heading', { name: 'No run waits for you' }).waitFor();
  });
  await task('store a connection', 'connections', async () => {
    await click(button('New connection'));
    await dialog.getByRole('textbox', { name: 'Name' }).fill('shop');
    await dialog.getByRole('textbox', { name: 'Hosts' }).fill('api.example.com');
    await dialog.getByRole('textbox', { name: 'Token' }).fill('token-0123456789');
    await click(dialog.getByRole('button', { name: 'Save' }));
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
  });
  await task('make an API key', 'settings', async () => {
    await click(button('New API key'));
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Report');
    await click(dialog.getByRole('button', { name: 'Make' }));
    await dialog.getByRole('textbox').first().waitFor();
  });
  expect(Object.entries(spent).filter(([, count]) => count > MOST_CLICKS)).toEqual([]);
});
