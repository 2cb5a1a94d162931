import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { textFlow } from '../support/flow_builder.ts';
import { deploy, signUp, storeFlow } from '../support/people.ts';

test('a deploy keeps the settings of the former deployment unless the owner chooses those of the flow', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const owner = await enterConsole(opened);
  const flow = await storeFlow(owner, textFlow(), { name: 'Texts' });
  const permissions = async () => {
    const { data } = await owner.client.from('flow_deployments').select('start_permission').eq('entrypoint', flow)
      .order('id').throwOnError();
    return data.map(({ start_permission }) => start_permission);
  };
  await goto(`flows/${flow}`);
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByText('Deployed', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: `/start/f/${flow}/latest` }).count()).toBe(1);
  await owner.client.from('flow_deployments')
    .update({
      start_permission: 'Authenticated',
      max_runs_in_flight: 3,
      on_end: { url: 'https://example.com', events: ['failed'] },
    })
    .eq('entrypoint', flow).throwOnError();

  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Deploy the flow' });
  const rows = dialog.getByRole('table', { name: 'Settings that differ' }).getByRole('row');
  await rows.nth(3).waitFor();
  expect((await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' '))).toEqual([
    'Setting Former deployment Otherwise',
    'Runs at a time 3 the default',
    'Messages about runs failed, to https://example.com none',
    'Who may start it everybody who has signed up only you',
  ]);
  const keep = dialog.getByRole('checkbox', { name: 'Keep the settings of the former deployment' });
  expect(await keep.isChecked()).toBe(true);
  await opened.checkAccessibilityInBoth();
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('Enter');
  await expect.poll(permissions).toEqual(['Authenticated', 'Authenticated']);

  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await keep.uncheck();
  await dialog.getByRole('button', { name: 'Deploy' }).click();
  await expect.poll(permissions).toEqual(['Authenticated', 'Authenticated', 'Owner']);

  // Now the settings are those of the flow, so there is nothing to ask.
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expect.poll(permissions).toEqual(['Authenticated', 'Authenticated', 'Owner', 'Owner']);
});

test('the page of a deployment deploys the changed flow with the settings of the deployment', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const owner = await enterConsole(opened);
  const flow = await storeFlow(owner, textFlow(), { name: 'Texts' });
  const former = await deploy(owner, flow);
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', former).throwOnError();
  await owner.client.from('flows').update({ edges: [] }).eq('id', flow).throwOnError();
  await goto(`deployments/${former}`);
  const notice = page.getByRole('status').filter({ hasText: 'The flow has changed since this deployment' });
  await notice.getByRole('button', { name: 'Deploy' }).click();
  await notice.getByRole('row', { name: 'Who may start it anybody only you' }).waitFor();
  await opened.checkAccessibility();
  await notice.getByRole('button', { name: 'Deploy' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(former));
  await page.getByRole('region', { name: 'Who may start it' }).getByText('Anybody may start it').waitFor();
});

test('the start page of a tag starts the newer deployment after a deploy, and tells strangers nothing', async () => {
  const [owner, opened] = [await signUp(), await openConsole()];
  const { page, goto } = opened;
  const flow = await storeFlow(owner, textFlow(), { name: 'First' });
  const first = await deploy(owner, flow);
  const texts = [];
  for (
    const path of [`f/${flow}/latest`, `f/${flow}/none`, 'f/2147483647/latest', 'f/x/latest', `f/${flow}/-x`, first]
  ) {
    await goto(`start/${path}`);
    await page.getByText('Sign in to open this page.').waitFor();
    texts.push(await page.getByRole('main').innerText());
  }
  expect(new Set(texts).size).toBe(1);

  await enterConsole(opened);
  await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' }).eq('id', first)
    .throwOnError();
  await goto(`start/f/${flow}/latest`);
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
  await page.getByRole('textbox', { name: 'value' }).fill('a text');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('a text').waitFor();
  // The page still shows the run after a deploy and a reload.
  const second = await owner.client.rpc('deploy_flow', { flow_id: flow, settings_from: 'latest' }).throwOnError();
  const { deployment_id } = second.data as { deployment_id: string };
  await owner.client.from('flow_deployments').update({ name: 'Second' }).eq('id', deployment_id).throwOnError();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
  await page.getByRole('region', { name: 'Result' }).getByText('a text').waitFor();
  await opened.checkAccessibility();
});

test('the overview shows an address for each tag, and one for this deployment only', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const owner = await enterConsole(opened);
  const flow = await storeFlow(owner, textFlow());
  const id = await deploy(owner, flow);
  await owner.client.from('flow_deployments_tags').insert({ entrypoint: flow, tag: 'stable', deployment_id: id })
    .throwOnError();
  await goto(`deployments/${id}`);
  const pages = page.getByRole('region', { name: 'Where others start it' });
  await pages.getByText('Start page of the tag stable').waitFor();
  const links = await pages.getByRole('link').allInnerTexts();
  expect(links.map((link) => link.replace(/^.*\/start\//, ''))).toEqual([`f/${flow}/latest`, `f/${flow}/stable`, id]);
  await opened.checkAccessibilityInBoth();
});
