import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { enterConsole, openConsole, signUpInConsole } from '../support/browser.ts';
import { waitFor } from '../support/wait.ts';

// Signing up opens the page Flows. So this list has Flows last, and each click opens another page.
const PAGES = ['Deployments', 'Runs', 'Nodes', 'Wallets', 'Connections', 'Schedules', 'Settings', 'Flows'];

test('a user signs up, reaches every page by the navigation, signs out and in again', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { email, password } = await signUpInConsole(opened);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  for (const name of PAGES) {
    await navigation.getByRole('link', { name, exact: true }).click();
    const heading = page.getByRole('heading', { level: 1, name, exact: true });
    await heading.waitFor();
    expect(await heading.evaluate((element) => document.activeElement === element)).toBe(true);
    expect(await page.title()).toBe(`${name} · Flow console`);
    expect(await navigation.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page');
  }
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
});

test('a wrong password is refused in plain words', async () => {
  const { page, goto } = await openConsole();
  await goto('runs');
  await page.getByRole('textbox', { name: 'Email' }).fill('nobody@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong-password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').textContent()).toBe('The e-mail address or the password is wrong.');
});

/** Returns the link in the newest mail to this address, which the stack has printed. */
const linkInMail = (email: string): Promise<string> =>
  waitFor(async () => {
    const [, mail = ''] = (await readFile(inject('stackLog'), 'utf8')).split(`Mail to ${email}: `);
    return /https?:\/\/\S+\/verify\S+/.exec(mail)?.[0];
  });

test('a forgotten password is replaced by the link of a mail, and strangers do not learn who has an account', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { email } = await signUpInConsole(opened);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('A flow is a program that you draw').waitFor();
  await page.getByRole('button', { name: 'Forgotten password?' }).click();
  for (const asked of [`${crypto.randomUUID()}@example.com`, email]) {
    await page.getByRole('textbox', { name: 'Email' }).fill(asked);
    await page.getByRole('button', { name: 'Send the mail' }).click();
    await page.getByText(`If ${asked} has an account, a mail is on its way.`).waitFor();
  }
  await opened.checkAccessibilityInBoth();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await page.getByRole('button', { name: 'Back to signing in' }).click();
  await page.getByRole('textbox', { name: 'Password' }).waitFor();

  await page.goto(await linkInMail(email));
  const password = page.getByRole('textbox', { name: 'New password' });
  await password.fill('short');
  await page.getByRole('button', { name: 'Save the new password' }).click();
  await page.getByRole('alert').waitFor();
  await opened.checkAccessibilityInBoth();
  const chosen = crypto.randomUUID();
  await password.fill(chosen);
  await page.setViewportSize({ width: 1280, height: 740 });
  await page.getByRole('button', { name: 'Save the new password' }).click();
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(chosen);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
});

test('axe finds no serious fault on the pages, in light and in dark', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 740 } });
  await opened.goto('');
  await opened.checkAccessibilityInBoth();
  await enterConsole(opened);
  for (const name of PAGES) {
    await opened.goto(name.toLowerCase());
    await opened.checkAccessibilityInBoth();
    const overflow = await opened.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(overflow, `${name} is wider than the screen`).toBe(false);
  }
});

test('an unknown address shows a page that is not found', async () => {
  const opened = await openConsole();
  await enterConsole(opened);
  await opened.goto('no/such/page');
  await expect.poll(() => opened.page.getByRole('heading', { level: 1 }).textContent()).toBe('Not found');
});
