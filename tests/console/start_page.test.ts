import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployAction, PRICE } from '../support/actions.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { addBrowserWallet } from '../support/browser_wallet.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { deploy, signUp, storeFlow } from '../support/people.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 400 });
});
afterAll(() => chain.stop());

/** Whoever starts pays the shop. */
function shopFlow(shop: string): FlowBuilder {
  const flow = new FlowBuilder();
  const account = flow.input('account');
  const paid = flow.use('transfer_sol', {
    fee_payer: account,
    sender: account,
    recipient: flow.use('wallet', {}, { form: { public_key: shop }, title: 'shop' }).output('pubkey'),
    amount: flow.constant({ D: '0.01' }, 'price'),
  }, { title: 'pay' });
  flow.output('signature', paid.output('signature'));
  return flow;
}

test('a stranger pays with a wallet of the browser, and sees the result', async () => {
  const owner = await signUp();
  const [shop, partner, buyer] = [await storeKeypair(owner), makeKeypair(), makeKeypair()];
  await chain.call('requestAirdrop', buyer.publicKey, 10n * SOL);
  const id = await deployAction(owner, chain, shopFlow(shop), {
    fees: [[partner.publicKey, 1_000_000]],
    name: 'Coffee',
    description: `A coffee ${HOSTILE}`,
  });

  const opened = await openConsole();
  const { page } = opened;
  await addBrowserWallet(page, buyer);
  await opened.goto(`start/${id}`);
  await page.getByRole('heading', { level: 1, name: 'Coffee' }).waitFor();
  await page.getByText(HOSTILE).waitFor();
  await page.getByRole('region', { name: 'Fees' }).getByText(`0.001 SOL to ${partner.publicKey}`).waitFor();
  await page.getByRole('button', { name: 'Connect Test wallet' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'account' }).inputValue()).toBe(buyer.publicKey);
  await opened.checkAccessibility();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const request = page.getByRole('group', { name: 'The run waits for a signature' });
  await request.getByRole('button', { name: 'Sign with Test wallet' }).waitFor();
  await opened.checkAccessibility();
  // The run is found again by a page that is loaded anew.
  await page.reload();
  await request.getByRole('button', { name: 'Sign with Test wallet' }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('signature').waitFor();
  await page.getByText('succeeded', { exact: true }).waitFor();
  await opened.checkAccessibility();
  expect([chain.balance(shop), chain.balance(partner.publicKey)]).toEqual([PRICE, 1_000_000n]);
});

test('somebody with an account starts what is for those, on a narrow screen in the dark', async () => {
  const owner = await signUp();
  const id = await deploy(owner, await storeFlow(owner, textFlow(), { name: HOSTILE }));
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const notFound = async (path: string): Promise<string> => {
    await opened.goto(`start/${path}`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    return await page.getByRole('main').innerText();
  };
  const texts = [await notFound(id), await notFound(randomUUID()), await notFound('nonsense')];
  expect(new Set(texts).size).toBe(1);
  await opened.checkAccessibility();

  const person = await enterConsole(opened);
  await notFound(id);
  await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' }).eq('id', id).throwOnError();
  await opened.goto(`start/${id}`);
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
  await page.getByText(`You start as ${person.email}`).waitFor();
  await page.getByRole('textbox', { name: 'value' }).fill(HOSTILE);
  await opened.checkAccessibility();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('region', { name: 'Result' }).getByText(HOSTILE).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await opened.checkAccessibility();
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
});
