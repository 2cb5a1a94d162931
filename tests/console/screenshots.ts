import { createClient } from '@supabase/supabase-js';
import { createFlowClient, type Database, type FlowToStore } from 'flow-deployments-client';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { parsePort, readStatus, type StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { findChrome } from '../support/chrome.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { addWork, type WorkRows } from './add_work.ts';
import { type ShownRows, takeEveryPage, waitUntilShown } from './every_page.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook_receiver.ts';

/**
 * Takes the pictures of the documentation, and then of every page, from the running stack on the port of the first
 * argument.
 */
const found = readStatus(parsePort(process.argv[2]));
if (found === undefined) throw new Error('No stack runs on this port. Start one with: npm start');
const status: StackStatus = found;

const folder = join(projectDir, 'docs/images');
const take = async (page: Page, name: string): Promise<void> => {
  // Move the mouse away, because it must not hover over an element.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `console_${name}.png`), animations: 'disabled' });
};

/** The margin of the page around a part of it. */
const MARGIN = 16;

/** Takes a picture of one part of the page. The picture shows the whole part, even if the window is smaller. */
async function takePart(page: Page, name: string, part: Locator): Promise<void> {
  await waitUntilShown(page);
  // Scroll to the top, because the header would cover the part.
  await page.evaluate(() => window.scrollTo(0, 0));
  const { x, y, width, height } = (await part.boundingBox())!;
  await page.screenshot({
    path: join(folder, `console_${name}.png`),
    animations: 'disabled',
    fullPage: true,
    clip: { x: x - MARGIN, y: y - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN },
  });
}

/** Signs up in the page. Returns a client of the API for the same user. */
async function signUp(page: Page) {
  const email = `ada-${Date.now()}@example.com`;
  const password = crypto.randomUUID();
  await page.goto(status.CONSOLE_URL);
  await page.getByRole('button', { name: 'Sign up' }).waitFor({ timeout: 120_000 });
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
  const db = createClient<Database>(status.API_URL, status.PUBLISHABLE_KEY, { auth: { persistSession: false } });
  const { error } = await db.auth.signInWithPassword({ email, password });
  if (error !== null) throw error;
  return { db, flows: createFlowClient(db) };
}

type Session = Awaited<ReturnType<typeof signUp>>;

/** Draws the flow of the documentation like a user: imported, deployed and run in the page. Returns the run's id. */
async function takeEditor(page: Page): Promise<string> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Import' }).click(),
  ]);
  await chooser.setFiles(join(projectDir, 'docs/example_flow.json'));
  const canvas = page.getByRole('region', { name: 'Canvas' });
  await canvas.getByRole('group', { name: 'Price times quantity', exact: true }).click();
  await page.getByRole('region', { name: 'Node', exact: true }).waitFor();
  // Fit the view again, because the node's panel has narrowed the canvas.
  await page.getByRole('button', { name: 'Fit View' }).click();
  await waitUntilShown(page);
  await take(page, 'flow');
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('link', { name: 'Open the deployment' }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'item' }).fill('tea');
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
  const last = page.getByRole('region', { name: 'Last run' });
  await last.getByText('succeeded').first().waitFor();
  await waitUntilShown(page);
  await take(page, 'last_run');
  await last.getByRole('link', { name: 'Open the run' }).click();
  await page.waitForURL(/\/runs\//);
  await page.getByRole('status').getByText('succeeded').waitFor();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  await waitUntilShown(page);
  await take(page, 'run');
  const run = page.url().split('/').at(-1)!;
  await page.getByRole('link', { name: 'Flows' }).first().click();
  await page.getByText('succeeded').waitFor();
  await page.getByRole('button', { name: 'Templates' }).click();
  await page.getByRole('dialog').locator('svg rect').first().waitFor();
  await take(page, 'templates');
  await page.keyboard.press('Escape');
  return run;
}

/** Gives the user a second deployment that differs from the first, a failed run, and one object of each kind. */
async function addBelongings(
  { db, flows }: Session,
  receiver: WebhookReceiver,
): Promise<Omit<ShownRows, 'run' | keyof WorkRows>> {
  const { data: row } = await db.from('flows').select('id').single().throwOnError();
  const text = readFileSync(join(projectDir, 'docs/example_flow.json'), 'utf8');
  const { name, nodes, edges } = JSON.parse(
    text.replaceAll('Price times quantity', 'Price and quantity'),
  ) as FlowToStore;
  await flows.storeFlow({ ...(name !== undefined && { name }), nodes, edges }, { id: row.id });
  const { deployment_id: deployment } = await flows.deploy(row.id, { tag: 'stable' });
  await db.from('flow_deployments').update({ on_end: { url: `${receiver.url}/runs`, events: ['failed'] } })
    .eq('id', deployment).throwOnError();
  const failed = await flows.start({ id: deployment }, { item: 'a unicorn' });
  await flows.output(failed).catch(() => {});
  await receiver.next('/runs');
  const { id: schedule } = await flows.schedule({ flow: row.id, tag: 'stable' }, {
    cron: '30 6 * * MON-FRI',
    timeZone: 'Europe/Berlin',
    values: { item: 'tea', quantity: 3 },
  });
  await flows.createWebhook({ flow: row.id, tag: 'latest' }, { input: 'item' });
  await db.rpc('create_api_key', { name: 'Nightly report' }).throwOnError();
  await db.from('wallets').insert({ type: 'ADAPTER', name: 'Phantom', public_key: makeKeypair().publicKey })
    .throwOnError();
  const { id: connection } = await flows.upsertConnection({
    name: 'shop',
    kind: 'bearer',
    hosts: ['api.example.com/v1'],
    secret: { token: crypto.randomUUID() },
  });
  return { flow: row.id, deployment, failedRun: failed.flow_run_id, connection, schedule };
}

/** The pages of the console that show the user's rows: the name of the picture, and the path of the page. */
const PAGES = (deployment: string): Record<string, string> => ({
  deployment: `deployments/${deployment}`,
  runs: 'runs',
  start_page: `start/${deployment}`,
});

async function takePages(page: Page, deployment: string): Promise<void> {
  for (const [name, path] of Object.entries(PAGES(deployment))) {
    await page.goto(new URL(path, status.CONSOLE_URL).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilShown(page);
    await take(page, name);
  }
  await page.goto(new URL(`deployments/${deployment}?tab=messages`, status.CONSOLE_URL).href);
  await takePart(page, 'messages', page.getByRole('region', { name: 'Messages about runs' }));
  await page.goto(new URL('schedules', status.CONSOLE_URL).href);
  await page.getByRole('table', { name: 'schedules' }).getByRole('link').first().click();
  await page.getByRole('list', { name: 'The next starts would be:' }).waitFor();
  await takePart(page, 'schedule', page.getByRole('form', { name: 'Schedule' }).locator('> *'));
}

async function takeAll(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const session = await signUp(page);
  const run = await takeEditor(page);
  const receiver = await startWebhookReceiver();
  try {
    const belongings = await addBelongings(session, receiver);
    await takePages(page, belongings.deployment);
    const rows = { run, ...belongings, ...await addWork(session, status.DB_URL) };
    const every = await takeEveryPage(browser, page.context(), status.CONSOLE_URL, rows);
    console.log(`The pictures of every page are in ${every}.`);
  } finally {
    await receiver.close();
  }
}

const browser = await chromium.launch({ executablePath: await findChrome(), args: ['--no-sandbox'] });
try {
  await takeAll(browser);
} finally {
  await browser.close();
}
console.log(`The pictures of the documentation are in ${folder}.`);
