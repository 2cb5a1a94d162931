import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type ConsolePage, enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

/** Starts a deployment as this person. Returns the status and the error code of the answer. */
async function startStatus(person: Person, query: string): Promise<[status: number, code: string | undefined]> {
  const response = await call(`deployment/start?${query}`, { token: person.token });
  return [response.status, (await response.json() as { code?: string }).code];
}

const openTab = ({ page }: ConsolePage, name: string) => page.getByRole('tab', { name, exact: true }).click();

const save = async ({ page }: ConsolePage, name: string) => {
  const form = page.getByRole('form', { name });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Saved', { exact: true }).waitFor();
};

test('settings of a deployment change what its starts do', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const shop = await storeKeypair(owner);
  const stranger = await signUp();
  const id = await deploy(owner, await storeFlow(owner, textFlow(), { name: 'Texts' }));
  expect(await startStatus(stranger, `id=${id}`)).toEqual([404, 'deployment_not_found']);

  await opened.goto('');
  await page.getByRole('link', { name: 'Deployments' }).click();
  await page.getByRole('table', { name: 'deployments' }).getByRole('link', { name: 'Texts' }).first().click();
  await openTab(opened, 'Access and limits');
  const access = page.getByRole('form', { name: 'Access and limits' });
  await access.getByRole('combobox', { name: 'Who may start it' }).selectOption('Authenticated');
  await access.getByRole('textbox', { name: 'Starts per minute' }).fill('1');
  await access.getByRole('combobox', { name: 'Key' }).selectOption('Input value');
  await access.getByRole('textbox', { name: 'Runs of a key at a time' }).fill('2');
  await access.getByRole('textbox', { name: 'Starts of a key' }).fill('60');
  await access.getByRole('textbox', { name: 'Period, in seconds' }).fill('1');
  await access.getByRole('textbox', { name: 'Seconds after the newest start' }).fill('1');
  await access.getByRole('button', { name: 'Save' }).click();
  await access.getByRole('alert').getByText('debounce_seconds_invalid').waitFor();
  const seconds = access.getByRole('textbox', { name: 'Seconds after the newest start' });
  expect(await seconds.getAttribute('aria-invalid')).toBe('true');
  await access.getByRole('textbox', { name: 'Seconds after the newest start' }).fill('');
  await access.getByRole('checkbox', { name: 'Runs of different callers may have the same key' }).check();
  await access.getByRole('textbox', { name: 'Tokens of a run' }).fill('100000');
  await save(opened, 'Access and limits');
  expect(await startStatus(stranger, `id=${id}`)).toEqual([200, undefined]);
  expect(await startStatus(stranger, `id=${id}`)).toEqual([429, 'start_limit_reached']);

  await access.getByRole('combobox', { name: 'Who may start it' }).selectOption('Anonymous');
  await access.getByText('1,000 of them by callers without an account. This is the default').waitFor();
  await access.getByRole('textbox', { name: 'Name', exact: true }).fill(HOSTILE);
  // The flow `Texts` does nothing on Solana, so only an address leads to the settings for transactions. The draft of the
  // other tab stays.
  expect(await page.getByRole('tab', { name: 'Solana' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Solana/ }).count()).toBe(0);
  await page.evaluate(() => history.replaceState(null, '', `${location.pathname}?tab=solana`));
  const form = page.getByRole('form', { name: 'Solana' });
  await form.getByRole('checkbox', { name: 'Return the transaction instead of sending it' }).check();
  await form.getByRole('combobox', { name: 'Action identity' }).selectOption(shop);
  await form.getByRole('button', { name: 'Add a fee' }).click();
  await form.getByRole('textbox', { name: 'Address of fee 1' }).fill('not a key');
  await form.getByRole('textbox', { name: 'Lamports of fee 1' }).fill('18446744073709551615');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('fees_invalid').waitFor();
  await opened.checkAccessibility();
  await form.getByRole('textbox', { name: 'Address of fee 1' }).fill(shop);
  await form.getByRole('combobox', { name: 'Cluster' }).selectOption('testnet');
  await form.getByRole('textbox', { name: 'RPC address' }).fill('https://api.testnet.solana.com');
  await save(opened, 'Solana');
  await openTab(opened, 'Access and limits');
  await save(opened, 'Access and limits');
  const { data } = await owner.client.from('flow_deployments').select('*, fees:fees::text').eq('id', id).single()
    .throwOnError();
  expect(data).toMatchObject({
    start_permission: 'Anonymous',
    output_instructions: true,
    action_identity: shop,
    fees: `[["${shop}", 18446744073709551615]]`,
    chain_network: { cluster: 'testnet', url: 'https://api.testnet.solana.com' },
    max_starts_per_minute: 1,
    max_runs_in_flight: null,
    queue_key: 'value',
    queue_key_shared: true,
    max_running_per_key: 2,
    max_starts_per_key: 60,
    key_period_seconds: 1,
    debounce_seconds: null,
    debounce_max_seconds: null,
    model_limits: { run_tokens: 100_000 },
  });
  await openTab(opened, 'Solana');
  await page.getByRole('img', { name: 'QR code of the action link' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
  const lamports = form.getByRole('textbox', { name: 'Lamports of fee 1' });
  await expect.poll(() => lamports.inputValue()).toBe('18446744073709551615');
  await opened.checkAccessibility();
});

test('tags are added, moved and deleted, and starts follow them', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const flow = await storeFlow(owner, textFlow(), { name: 'Texts' });
  const [first, second] = [await deploy(owner, flow), await deploy(owner, flow)];
  const startedBy = async (tag: string) =>
    (await finishedRun(owner, (await start(owner, `flow=${flow}&tag=${tag}`)).flow_run_id)).deployment_id;

  await opened.goto(`deployments/${first}?tab=versions`);
  await page.getByRole('row', { name: /latest/ }).getByText('kept by the system').waitFor();
  await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('no tag!');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByRole('form', { name: 'Add a tag' }).getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('stable');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByRole('row', { name: /stable this deployment/ }).waitFor();
  expect(await startedBy('stable')).toBe(first);

  await opened.goto(`deployments/${second}?tab=versions`);
  await page.getByRole('button', { name: 'Move stable here' }).click();
  await page.getByRole('row', { name: /stable this deployment/ }).waitFor();
  expect(await startedBy('stable')).toBe(second);
  await page.getByRole('button', { name: 'Delete stable' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('row', { name: /stable/ }).waitFor({ state: 'detached' });
  expect(await startStatus(owner, `flow=${flow}&tag=stable`)).toEqual([404, 'deployment_not_found']);
});

/** Makes two versions of a flow with two output texts, which differ in all ways that the comparison shows. */
function versions(): [before: FlowBuilder, after: FlowBuilder] {
  const build = (price: string) => {
    const flow = new FlowBuilder();
    const input = flow.input(HOSTILE, 'nothing');
    const constant = flow.constant({ S: price }, 'price');
    return { flow, input, constant };
  };
  const before = build('1');
  before.flow.output('text', before.input);
  before.flow.constant({ S: 'x' }, 'gone');
  const after = build(HOSTILE);
  after.flow.output('text', after.constant);
  const added = after.flow.constant({ S: 'y' }, 'new');
  // The node is new: it does not have the id of the removed one.
  Object.assign(after.flow.nodes.find(({ id }) => id === added.nodeId)!, { id: randomUUID() });
  return [before.flow, after.flow];
}

test('two deployments of a flow with any texts are compared, on a narrow screen in dark mode', async () => {
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  const [before, after] = versions();
  const flow = await storeFlow(owner, before, { name: HOSTILE });
  const first = await deploy(owner, flow);
  await owner.client.from('flows').update({ ...after.row() as object }).eq('id', flow).throwOnError();
  const second = await deploy(owner, flow);

  await opened.goto(`deployments?flow=${flow}`);
  const links = page.getByRole('table', { name: 'deployments' }).locator('a[href*="/deployments/"]');
  await links.first().waitFor();
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!.split('/').at(-1)))).toEqual([
    second,
    first,
  ]);
  await opened.checkAccessibility();
  await links.first().click();
  await openTab(opened, 'Versions');
  await page.getByRole('button', { name: 'Compare' }).click();
  const comparison = page.getByRole('region', { name: 'Comparison' });
  await comparison.waitFor();
  const nodes = comparison.getByRole('list', { name: 'Nodes' });
  await nodes.getByText('gone').waitFor();
  expect(await nodes.locator(':scope > li').allInnerTexts()).toEqual([
    expect.stringMatching(/^changed[^]*price[^]*became[^]*<img/),
    expect.stringMatching(/^removed\s+gone/),
    expect.stringMatching(/^added\s+new/),
  ]);
  expect(await comparison.getByRole('list', { name: 'Edges' }).locator(':scope > li').allInnerTexts()).toEqual([
    expect.stringMatching(/^changed[^]*into text: text · text, from .*<img.* before, from price · Source now/),
  ]);
  await page.getByRole('region', { name: 'Frozen graph' }).getByText('price').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await opened.checkAccessibility();

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor();
  await expect.poll(() => links.count()).toBe(1);
});

