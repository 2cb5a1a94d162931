import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addBrowserWallet } from '../support/browser_wallet.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { startFlakyServer } from '../support/flaky_server.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { deploy, finishedRun, type Person, start, storeFlow } from '../support/people.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';

const HTML = `<img src=x onerror="document.title='owned'"><b>bold</b>`;

let chain: TestChain;
beforeAll(async () => {
  // A transaction can be sent for 150 slots. At 400 ms each, that is long enough for a browser.
  chain = await startTestChain({ slotMs: 400 });
});
afterAll(() => chain.stop());

/** Deploys a flow and starts it. Returns the id of its run. */
async function startFlow(person: Person, flow: FlowBuilder, columns: Parameters<typeof storeFlow>[2] = {}) {
  const deploymentId = await deploy(person, await storeFlow(person, flow, columns));
  return (await start(person, `id=${deploymentId}`)).flow_run_id;
}

/** Opens the console with a wallet in the browser, and starts a run in which this wallet pays. */
async function startPayment() {
  const opened = await openConsole();
  const pair = makeKeypair();
  await chain.call('requestAirdrop', pair.publicKey, SOL);
  await addBrowserWallet(opened.page, pair);
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const payer = flow.use('wallet', {}, { form: { public_key: pair.publicKey }, title: 'Buyer' });
  const pay = flow.use('transfer_sol', {
    sender: payer.output('keypair'),
    recipient: flow.constant({ S: makeKeypair().publicKey }, 'Shop'),
  }, { form: { amount: 0.01 }, title: 'Pay' });
  flow.output('signature', pay.output('signature'));
  const runId = await startFlow(person, flow, { name: 'Buy', chain_network: { url: chain.url, cluster: 'devnet' } });
  return { opened, person, runId, publicKey: pair.publicKey };
}

test('a queued run tells which place it waits for, until it has one', async () => {
  const opened = await openConsole();
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('out', flow.wait(flow.input('customer'), 120_000));
  const deploymentId = await deploy(person, await storeFlow(person, flow, { name: 'Slow' }));
  await person.client.from('flow_deployments').update({ max_running_per_key: 1, queue_key: 'customer' })
    .eq('id', deploymentId).throwOnError();
  const inputs = { customer: { S: HTML } };
  const first = await start(person, `id=${deploymentId}`, { inputs });
  const second = await start(person, `id=${deploymentId}`, { inputs });
  await opened.goto(`runs/${second.flow_run_id}`);
  const sentence = opened.page.getByText(
    `Begins when an earlier run with the customer ${JSON.stringify(HTML)} has ended.`,
  );
  await sentence.waitFor();
  await opened.checkAccessibility();
  await person.client.rpc('stop_flow_run', { flow_run_id: first.flow_run_id }).throwOnError();
  await expect.poll(() => sentence.count(), { timeout: 30_000 }).toBe(0);
  await person.client.rpc('stop_flow_run', { flow_run_id: second.flow_run_id }).throwOnError();

  await person.client.from('flow_deployments').update({ max_running_per_key: null, debounce_seconds: 7200 })
    .eq('id', deploymentId).throwOnError();
  const third = await start(person, `id=${deploymentId}`, { inputs });
  await opened.goto(`runs/${third.flow_run_id}`);
  await opened.page.getByText('Begins in 2 hours').waitFor();
});

test('a run asks for a signature, continues after a wallet of the browser has signed, and ends on the page', async () => {
  const { opened, runId, publicKey } = await startPayment();
  const { page } = opened;
  await opened.goto(`runs/${runId}`);
  const request = page.getByRole('group', { name: 'A signature is needed' });
  await request.getByTitle(publicKey).waitFor();
  const graph = page.getByRole('region', { name: 'Graph of the run' });
  await graph.getByRole('group', { name: 'Pay, waiting' }).waitFor();
  await opened.checkAccessibility();
  await request.getByRole('button', { name: 'Sign with Test wallet' }).click();
  await page.getByRole('status').getByText('succeeded').waitFor();
  await graph.getByRole('group', { name: 'Pay, succeeded' }).waitFor();
  await expect.poll(() => request.count()).toBe(0);
  const { signature } = chain.ledger.landed.at(-1)!;
  const link = page.getByRole('region', { name: 'Transactions' }).getByRole('link', { name: signature });
  expect(await link.getAttribute('href')).toBe(`https://explorer.solana.com/tx/${signature}?cluster=devnet`);
  await page.getByRole('region', { name: 'Output' }).getByText(signature).waitFor();
});

test('the inbox shows a signature request, which a wallet of the browser signs there', async () => {
  const { opened, person, runId, publicKey } = await startPayment();
  const { page } = opened;
  await opened.goto('inbox');
  const item = page.getByRole('list', { name: 'Waiting runs' }).getByRole('listitem').filter({ hasText: 'Buy' });
  const request = item.getByRole('group', { name: 'A signature is needed' });
  await request.getByTitle(publicKey).waitFor();
  await opened.checkAccessibilityInBoth();
  await request.getByRole('button', { name: 'Sign with Test wallet' }).click();
  expect(await finishedRun(person, runId)).toMatchObject({ status: 'succeeded' });
  await page.getByRole('heading', { name: 'No run waits for you' }).waitFor();
});

