import { expect, test } from 'vitest';
import { enterConsole, openConsole, signUpInConsole } from '../support/browser.ts';

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

test('a wrong password is shown as an alert with its code', async () => {
  const { page, goto } = await openConsole();
  await goto('runs');
  await page.getByRole('textbox', { name: 'Email' }).fill('nobody@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong-password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').textContent()).toMatch(/invalid/i);
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