const run = promisify(execFile);

test('a deployment is started on its page, and the code that it shows starts it for each kind of caller', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('text', flow.input("it's", "it's tea"));
  const id = await deploy(owner, await storeFlow(owner, flow, { name: 'Echo' }));
  await opened.goto(`deployments/${id}`);
  await page.getByRole('region', { name: 'Start it' }).getByRole('textbox', { name: "it's" }).fill('by hand');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: /run/i }).waitFor();
  await page.getByText('by hand').first().waitFor();

  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
  const { data: made } = await owner.client.rpc('create_api_key', { name: 'sample' }).throwOnError();
  const env = {
    ...process.env,
    API_KEY: (made as { key: string }).key,
    ACCESS_TOKEN: owner.token,
    PUBLIC_KEY: makeKeypair().publicKey,
  };
  await opened.goto(`deployments/${id}`);
  await page.getByText('Anybody may start it, without an account.').first().waitFor();
  await opened.checkAccessibilityInBoth();
  for (const caller of ['You', 'A user', 'A guest']) {
    await page.getByRole('radiogroup', { name: 'Who starts it' }).getByText(caller, { exact: true }).click();
    const curl = await page.getByRole('region', { name: 'Code for curl' }).innerText();
    const { stdout } = await run('bash', ['-c', curl], { env });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', output: { M: { text: { S: "it's tea" } } } });
    if (caller === 'A user') continue;
    const folder = await mkdtemp(join(process.cwd(), 'node_modules/.sample-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(
      join(folder, 'sample.ts'),
      await page.getByRole('region', { name: 'Code for JavaScript' }).innerText(),
    );
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    const answer = await run('npx', ['tsx', join(folder, 'sample.ts')], { env });
    expect(answer.stdout).toBe(`{ text: "it's tea" }\n`);
  }
});

