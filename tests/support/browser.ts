import type { Session } from '@supabase/supabase-js';
import type * as Axe from 'axe-core';
import { readFileSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { findChrome } from './chrome.ts';
import { makeClient, type Person } from './people.ts';
import { waitFor } from './wait.ts';

/** True if the browser's processes may use shared memory, which a container may lack. */
const hasSharedMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 1024 ** 3;
  } catch {
    return false;
  }
};

/**
 * The browser has no sandbox, because tests run as root in containers. It does not emulate a GPU, because the emulation
 * would take most of the CPU time of a page.
 */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', ...(hasSharedMemory() ? [] : ['--disable-dev-shm-usage'])];

/** The time limit of every action of a page. Like all limits of tests, it is far more than a busy machine needs. */
const PATIENCE_MS = 100_000;

let launched: Promise<Browser> | undefined;

/** Starts the browser of this process; Playwright ends it with the process. */
export const launchBrowser = (): Promise<Browser> =>
  launched ??= findChrome().then((executablePath) => chromium.launch({ executablePath, args: ARGUMENTS }));

/** True for the browser's message that the API has refused a request. Tests expect such messages. */
const isRefusal = (text: string): boolean =>
  text.startsWith('Failed to load resource: the server responded with a status of');

/** Collects events that no page of the console may cause. */
function watch(page: Page, origins: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    const isFault = message.type() === 'error' || /Content Security Policy/.test(message.text());
    if (isFault && !isRefusal(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol) && !origins.has(url.host)) {
      faults.push(`asked a third party: ${request.url()}`);
    }
  });
  return faults;
}

/** A console in a browser. */
export interface ConsolePage {
  page: Page;
  /** Opens a path of the console, such as `flows/7`, and waits for its heading. */
  goto: (path: string) => Promise<void>;
  /** Fails on every serious or critical fault that axe-core finds on the page. */
  checkAccessibility: () => Promise<void>;
  /** Checks all rules in light, and only the rules about colours in dark: the schemes differ only in colours. */
  checkAccessibilityInBoth: () => Promise<void>;
}

/** Waits until a stack has built its console. */
async function waitForConsole(consoleUrl: string): Promise<void> {
  await waitFor(async () => {
    const response = await fetch(consoleUrl);
    const text = await response.text();
    if (response.status === 500) throw new Error(text);
    return response.ok || undefined;
  });
}

/** The smaller of axe-core's two files: it is sent to each scanned document and parsed there. */
const AXE_SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The parts of an axe fault that are reported. */
type AxeFault = Pick<Axe.Result, 'id' | 'help'> & { targets: string[] };

/** Options that save half of a check's time: axe describes only faults, and preloads no files. */
const AXE_OPTIONS: Axe.RunOptions = { resultTypes: ['violations'], preload: false };

/** The rules about colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Returns every serious or critical fault that axe-core finds. This function runs in the page. */
async function findSeriousFaults(options: Axe.RunOptions): Promise<AxeFault[]> {
  // SAFETY: axe-core was loaded into the page before.
  const { axe } = window as unknown as { axe: typeof Axe };
  const { violations } = await axe.run(options);
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, targets: nodes.map(({ html }) => html) }));
}

/** The pages that a test no longer needs. They are cleared for the next test. */
const idlePages: Page[] = [];

async function makePage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  return await context.newPage();
}

/**
 * Clears a page for the next test: stored data, open dialogs and listeners are gone. The page's process stays. It has
 * the console's scripts compiled already, which saves a third of the time that a page takes.
 */
async function tidy(page: Page, consoleUrl: string): Promise<void> {
  const others = page.context().pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  // Open an image of the console, which has the console's storage but runs no script that would store data.
  await page.goto(new URL('favicon.svg', consoleUrl).href);
  await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
  await page.context().clearCookies();
  await page.mouse.move(0, 0);
  for (const event of ['console', 'pageerror', 'request', 'response', 'worker'] as const) {
    page.removeAllListeners(event);
  }
}

/** Options of a page; `colorScheme` and `viewport` are Playwright's. */
interface ConsolePageOptions {
  consoleUrl?: string;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** If `false`, the console need not be built yet. */
  isBuilt?: boolean;
  /** If `true`, the browser's cache is empty, and the page is not reused. */
  isFirstVisit?: boolean;
}

