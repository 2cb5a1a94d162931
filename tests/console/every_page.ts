import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { projectDir } from '../../dev/stack/paths.ts';

/** The folder of the pictures of every page. Git ignores it. */
const FOLDER = join(projectDir, '.stack/screenshots');

/** The widths of a desktop screen and of a phone. */
const WIDTHS = [1280, 360];
const SCHEMES = ['light', 'dark'] as const;

/** The user's rows that have pages of their own. */
export interface ShownRows {
  flow: number;
  deployment: string;
  run: string;
  failedRun: string;
  connection: string;
  schedule: string;
}

/** The pages of the console by the names of their pictures. */
const PAGES = ({ flow, deployment, run, failedRun, connection, schedule }: ShownRows): Record<string, string> => ({
  flows: 'flows',
  flow: `flows/${flow}`,
  deployments: 'deployments',
  deployment: `deployments/${deployment}`,
  deployment_triggers: `deployments/${deployment}?tab=triggers`,
  deployment_access: `deployments/${deployment}?tab=access`,
  deployment_solana: `deployments/${deployment}?tab=solana`,
  deployment_messages: `deployments/${deployment}?tab=messages`,
  deployment_versions: `deployments/${deployment}?tab=versions`,
  runs: 'runs',
  run: `runs/${run}`,
  failed_run: `runs/${failedRun}`,
  inbox: 'inbox',
  nodes: 'nodes',
  new_definition: 'nodes/new',
  add_nodes: 'nodes/add',
  wallets: 'wallets',
  connections: 'connections',
  connection: `connections/${connection}`,
  schedules: 'schedules',
  schedule: `schedules/${schedule}`,
  settings: 'settings',
  docs: 'docs',
  docs_page: 'docs/guides/connections',
  start_page: `start/${deployment}`,
});

/** Waits until the page has no open request and shows no loader. */
export async function waitUntilShown(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => document.querySelector('.mantine-Loader-root, [aria-busy=true]') === null);
}

async function takePages(context: BrowserContext, consoleUrl: string, rows: ShownRows, suffix: string): Promise<void> {
  const page = await context.newPage();
  for (const [name, path] of Object.entries(PAGES(rows))) {
    await page.goto(new URL(path, consoleUrl).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilShown(page);
    await page.screenshot({ path: join(FOLDER, `${name}_${suffix}.png`), animations: 'disabled', fullPage: true });
  }
}

/**
 * Takes a picture of every page, in light and dark, for a desktop and a phone. `signedIn` is a context in which the
 * owner of the rows has signed in.
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
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const viewport = { width, height: 800 };
      const context = await browser.newContext({ storageState, colorScheme, viewport, reducedMotion: 'reduce' });
      await takePages(context, consoleUrl, rows, `${colorScheme}_${width}`);
      await context.close();
    }
  }
  return FOLDER;
}