test('a deployment says that its flow has changed, warns and deploys it; the older one leads to the newer', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const [before, after] = versions();
  const flow = await storeFlow(owner, before, { name: 'Texts' });
  const old = await deploy(owner, flow);
  const moved = before.row().nodes.map((node) => ({ ...node as object, position: { x: 5, y: 5 } }));
  await owner.client.from('flows').update({ nodes: moved }).eq('id', flow).throwOnError();
  await opened.goto(`deployments/${old}`);
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  await page.getByText('Only you may start it.').waitFor();
  expect(await page.getByText('The flow has changed').count()).toBe(0);

  await owner.client.from('flows').update({ edges: [] }).eq('id', flow).throwOnError();
  await page.reload();
  const notice = page.getByRole('status').filter({ hasText: 'The flow has changed since this deployment' });
  await notice.getByRole('button', { name: 'Deploy' }).click();
  await notice.getByText('A run of this flow would fail').waitFor();
  await notice.getByRole('button', { name: 'Deploy anyway' }).waitFor();
  expect(page.url()).toContain(old);

  await owner.client.from('flows').update({ ...after.row() as object }).eq('id', flow).throwOnError();
  await page.reload();
  await notice.waitFor();
  await opened.checkAccessibilityInBoth();
  await notice.getByRole('button', { name: 'Deploy' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(old));
  await notice.waitFor({ state: 'detached' });
  const newest = new URL(page.url()).pathname.split('/').at(-1)!;

  await opened.goto(`deployments/${old}`);
  const newer = page.getByRole('status').filter({ hasText: 'A newer deployment of this flow exists' });
  await newer.getByRole('link', { name: 'Show what has changed' }).click();
  await page.getByRole('region', { name: 'Comparison' }).waitFor();
  await opened.goto(`deployments/${old}`);
  await newer.getByRole('link', { name: 'Open the newest deployment' }).click();
  await page.waitForURL(`**/deployments/${newest}`);
});

