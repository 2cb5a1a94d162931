import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { call, deploy, finishedRun, signUp, start, storeFlow } from '../support/people.ts';

test('runs are found by their error, id and starter; the list comes before the charts, which follow the filter', async () => {
  const opened = await openConsole({ viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('price', flow.field('price', flow.input('order', {}), 'Price'));
  const deploymentId = await deploy(person, await storeFlow(person, flow, { name: 'Shop' }));
  const runs = [];
  for (let n = 0; n < 2; n++) runs.push((await start(person, `id=${deploymentId}`)).flow_run_id);
  const good = new FlowBuilder();
  good.output('one', good.json(1));
  const goodId = await storeFlow(person, good, { name: 'Good' });
  await deploy(person, goodId);
  const draft = await person.client.rpc('start_flow', { flow_id: goodId }).throwOnError();
  runs.push((draft.data as { flow_run_id: string }).flow_run_id);
  await Promise.all(runs.map((id) => finishedRun(person, id)));

  await opened.goto('runs');
  const table = page.getByRole('table', { name: 'runs', exact: true });
  const rows = table.getByRole('row');
  const charts = page.getByRole('region', { name: 'Charts' });
  const failures = page.getByRole('table', { name: 'failures' });
  await failures.waitFor();
  // A few runs need no charts.
  expect(await charts.count()).toBe(0);
  const more = Array.from({ length: 22 }, () => start(person, `flow=${goodId}`));
  await Promise.all((await Promise.all(more)).map(({ flow_run_id }) => finishedRun(person, flow_run_id)));
  await page.reload();
  await charts.getByRole('img', { name: /last day.*: 23 succeeded, 2 failed$/ }).waitFor();
  const tops = await Promise.all([table, charts].map(async (part) => (await part.boundingBox())!.y));
  expect(tops[0]).toBeLessThan(tops[1]!);
  await rows.filter({ hasText: 'Good' }).filter({ hasText: 'draft' }).filter({ hasText: 'by you' }).waitFor();
  await rows.getByRole('link', { name: 'Shop' }).first().waitFor();
  await rows.filter({ hasText: 'Shop' }).getByRole('link', { name: 'latest' }).first().waitFor();
  // Both runs failed with the same text, without an error code.
  await failures.getByRole('row').filter({ hasText: 'Price' }).getByRole('link', { name: 'Show these 2 runs' }).click();
  await page.waitForURL(/search=/);
  await expect.poll(() => rows.count()).toBe(3);
  await page.getByRole('button', { name: 'Show all runs' }).click();
  await rows.filter({ hasText: 'Good' }).first().waitFor();

  await page.getByRole('searchbox', { name: 'Search' }).fill(runs[1]!.slice(0, 25));
  await page.waitForURL(/search=/);
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.getByRole('link').first().getAttribute('href')).toMatch(new RegExp(`${runs[1]}$`));
  await page.getByRole('searchbox', { name: 'Search' }).fill('');
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await page.getByRole('heading', { name: 'No run matches the filter' }).waitFor();
  expect(await charts.count()).toBe(0);
  await page.getByRole('button', { name: '7 days' }).click();
  await charts.getByRole('img', { name: /of the period.*: 23 succeeded, 2 failed$/ }).waitFor();
  // Dates are shown in full at every width.
  for (const width of [1280, 768, 360]) {
    await page.setViewportSize({ width, height: 800 });
    if (width < 992) {
      // The list comes first: other filters are shown on request.
      await expect.poll(async () => (await table.boundingBox())!.y).toBeLessThan(400);
      await page.getByLabel('From', { exact: true }).waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'More filters' }).click();
    }
    for (const label of ['From', 'Until']) {
      const field = page.getByLabel(label, { exact: true });
      await expect.poll(() => field.evaluate((input) => input.scrollWidth <= input.clientWidth)).toBe(true);
    }
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    if (width < 992) await page.getByRole('button', { name: 'More filters' }).click();
  }
  await opened.checkAccessibilityInBoth();
});

test('a list says who started a run, and links names, also for the starter of a flow of somebody else', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const [owner, other] = [await signUp(), await signUp()];
  const flow = new FlowBuilder();
  flow.output('one', flow.json(1));
  const [mine, theirs] = await Promise.all([person, owner].map(async (one) => {
    const flowId = await storeFlow(one, flow, { name: one === person ? 'Mine' : 'Theirs' });
    const id = await deploy(one, flowId);
    // The older deployment has no tag.
    await deploy(one, flowId);
    await one.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
    return id;
  })) as [string, string];
  const guest = await call(`deployment/start?id=${mine}`, {
    token: makeKeypair().publicKey,
    headers: { 'idempotency-key': randomUUID() },
  });
  const schedule = await person.client.from('flow_schedules').insert({ deployment_id: mine, cron: '0 2 * * *' })
    .select('id').single().throwOnError();
  const runs = [
    (await guest.json() as { flow_run_id: string }).flow_run_id,
    (await start(other, `id=${mine}`)).flow_run_id,
    (await start(person, `id=${theirs}`)).flow_run_id,
  ];
  await Promise.all(runs.map((id) => finishedRun(person, id)));
  const { data: { user } } = await other.client.auth.getUser();

  await opened.goto('runs');
  const rows = page.getByRole('table', { name: 'runs', exact: true }).getByRole('row');
  await rows.filter({ hasText: `by ${user!.email!}` }).getByRole('link', { name: /^deployed/ }).waitFor();
  await rows.filter({ hasText: 'by a guest' }).getByRole('link', { name: 'Mine' }).waitFor();
  await rows.filter({ hasText: 'by you' }).filter({ hasText: 'Theirs' }).waitFor();
  expect(await rows.filter({ hasText: 'Theirs' }).getByRole('link', { name: 'Theirs' }).count()).toBe(0);
  expect(await page.getByRole('main').innerText()).not.toContain('…');
  await opened.checkAccessibilityInBoth();
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await rows.filter({ hasText: 'by a guest' }).getByRole('link', { name: /^deployed/ }).click();
  await page.waitForURL(new RegExp(`/deployments/${mine}$`));
  await opened.goto('schedules');
  await page.getByRole('link', { name: /^Mine, deployed/ }).click();
  await page.waitForURL(new RegExp(`/schedules/${(schedule.data as { id: string }).id}$`));
});
