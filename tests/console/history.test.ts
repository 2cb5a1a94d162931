import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, storeFlow } from '../support/people.ts';

const nodeOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name, exact: true });

test('a version is compared and restored, and a version that was kept before brings drawing and environment back', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.use('to_string', {}, { title: 'Old' });
  const id = await storeFlow(person, flow);
  await person.client.from('flows').update({ environment: { STAGE: 'old' } }).eq('id', id).throwOnError();
  await deploy(person, id);
  await person.client.from('flows').update({ environment: {} }).eq('id', id).throwOnError();
  await goto(`flows/${id}`);
  const history = page.getByRole('dialog', { name: 'History' });
  const versions = history.getByRole('list', { name: 'Versions' }).getByRole('listitem');

  await nodeOf(page, 'Old').click();
  await page.getByRole('region', { name: 'Node', exact: true }).getByRole('textbox', { name: 'Name' }).fill('New');
  await page.getByRole('button', { name: 'History' }).click();
  const deployed = versions.filter({ hasText: 'latest' });
  await deployed.getByRole('link', { name: 'Deployment' }).waitFor();
  await history.getByRole('textbox', { name: 'Name' }).fill('Renamed');
  await history.getByRole('button', { name: 'Keep this version' }).click();
  await versions.filter({ hasText: 'Renamed' }).getByText('saved now').waitFor();

  await deployed.getByRole('button', { name: /^Compare/ }).click();
  const comparison = history.getByRole('region', { name: 'Comparison' });
  await comparison.getByText('data.display_name').waitFor();
  await comparison.getByText('These settings of the flow differ: Environment.').waitFor();
  await opened.checkAccessibility();

  await deployed.getByRole('button', { name: /^Restore/ }).click();
  await deployed.getByRole('button', { name: 'Restore now' }).click();
  await history.waitFor({ state: 'hidden' });
  await nodeOf(page, 'Old').waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();
  const environment = async () => {
    const { data } = await person.client.from('flows').select('environment').eq('id', id).single().throwOnError();
    return data.environment;
  };
  expect(await environment()).toEqual({ STAGE: 'old' });

  await page.getByRole('button', { name: 'Undo' }).click();
  await nodeOf(page, 'New').waitFor();
  await page.getByText('Not saved').waitFor();

  await page.getByRole('button', { name: 'History' }).click();
  await history.getByRole('button', { name: 'Restore Renamed' }).click();
  await history.getByText('restore that version to get both back').waitFor();
  await history.getByRole('button', { name: 'Restore now' }).click();
  await history.waitFor({ state: 'hidden' });
  await expect.poll(environment).toEqual({});
  await nodeOf(page, 'New').waitFor();
});