test('a failed run is redriven on the newest deployment of its flow', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  const build = (script: string) => {
    const flow = new FlowBuilder();
    flow.output('text', flow.script(script, { a: flow.toText(flow.json('kept'), 'before') }, 1, 'check').output('u'));
    return flow;
  };
  const flow = await storeFlow(owner, build('throw "wrong"'));
  const { flow_run_id: failed } = await start(owner, `id=${await deploy(owner, flow)}`);
  await finishedRun(owner, failed);
  await owner.client.from('flows').update({ ...build('a + " and corrected"').row() as object }).eq('id', flow)
    .throwOnError();
  const newest = await deploy(owner, flow);

  await opened.goto(`runs/${failed}`);
  await page.getByRole('button', { name: 'Redrive' }).click();
  const dialog = page.getByRole('dialog', { name: 'Redrive' });
  await dialog.getByRole('checkbox', { name: 'On the newest deployment of the flow' }).check();
  await opened.checkAccessibility();
  await dialog.getByRole('button', { name: 'Redrive' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(failed));
  const redriven = await finishedRun(owner, new URL(page.url()).pathname.split('/').at(-1)!);
  expect(redriven).toMatchObject({
    redriven_from: failed,
    deployment_id: newest,
    output: { M: { text: { S: 'kept and corrected' } } },
  });
});

test('schedules and webhooks of a deployment are listed and made on its page', async () => {
  const opened = await openConsole({ viewport: { width: 390, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  const [flow, other] = [await storeFlow(owner, textFlow(), { name: 'Texts' }), await storeFlow(owner, textFlow())];
  const [old, id] = [await deploy(owner, flow), await deploy(owner, flow)];
  await deploy(owner, other);
  const schedule = (columns: object) =>
    owner.client.from('flow_schedules').insert({ cron: '0 2 * * *', ...columns }).throwOnError();
  await schedule({ flow, tag: 'latest' });
  await schedule({ deployment_id: old });
  await schedule({ flow: other, tag: 'latest' });

  await opened.goto(`deployments/${id}?tab=triggers`);
  const schedules = page.getByRole('table', { name: 'schedules' });
  await schedules.getByRole('link', { name: 'Texts, latest' }).waitFor();
  expect(await schedules.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Input' }).fill('value');
  await dialog.getByRole('button', { name: 'Make' }).click();
  await dialog.getByRole('textbox', { name: 'URL' }).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('table', { name: 'webhooks' }).getByRole('link', { name: /^Texts, deployed/ }).waitFor();
  await opened.checkAccessibility();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('link', { name: 'New schedule' }).click();
  await page.getByRole('form', { name: 'Schedule' }).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  await opened.goto(`deployments/${id}?tab=triggers`);
  await schedules.getByRole('link', { name: /^Texts, deployed/ }).waitFor();
});

test('a deployment of another user is not found', async () => {
  const opened = await openConsole();
  await enterConsole(opened);
  const owner = await signUp();
  const id = await deploy(owner, await storeFlow(owner, textFlow()));
  for (const path of [id, randomUUID(), 'nonsense', makeKeypair().publicKey]) {
    await opened.goto(`deployments/${path}`);
    await opened.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  }
});
