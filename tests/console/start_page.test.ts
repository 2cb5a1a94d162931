import { base64 } from '@scure/base';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployAction, PRICE } from '../support/actions.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { addBrowserWallet, type BrowserWalletOptions } from '../support/browser_wallet.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { deploy, signUp, storeFlow } from '../support/people.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';

/** The preflight uses `processed`, because the blockhash of a new transaction is not finalized yet. */
const SEND_OPTIONS = { encoding: 'base64', preflightCommitment: 'processed' };

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

let chain: TestChain;
/**
 * A chain for transactions that are sent by hand: its blockhashes are valid for ten minutes. On the faster chain of the
 * other tests, a blockhash could expire before a busy machine sends such a transaction.
 */
let slowChain: TestChain;
beforeAll(async () => {
  [chain, slowChain] = await Promise.all([startTestChain({ slotMs: 400 }), startTestChain({ slotMs: 4_000 })]);
});
afterAll(() => Promise.all([chain.stop(), slowChain.stop()]));

/** A flow in which the starter pays the shop. */
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

test('a visitor pays with a wallet of the browser, and sees the result', async () => {
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
  await page.getByRole('region', { name: 'Fees' }).getByTitle(partner.publicKey).waitFor();
  await page.getByRole('button', { name: 'Connect Test wallet' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'account' }).inputValue()).toBe(buyer.publicKey);
  await opened.checkAccessibility();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const request = page.getByRole('group', { name: 'A signature is needed' });
  await request.getByRole('button', { name: 'Sign with Test wallet' }).waitFor();
  await opened.checkAccessibility();
  // A reloaded page finds the run again.
  await page.reload();
  await request.getByRole('button', { name: 'Sign with Test wallet' }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('signature').waitFor();
  await page.getByText('succeeded', { exact: true }).waitFor();
  await opened.checkAccessibility();
  expect([chain.balance(shop), chain.balance(partner.publicKey)]).toEqual([PRICE, 1_000_000n]);
});

test("a guest pays from the guest's key, which the browser keeps", async () => {
  const owner = await signUp();
  const shop = await storeKeypair(owner);
  const id = await deployAction(owner, chain, shopFlow(shop), {});
  const { page, goto } = await openConsole();
  await goto(`start/${id}`);
  await page.getByText('devnet').waitFor();
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  const key = await page.getByRole('textbox', { name: 'account' }).inputValue();
  await chain.call('requestAirdrop', key, 10n * SOL);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Sign as a guest' }).click();
  await page.getByRole('region', { name: 'Result' }).getByText('signature').waitFor();
  expect(chain.balance(shop)).toBe(PRICE);
});

/** Opens the start page of a deployment that outputs its transaction, and starts it as the wallet's holder. */
async function startForTransaction(options: BrowserWalletOptions, colorScheme: 'light' | 'dark') {
  const owner = await signUp();
  const [shop, partner, buyer] = [await storeKeypair(owner), makeKeypair(), makeKeypair()];
  await slowChain.call('requestAirdrop', buyer.publicKey, 10n * SOL);
  const id = await deployAction(owner, slowChain, shopFlow(shop), {
    fees: [[partner.publicKey, 1_000_000]],
    output_instructions: true,
  });
  const opened = await openConsole({ colorScheme, viewport: { width: 360, height: 800 } });
  await addBrowserWallet(opened.page, buyer, options);
  await opened.goto(`start/${id}`);
  await opened.page.getByRole('button', { name: 'Connect Test wallet' }).click();
  await opened.page.getByRole('button', { name: 'Start', exact: true }).click();
  await opened.page.getByRole('group', { name: 'The transaction waits for you' }).waitFor();
  return { opened, balances: () => [slowChain.balance(shop), slowChain.balance(partner.publicKey)] };
}

test('an output transaction is signed and sent by the wallet once', async () => {
  let refusal: object | undefined = { code: 4001, message: 'User rejected the request.' };
  const send = async (wire: Uint8Array) => {
    const { error } = await slowChain.call('sendTransaction', base64.encode(wire), SEND_OPTIONS);
    if (error !== undefined) throw new Error(error.message);
  };
  const { opened, balances } = await startForTransaction({ send, refuse: () => refusal }, 'dark');
  const { page } = opened;
  const button = page.getByRole('button', { name: 'Sign and send with Test wallet' });
  await opened.checkAccessibility();

  await button.click();
  const alert = page.getByRole('alert');
  await alert.getByText('You said no in Test wallet.').waitFor();
  await alert.getByText('wallet_refused').waitFor();
  refusal = { message: HOSTILE };
  await button.click();
  await alert.getByText(`Test wallet did not do it: ${HOSTILE}`).waitFor();
  expect(balances()).toEqual([0n, 0n]);

  refusal = undefined;
  await button.click();
  const link = page.getByRole('status').getByRole('link');
  const signature = await link.innerText();
  expect(await link.getAttribute('href')).toBe(`https://explorer.solana.com/tx/${signature}?cluster=devnet`);
  expect((await slowChain.call('getSignatureStatuses', [signature])).result.value[0].err).toBeNull();
  expect(balances()).toEqual([PRICE, 1_000_000n]);
  await opened.checkAccessibility();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  // A transaction with another blockhash would be a second payment, so the page does not offer to send again.
  await page.reload();
  await page.getByText('The transaction was sent').waitFor();
  expect(await button.count()).toBe(0);
});

test("a wallet that can't send signs an output transaction, and the text can be sent", async () => {
  const { opened, balances } = await startForTransaction({}, 'light');
  const { page } = opened;
  await page.getByRole('button', { name: 'Sign with Test wallet' }).click();
  const signed = await page.getByRole('textbox', { name: 'Signed transaction' }).inputValue();
  await opened.checkAccessibility();
  expect(balances()).toEqual([0n, 0n]);
  expect((await slowChain.call('sendTransaction', signed, SEND_OPTIONS)).error).toBeUndefined();
  expect(balances()).toEqual([PRICE, 1_000_000n]);
});

test('a user starts a deployment for users with accounts, on a narrow screen in dark mode', async () => {
  const owner = await signUp();
  const id = await deploy(owner, await storeFlow(owner, textFlow(), { name: HOSTILE }));
  const opened = await openConsole({ colorScheme: 'dark', viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const textAt = async (path: string, heading: string): Promise<string> => {
    await opened.goto(`start/${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    return await page.getByRole('main').innerText();
  };
  // A stranger is asked to sign in, whether or not there is something to start.
  const texts = [];
  const addresses = [id, randomUUID(), 'nonsense', 'f/1/a/b', `f/2147483647/latest`];
  for (const path of addresses) texts.push(await textAt(path, 'Flow console'));
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toContain('Sign in to open this page.');
  await opened.checkAccessibility();

  const person = await enterConsole(opened);
  const refusals = [];
  for (const path of addresses) refusals.push(await textAt(path, 'Not found'));
  expect(new Set(refusals).size).toBe(1);
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