/** A flow that calls another one, logs, runs a loop, and fails in it. Each text is an attack. */
async function failingFlow(person: Person): Promise<FlowBuilder> {
  const called = new FlowBuilder();
  called.output('said', called.input('word'));
  const calledId = await storeFlow(person, called, { name: HTML });
  const flow = new FlowBuilder();
  const word = flow.json(HTML, HTML);
  flow.use('print', { print: word }, { title: `print ${HTML}` });
  flow.output(HTML, flow.interflow(calledId, { word }, ['said'], 'Call').output('said'));
  const element = flow.foreach(flow.json([{ price: 1 }, { [HTML]: 2 }]), 'Each');
  flow.output('prices', flow.collect(flow.field('price', element, `Price ${HTML}`)));
  return flow;
}

test.for(
  [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ] as const,
)('a failed run is found by its status and explained at its node, $colorScheme, $width wide', async (look) => {
  const opened = await openConsole({ colorScheme: look.colorScheme, viewport: { width: look.width, height: 800 } });
  const { page } = opened;
  const person = await enterConsole(opened);
  const good = new FlowBuilder();
  good.output('one', good.json(1));
  const goodId = await startFlow(person, good, { name: 'Good' });
  const badId = await startFlow(person, await failingFlow(person), { name: `Bad ${HTML}` });
  await Promise.all([goodId, badId].map((id) => finishedRun(person, id)));
  const overflows = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

  await opened.goto('runs');
  const rows = page.getByRole('table', { name: 'runs' }).getByRole('row');
  await rows.filter({ hasText: 'succeeded' }).waitFor();
  const status = page.getByRole('combobox', { name: 'Status' });
  if (look.width < 992) await page.getByRole('button', { name: 'More filters' }).click();
  await status.click();
  await page.getByRole('option', { name: 'failed' }).click();
  await page.waitForURL(/status=failed/);
  await rows.filter({ hasText: 'succeeded' }).waitFor({ state: 'detached' });
  await expect.poll(() => rows.count()).toBe(2);
  await rows.filter({ hasText: `Bad ${HTML}` }).waitFor();
  expect(await overflows()).toBe(false);
  await opened.checkAccessibility();

  await rows.getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: `Run of Bad ${HTML}` }).waitFor();
  const failures = page.getByRole('alert').filter({ hasText: 'What failed' });
  await failures.getByRole('button', { name: `Price ${HTML} #1` }).click();
  const node = page.getByRole('region', { name: 'Node', exact: true });
  await node.getByRole('heading', { name: `Price ${HTML}` }).waitFor();
  const { errors: [line] = [] } = (await person.client.from('node_run').select('errors').eq('flow_run_id', badId)
    .not('errors', 'is', null).single().throwOnError()).data as { errors: string[] };
  await node.getByRole('alert').getByText(line!).waitFor();
  await node.getByText(HTML, { exact: true }).first().waitFor();
  await page.getByRole('region', { name: 'Graph of the run' }).getByRole('group', { name: `Price ${HTML}, failed` })
    .waitFor();
  await page.getByRole('table', { name: 'log lines' }).getByText(HTML, { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Called flows' }).getByText('succeeded').waitFor();
  await expect.poll(() => page.getByRole('list', { name: /Executions/ }).getByRole('listitem').count()).toBeGreaterThan(
    6,
  );
  expect(await overflows()).toBe(false);
  await opened.checkAccessibility();
  expect(await page.locator('main img, main b').count()).toBe(0);
});