/**
 * Opens a page of a console, by default of the test stack's console. The page has its own browser session, and is open
 * until the test ends. A test fails if its page logs an error, breaks the policy or asks a third party.
 */
export async function openConsole(options: ConsolePageOptions = {}): Promise<ConsolePage> {
  const { consoleUrl = inject('stack').CONSOLE_URL, isBuilt = true, isFirstVisit = false } = options;
  const [browser] = await Promise.all([launchBrowser(), isBuilt ? waitForConsole(consoleUrl) : undefined]);
  const isKept = !isFirstVisit && consoleUrl === inject('stack').CONSOLE_URL;
  const page = (isKept ? idlePages.pop() : undefined) ?? await makePage(browser);
  let faults: string[] = [];
  onTestFinished(async ({ task }) => {
    // Keep the page only after a passed test: a failed one may have left a pressed key, or a page that does not answer.
    if (isKept && task.result?.state === 'pass') {
      await tidy(page, consoleUrl);
      idlePages.push(page);
    } else {
      await page.context().close();
    }
    expect(faults).toEqual([]);
  });
  const { colorScheme = 'light', viewport = { width: 1600, height: 900 } } = options;
  await Promise.all([page.emulateMedia({ colorScheme }), page.setViewportSize(viewport)]);
  faults = watch(page, new Set([consoleUrl, inject('stack').API_URL].map((url) => new URL(url).host)));
  const check = async (axeOptions: Axe.RunOptions = {}) => {
    // Load axe through the browser's protocol, because a script element would break the page's policy.
    if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(AXE_SCRIPT);
    expect(await page.evaluate(findSeriousFaults, { ...AXE_OPTIONS, ...axeOptions })).toEqual([]);
  };
  const changeColours = async (colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  };
  return {
    page,
    checkAccessibility: () => check(),
    async checkAccessibilityInBoth() {
      await changeColours('light');
      await check();
      await changeColours('dark');
      await check({ runOnly: COLOUR_RULES });
    },
    async goto(path) {
      await page.goto(new URL(path, consoleUrl).href);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  };
}

/** A person who is signed in to the console and can call the API, too. */
export interface ConsolePerson extends Person {
  email: string;
  password: string;
}

const newCredentials = () => ({ email: `${crypto.randomUUID()}@example.com`, password: crypto.randomUUID() });

/** Signs up a new user by the page's form, and waits for the first page after it. */
export async function signUpInConsole({ page, goto }: ConsolePage): Promise<ConsolePerson> {
  const credentials = newCredentials();
  await goto('');
  await fillIn(page, credentials, 'Sign up');
  return { ...credentials, ...await signInByApi(credentials) };
}

/** Signs in the pages that the test opens from now on, but opens no page. */
async function enter({ page }: ConsolePage, session: Session): Promise<void> {
  const key = `flow-console-${new URL(inject('stack').API_URL).host}`;
  const entry = [key, JSON.stringify(session)];
  const script = await page.addInitScript(([name, value]) => localStorage.setItem(name!, value!), entry);
  onTestFinished(() => script.dispose());
}

/** Signs up a new user by the API, for the pages that the test opens from now on. Opens no page. */
export async function enterConsole(opened: ConsolePage): Promise<ConsolePerson> {
  const credentials = newCredentials();
  const client = makeClient();
  const { data: { session }, error } = await client.auth.signUp(credentials);
  if (session === null) throw new Error('sign-up failed', { cause: error });
  await enter(opened, session);
  return { ...credentials, id: session.user.id, token: session.access_token, client };
}

/** Signs in an existing user by the API, for example in the browser of a second person. Opens no page. */
export async function signInToConsole(opened: ConsolePage, person: ConsolePerson): Promise<void> {
  const { data: { session }, error } = await makeClient().auth.signInWithPassword(person);
  if (session === null) throw new Error('sign-in failed', { cause: error });
  await enter(opened, session);
}

async function fillIn(page: Page, credentials: { email: string; password: string }, button: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(credentials.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(credentials.password);
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
}

async function signInByApi(credentials: { email: string; password: string }): Promise<Person> {
  const client = makeClient();
  const { data, error } = await client.auth.signInWithPassword(credentials);
  if (error !== null) throw new Error('sign-in failed', { cause: error });
  return { id: data.user.id, token: data.session.access_token, client };
}
