import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, errors, type Page } from 'playwright-core';
import { projectDir } from '../../dev/stack/paths.ts';
import type { WorkRows } from './add_work.ts';
import { statesOf } from './page_states.ts';

/** The folder of the pictures of every page. Git ignores it. */
const FOLDER = join(projectDir, '.stack/screenshots');

/** The widths of a desktop screen and of a phone. */
const WIDTHS = [1280, 360];
const SCHEMES = ['light', 'dark'] as const;

/** The user's rows that have pages of their own. */
export interface ShownRows extends WorkRows {
  flow: number;
  deployment: string;
  run: string;
  failedRun: string;
  connection: string;
  schedule: string;
}

/** The pages of the console by the names of their pictures. */
const pagesOf = (rows: ShownRows): Record<string, string> => ({
  flows: 'flows',
  flow: `flows/${rows.flow}`,
  deployments: 'deployments',
  deployment: `deployments/${rows.deployment}`,
  deployment_triggers: `deployments/${rows.deployment}?tab=triggers`,
  deployment_access: `deployments/${rows.deployment}?tab=access`,
  deployment_solana: `deployments/${rows.deployment}?tab=solana`,
  deployment_messages: `deployments/${rows.deployment}?tab=messages`,
  deployment_versions: `deployments/${rows.deployment}?tab=versions`,
  runs: 'runs',
  run: `runs/${rows.run}`,
  failed_run: `runs/${rows.failedRun}`,
  waiting_run: `runs/${rows.waitingRun}`,
  queued_run: `runs/${rows.queuedRun}`,
  agent_run: `runs/${rows.agentRun}`,
  inbox: 'inbox',
  nodes: 'nodes',
  new_definition: 'nodes/new',
  add_nodes: 'nodes/add',
  wallets: 'wallets',
  connections: 'connections',
  connection: `connections/${rows.connection}`,
  schedules: 'schedules',
  schedule: `schedules/${rows.schedule}`,
  settings: 'settings',
  new_schedule: 'schedules/new',
  docs: 'docs',
  docs_page: 'docs/guides/connections',
  start_page: `start/${rows.deployment}`,
  no_flow: 'flows/999999999',
  no_deployment: 'deployments/00000000-0000-4000-8000-000000000000',
  no_run: 'runs/00000000-0000-4000-8000-000000000000',
  no_page: 'nothing',
});

/** The page of a live run asks for news again and again, so it is shown after this time at the latest. */
const NEWS_MS = 5_000;

/** Waits until the page has no open request and shows no loader. */
export async function waitUntilShown(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: NEWS_MS }).catch((error: unknown) => {
    if (!(error instanceof errors.TimeoutError)) throw error;
  });
  await page.waitForFunction(() => document.querySelector('.mantine-Loader-root, [aria-busy=true]') === null);
}

/** The lists, which say something of their own to a user without rows. */
const LISTS = ['flows', 'deployments', 'runs', 'inbox', 'nodes', 'wallets', 'connections', 'schedules', 'settings'];

interface Taking {
  context: BrowserContext;
  consoleUrl: string;
  /** The end of the pictures' names. */
  suffix: string;
  /** The pictures that could not be taken, with the reasons. */
  missing: Error[];
}

/** Opens a page of the console, and takes a picture of it. `act` changes the page before. */
async function takePage(
  page: Page,
  { consoleUrl, suffix, missing }: Taking,
  name: string,
  path: string,
  act?: (page: Page) => Promise<void>,
): Promise<void> {
  try {
    await page.goto(new URL(path, consoleUrl).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilShown(page);
    if (act !== undefined) {
      await act(page);
      await waitUntilShown(page);
    }
  } catch (cause) {
    // The picture shows why, and the other pictures are taken.
    missing.push(new Error(`the picture ${name}_${suffix} shows another state`, { cause }));
  }
  await page.screenshot({ path: join(FOLDER, `${name}_${suffix}.png`), animations: 'disabled', fullPage: true });
}

async function takePages(taking: Taking, rows: ShownRows): Promise<void> {
  const page = await taking.context.newPage();
  for (const [name, path] of Object.entries(pagesOf(rows))) await takePage(page, taking, name, path);
}

async function takeStates(taking: Taking, rows: ShownRows): Promise<void> {
  const page = await taking.context.newPage();
  for (const [name, { path, act }] of Object.entries(statesOf(rows))) await takePage(page, taking, name, path, act);
}

/** Takes pictures of the lists of a user without rows, and of the pages of a visitor. */
async function takeEmptyPages(taking: Taking, { deployment }: ShownRows): Promise<void> {
  const page = await taking.context.newPage();
  await takePage(page, taking, 'sign_in', '');
  await takePage(page, taking, 'start_page_visitor', `start/${deployment}`);
  await takePage(page, taking, 'new_user', '', async () => {
    await page.getByRole('textbox', { name: 'Email' }).fill(`new-${Date.now()}@example.com`);
    await page.getByRole('textbox', { name: 'Password' }).fill(crypto.randomUUID());
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
  });
  for (const path of LISTS) await takePage(page, taking, `no_${path}`, path);
}

/**
 * Takes a picture of every page, in light and dark, for a desktop and a phone. Further states of the pages, and the pages
 * without rows, are taken in light for a desktop and in dark for a phone. `signedIn` is a context in which the owner of
 * the rows has signed in.
 */
export async function takeEveryPage(
  browser: Browser,
  signedIn: BrowserContext,
  consoleUrl: string,
  rows: ShownRows,
): Promise<string> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const storageState = await signedIn.storageState();
  const missing: Error[] = [];
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const options = { colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' } as const;
      const context = await browser.newContext({ ...options, storageState });
      const taking = { context, consoleUrl, suffix: `${colorScheme}_${width}`, missing };
      await takePages(taking, rows);
      if ((colorScheme === 'light') === (width === WIDTHS[0])) {
        await takeStates(taking, rows);
        const empty = await browser.newContext(options);
        await takeEmptyPages({ ...taking, context: empty }, rows);
        await empty.close();
      }
      await context.close();
    }
  }
  if (missing.length > 0) throw new AggregateError(missing, `${missing.length} pictures are wrong, in ${FOLDER}`);
  return FOLDER;
}
