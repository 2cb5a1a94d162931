import AxeSource from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { findChrome } from './chrome.ts';
import { makeClient, type Person } from './people.ts';
import { waitFor } from './wait.ts';

/** No sandbox, since tests run as root in containers; drawn without a graphics card's emulation, which costs most of a page. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];

/** How long a page may take for anything: as all limits of tests, far more than a busy machine needs. */
const PATIENCE_MS = 100_000;

let launched: Promise<Browser> | undefined;

/** The browser of this process, which Playwright ends with it. */
export const launchBrowser = (): Promise<Browser> =>
  launched ??= findChrome().then((executablePath) => chromium.launch({ executablePath, args: ARGUMENTS }));

/** What the browser says of a request that the API refused; the test that made it expects that. */
const isRefusal = (text: string): boolean =>
  text.startsWith('Failed to load resource: the server responded with a status of');

/** Collects what a page does that no page of the console may do. */
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

/** A console that is open in a browser. */
export interface ConsolePage {
  page: Page;
  /** Opens a path of the console, such as `flows/7`, and waits for its heading. */
  goto: (path: string) => Promise<void>;
  /** Fails on every serious or critical fault that axe-core finds on the page as it is. */
  checkAccessibility: () => Promise<void>;
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

/**
 * Opens a page of the test stack's console, or of another one's, in a browser of its own session, until the test ends. A
 * test whose page leaves an error in the browser's console, breaks the policy or asks a third party, fails.
 * `colorScheme` and `viewport` are Playwright's; with `isBuilt: false` the console need not be built yet.
 */
export async function openConsole(
  options: BrowserContextOptions & { consoleUrl?: string; initScript?: string; isBuilt?: boolean } = {},
): Promise<ConsolePage> {
  const { consoleUrl = inject('stack').CONSOLE_URL, initScript, isBuilt = true, ...contextOptions } = options;
  const [browser] = await Promise.all([launchBrowser(), isBuilt ? waitForConsole(consoleUrl) : undefined]);
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1600, height: 900 },
    ...contextOptions,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  let faults: string[] = [];
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  if (initScript !== undefined) await context.addInitScript(initScript);
  const page = await context.newPage();
  faults = watch(page, new Set([consoleUrl, inject('stack').API_URL].map((url) => new URL(url).host)));
  return {
    page,
    async goto(path) {
      await page.goto(new URL(path, consoleUrl).href);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    async checkAccessibility() {
      // As the page's own script it would break the policy; evaluated by the browser's protocol it does not.
      await page.evaluate(AxeSource.source);
      const { violations } = await page.evaluate<AxeSource.AxeResults>('axe.run()');
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, help, nodes }) => ({ id, help, targets: nodes.map(({ html }) => html) }))).toEqual([]);
    },
  };
}

/** Somebody who is signed in to the console, and reaches the API beside it. */
export interface ConsolePerson extends Person {
  email: string;
  password: string;
}

const newCredentials = () => ({ email: `${crypto.randomUUID()}@example.com`, password: crypto.randomUUID() });

/** Signs a new user up by the page's own form, and waits for the first page behind it. */
export async function signUpInConsole({ page, goto }: ConsolePage): Promise<ConsolePerson> {
  const credentials = newCredentials();
  await goto('');
  await fillIn(page, credentials, 'Sign up');
  return { ...credentials, ...await signInByApi(credentials) };
}

/** Signs a new user up by the API: the pages that are opened from then on are theirs. It opens none. */
export async function enterConsole({ page }: ConsolePage): Promise<ConsolePerson> {
  const credentials = newCredentials();
  const client = makeClient();
  const { data: { session }, error } = await client.auth.signUp(credentials);
  if (session === null) throw new Error('sign-up failed', { cause: error });
  const key = `flow-console-${new URL(inject('stack').API_URL).host}`;
  await page.addInitScript(([name, value]) => localStorage.setItem(name!, value!), [key, JSON.stringify(session)]);
  return { ...credentials, id: session.user.id, token: session.access_token, client };
}

/** Signs somebody in who has an account, as in a browser of a second person. */
export async function signInToConsole({ page, goto }: ConsolePage, person: ConsolePerson): Promise<void> {
  await goto('');
  await fillIn(page, person, 'Sign in');
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
