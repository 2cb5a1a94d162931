import { test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';
import { textFlow } from '../support/flow_builder.ts';
import { deploy, storeFlow } from '../support/people.ts';

test('a browser that has lost its network still starts a deployment of a stack on its own machine', async () => {
  const opened = await openConsole();
  const { page } = opened;
  const owner = await enterConsole(opened);
  await opened.goto(`deployments/${await deploy(owner, await storeFlow(owner, textFlow()))}`);
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await start.waitFor();
  // The browser reports the loss by this event.
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await start.click();
  await page.waitForURL(/\/runs\//);
  await page.getByRole('region', { name: 'Facts' }).getByText('succeeded', { exact: true }).waitFor();
});
