import { expect, inject, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { waitFor } from '../support/wait.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

test('a wallet of either kind is added, renamed and deleted', async () => {
  const opened = await openConsole({ colorScheme: 'dark' });
  const { page } = opened;
  const { client: db } = await enterConsole(opened);
  await opened.goto('wallets');
  await page.getByText('You have no wallets yet').waitFor();

  await page.getByRole('button', { name: 'New wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
  await dialog.getByRole('textbox', { name: 'Public key' }).fill('not a key');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByRole('alert').getByText('column_invalid').waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Public key' }).getAttribute('aria-invalid')).toBe('true');
  expect(await dialog.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid')).not.toBe('true');
  await opened.checkAccessibility();
  await dialog.getByRole('textbox', { name: 'Public key' }).fill('So11111111111111111111111111111111111111112');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('cell', { name: HOSTILE, exact: true }).waitFor();

  await page.getByRole('button', { name: 'New wallet' }).click();
  await dialog.getByRole('tab', { name: 'A key pair' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('shop');
  await dialog.getByRole('button', { name: 'Make a new key pair' }).click();
  await dialog.getByText('Keep a copy of the key pair').waitFor();
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('cell', { name: 'signs by itself' }).waitFor();

  await page.getByRole('button', { name: 'Rename shop' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('till');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'till', exact: true }).waitFor();
  await opened.checkAccessibility();
  await page.getByRole('button', { name: 'Delete till' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await waitFor(async () => await page.getByRole('cell', { name: 'till', exact: true }).count() === 0 || undefined);
  const { data } = await db.from('wallets').select('name').throwOnError();
  expect(data).toEqual([{ name: HOSTILE }]);
});

test('an API key is made, shown once, works, and is deleted', async () => {
  const opened = await openConsole();
  const { page } = opened;
  await enterConsole(opened);
  await opened.goto('settings');
  await page.getByRole('button', { name: 'New API key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('nightly script');
  await dialog.getByRole('button', { name: 'Make' }).click();
  const key = await dialog.getByRole('textbox', { name: 'API key' }).inputValue();
  await opened.checkAccessibility();
  await dialog.getByRole('button', { name: 'Done' }).click();

  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  const ask = () =>
    fetch(`${API_URL}/rest/v1/api_keys?select=name`, { headers: { apikey: PUBLISHABLE_KEY, 'x-api-key': key } });
  expect(await (await ask()).json()).toEqual([{ name: 'nightly script' }]);
  await page.getByRole('button', { name: 'Delete nightly script' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('You have no API keys yet').waitFor();
  expect((await ask()).status).toBe(401);
});

test('the theme and the format of dates are chosen, and kept in the browser', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const { client } = await enterConsole(opened);
  await client.rpc('create_api_key', { name: 'nightly script' }).throwOnError();
  await opened.goto('settings');
  const time = page.getByRole('table', { name: 'API keys' }).locator('time');
  expect(await time.innerText()).toMatch(/ago$|^now$/);
  const appearance = page.getByRole('region', { name: 'Appearance' });
  await appearance.getByText('Dark', { exact: true }).click();
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await appearance.getByRole('radio', { name: /^\d{4}-\d\d-\d\d/ }).click();
  await expect.poll(() => time.innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  await opened.checkAccessibility();
  await page.reload();
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await expect.poll(() => time.innerText()).toMatch(/^\d{4}-\d\d-\d\d/);
});
