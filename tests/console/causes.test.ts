import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, start, storeFlow } from '../support/people.ts';

const nodeOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name, exact: true });
const graphOf = (page: Page) => page.getByRole('region', { name: 'Graph of the run' });

test('after a failure the nodes behind it name the failed node, in the editor and on the page of the run', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const date = flow.use('date_parse', { text: flow.json('never', 'Data') }, { title: 'Read' });
  flow.output('end', flow.toText(flow.toText(date.output('iso'), 'Next'), 'Last'));
  const id = await storeFlow(person, flow);
  await opened.goto(`flows/${id}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('region', { name: 'Last run' }).getByText('failed').first().waitFor();
  for (const title of ['Next', 'Last']) {
    await nodeOf(page, title).getByText('not run because “Read” failed').waitFor();
  }
  expect(await nodeOf(page, 'Data').getByText('because').count()).toBe(0);
  await nodeOf(page, 'Last').click();
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  await panel.getByText('not run because “Read” failed').waitFor();
  await opened.checkAccessibilityInBoth();

  const { flow_run_id: run } = await start(person, `id=${await deploy(person, id)}`);
  await finishedRun(person, run);
  await opened.goto(`runs/${run}`);
  await graphOf(page).getByRole('group', { name: 'Next, not run, because “Read” failed' }).waitFor();
  await graphOf(page).getByRole('group', { name: 'Read, failed', exact: true }).waitFor();
});

test('while a run waits, only the waiting node says so', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const asked = flow.use('api_input', {}, { form: { timeout_ms: 600_000 }, title: 'Ask' });
  flow.output('end', flow.toText(asked.output('value'), 'Later'));
  const id = await storeFlow(person, flow);
  await opened.goto(`flows/${id}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await nodeOf(page, 'Ask').getByText('waiting').waitFor();
  expect(await nodeOf(page, 'Later').getByText('waiting').count()).toBe(0);
  await page.getByRole('link', { name: 'Open the run' }).click();
  await graphOf(page).getByRole('group', { name: 'Ask, waiting' }).waitFor();
  await graphOf(page).getByRole('group', { name: 'Later, not begun' }).waitFor();
});
