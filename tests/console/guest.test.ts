import { expect, test } from 'vitest';
import { openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, signUp, storeFlow } from '../support/people.ts';

test('a guest on a phone starts with the values of a link, keeps the key, and sees the result', async () => {
  const owner = await signUp();
  const flow = new FlowBuilder();
  for (const name of ['item', 'note']) flow.output(`got ${name}`, flow.input(name));
  const id = await deploy(owner, await storeFlow(owner, flow, { start_unverified: true, is_public: true }));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();

  const opened = await openConsole({ viewport: { width: 390, height: 800 } });
  const { page } = opened;
  const values = { item: 'tea', note: 'hot', price: 5 };
  await opened.goto(`start/${id}#inputs=${encodeURIComponent(JSON.stringify(values))}`);
  // This flow uses no Solana network, so its network does not matter.
  expect(await page.getByText('devnet').count()).toBe(0);
  await opened.checkAccessibilityInBoth();
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  const who = page.getByRole('group', { name: 'Who starts' });
  await who.getByText('You start as a guest').waitFor();
  expect(await who.locator('code').count()).toBe(0);
  await page.getByText('The link has a value for price').waitFor();
  const item = page.getByRole('textbox', { name: 'item' });
  expect(await item.inputValue()).toBe('tea');
  await item.fill('cake');
  await page.getByRole('button', { name: 'Copy link with these values' }).waitFor();
  await opened.checkAccessibility();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('cake').waitFor();
  await result.getByText('hot').waitFor();

  // The browser keeps the key, and no script can read its secret part.
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await result.getByText('hot').waitFor();
  const { data } = await owner.client.from('flow_run').select('started_by_public_key').eq('deployment_id', id)
    .throwOnError();
  expect(data.length).toBe(2);
  expect(new Set(data.map(({ started_by_public_key }) => started_by_public_key)).size).toBe(1);
  const isReadable = await page.evaluate(() =>
    new Promise<boolean>((resolve, reject) => {
      const opening = indexedDB.open('flow-console-guest', 1);
      opening.addEventListener('error', () => reject(opening.error as Error));
      opening.addEventListener('success', () => {
        const reading = opening.result.transaction('keys').objectStore('keys').get('guest');
        reading.addEventListener('success', () => {
          opening.result.close();
          resolve(reading.result.privateKey.extractable);
        });
      });
    })
  );
  expect(isReadable).toBe(false);
});

test('a guest sees how far a run has come, and stops it', async () => {
  const owner = await signUp();
  const flow = new FlowBuilder();
  flow.output('out', flow.wait(flow.toText(flow.json(1)), 600_000));
  const id = await deploy(owner, await storeFlow(owner, flow, { start_unverified: true, is_public: true }));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
  const opened = await openConsole({ viewport: { width: 390, height: 800 } });
  const { page } = opened;
  await opened.goto(`start/${id}`);
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('2 of 4 steps are done.').waitFor();
  await opened.checkAccessibilityInBoth();
  await page.reload();
  await page.getByText('2 of 4 steps are done.').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('You or the owner of the flow stopped the run').waitFor();
  expect(await page.getByText('steps are done').count()).toBe(0);
});