test('a run is stopped, which is no failure, and started again with the same inputs and with others', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  flow.output('late', flow.wait(flow.input('word', 'hello'), 3_600_000, undefined, 'Wait'));
  const runId = await startFlow(person, flow, { name: 'Slow' });
  await opened.goto(`runs/${runId}`);
  await page.getByRole('group', { name: 'Wait, running' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('status').getByText('stopped').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  await page.getByRole('group', { name: 'You stopped it' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);

  await page.getByRole('button', { name: 'Start again' }).click();
  await dialog.getByRole('button', { name: 'Start again' }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(runId));
  await page.getByRole('group', { name: 'Wait, running' }).waitFor();
  const again = page.url().split('/').at(-1)!;
  const { data } = await person.client.from('flow_run').select('inputs').in('id', [runId, again]).throwOnError();
  expect(data[0]).toEqual(data[1]);
  await page.getByRole('button', { name: 'Start again' }).click();
  await dialog.getByRole('textbox', { name: 'word' }).fill('bye');
  await dialog.getByRole('button', { name: 'Start again' }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(again));
  await page.getByRole('region', { name: 'Inputs' }).getByText('bye').waitFor();
  const changed = page.url().split('/').at(-1)!;
  for (const id of [again, changed]) await person.client.rpc('stop_flow_run', { flow_run_id: id }).throwOnError();
  await Promise.all([again, changed].map((id) => finishedRun(person, id)));
});

test('a failed run is redriven to success, and its succeeded requests are taken over', async () => {
  let isRepaired = false;
  const desk = await startFlakyServer((_n, path) => path === '/second' && !isRepaired ? 'break' : { status: 200 });
  onTestFinished(desk.close);
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const ask = (path: string, edges = {}) =>
    flow.use('http_request', edges, { form: { method: 'POST', url: `${desk.url}/${path}` }, title: path });
  const first = ask('first');
  flow.output('answer', ask('second', { body: first.output('body') }).output('body'));
  const runId = await startFlow(person, flow, { name: 'Desk' });
  await finishedRun(person, runId);

  await opened.goto('runs?status=failed');
  await page.getByRole('table', { name: 'runs' }).getByRole('link').first().click();
  await page.getByRole('alert').filter({ hasText: 'What failed' }).getByRole('button', { name: 'second' }).waitFor();
  isRepaired = true;
  const redrive = page.getByRole('button', { name: 'Redrive' });
  await redrive.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Redrive' }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(runId));
  await page.getByRole('status').getByText('succeeded').waitFor();
  await page.getByRole('group', { name: 'first, succeeded' }).click();
  await page.getByRole('region', { name: 'Node', exact: true }).getByText('Taken over').waitFor();
  expect(desk.requests('/first')).toHaveLength(1);
  expect(await page.getByRole('link', { name: 'Redriven from' }).getAttribute('href')).toMatch(new RegExp(`${runId}$`));
  await opened.checkAccessibility();
});

test('a redrive asks whether a request that succeeded with other inputs may be sent again', async () => {
  let isRepaired = false;
  const desk = await startFlakyServer((_n, path) => path === '/main' && !isRepaired ? 'break' : { status: 200 });
  onTestFinished(desk.close);
  const opened = await openConsole();
  const { page } = opened;
  const person = await enterConsole(opened);
  const flow = new FlowBuilder();
  const main = flow.use('http_request', {}, { form: { method: 'GET', url: `${desk.url}/main` }, title: 'main' });
  const body = flow.use('merge', { a: main.output('body'), b: flow.json('unknown') }).output('value');
  const order = flow.use('http_request', { body }, {
    form: { method: 'POST', url: `${desk.url}/order` },
    title: 'order',
  });
  flow.output('order', order.output('body'));
  const runId = await startFlow(person, flow, { name: 'Order' });
  await finishedRun(person, runId);
  expect(desk.requests('/order')).toHaveLength(1);
  isRepaired = true;
  const { data } = await person.client.rpc('redrive_flow_run', { flow_run_id: runId }).throwOnError();
  const refused = (data as { flow_run_id: string }).flow_run_id;
  await finishedRun(person, refused);
  expect(desk.requests('/order')).toHaveLength(1);

  await opened.goto(`runs/${refused}`);
  await page.getByRole('alert').filter({ hasText: 'effect_already_done' }).waitFor();
  await page.getByRole('button', { name: 'Redrive' }).click();
  const dialog = page.getByRole('dialog');
  const question = dialog.getByRole('group', { name: 'Nodes that may act again' });
  await question.getByText(/so it did not act again; body was a text and is/).waitFor();
  await opened.checkAccessibility();
  await question.getByRole('checkbox', { name: 'order' }).check();
  await dialog.getByRole('button', { name: 'Redrive' }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(refused));
  await page.getByRole('status').getByText('succeeded').waitFor();
  expect(desk.requests('/order')).toHaveLength(2);
});

test('a run is refreshed by its events, and by the clock only every 15 s, and gets an input from the page', async () => {
  // This test uses its own page, because a changed clock stays changed.
  const opened = await openConsole({ isFirstVisit: true });
  const { page } = opened;
  const person = await enterConsole(opened);
  const reads: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().includes('/rest/v1/')) reads.push(request.url());
  });
  await page.clock.install();
  const runId = await startFlow(person, askingFlow());
  await opened.goto(`runs/${runId}`);
  const form = page.getByRole('group', { name: 'Approve waits for an input' });
  await form.waitFor();
  await page.getByRole('group', { name: 'Approve, waiting' }).waitFor();
  // From here on, only the test moves the page's clock. The page refreshes once after the last events, and not again.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  await page.clock.runFor(1_000);
  const known = reads.length;
  await page.clock.runFor(9_000);
  expect(reads.slice(known)).toEqual([]);
  await page.clock.resume();

  await form.getByRole('textbox', { name: 'value' }).fill('yes');
  await form.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('status').getByText('succeeded').waitFor();
  await page.getByRole('group', { name: 'Approve, succeeded' }).waitFor();
  const output = page.getByRole('region', { name: 'Output' });
  await output.getByText('yes').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await output.getByRole('button', { name: 'Copy as JSON' }).click();
  await output.getByRole('button', { name: 'Copied' }).waitFor();
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual({ answer: 'yes' });
  await expect.poll(() => form.count()).toBe(0);
});

test('a missing run, or a run of another user, is not found', async () => {
  const opened = await openConsole();
  await enterConsole(opened);
  for (const id of [crypto.randomUUID(), 'no-id']) {
    await opened.goto(`runs/${id}`);
    await opened.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  }
});
