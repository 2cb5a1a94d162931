import { BlinkInstance, FormActionComponent } from '@dialectlabs/blinks-core';
import { BlinkSolanaConfig } from '@dialectlabs/blinks-core/solana';
import { BLOCKCHAIN_IDS, validateActionIdentifierMemo } from '@solana/actions';
import { Connection, Keypair as Web3Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { base58 } from '@scure/base';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { deployAction } from '../support/actions.ts';
import type { BlinkPageWallet } from './blink_page.ts';
import { type BlinkSite, startBlinkSite } from './blink_site.ts';
import { launchBrowser } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { type Keypair, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';

// Dialect's client, which shows actions on pages. It uses a proxy of its own for all hosts but 127.0.0.1.

let chain: TestChain;
let connection: Connection;
let site: BlinkSite;
let owner: Person;
let shop: Keypair;
let buyer: Keypair;
let deploymentId: string;
beforeAll(async () => {
  // Slots have their true length. With shorter slots, the transaction could be finalized before the client asks, and
  // the client takes a finalized transaction for an unknown one.
  [chain, site, owner] = await Promise.all([startTestChain({}), startBlinkSite(), signUp()]);
  connection = new Connection(chain.url, 'confirmed');
  buyer = await fundedKeypair(chain);
  shop = makeKeypair();
  await storeKeypair(owner, shop);
  const flow = new FlowBuilder();
  flow.use('transfer_sol', {
    sender: flow.input('account'),
    recipient: flow.input('recipient'),
    amount: flow.input('amount', 0.25),
  });
  deploymentId = await deployAction(owner, chain, flow, {
    output_instructions: true,
    action_identity: shop.publicKey,
    name: 'Tip',
    description: 'Thank the cook.',
  });
});
afterAll(async () => {
  await site?.close();
  await chain?.stop();
});

const wallet: BlinkPageWallet = {
  connect: async () => buyer.publicKey,
  signAndSend: async (text) => {
    const transaction = VersionedTransaction.deserialize(Buffer.from(text, 'base64'));
    transaction.sign([Web3Keypair.fromSecretKey(base58.decode(buyer.keypair))]);
    return await connection.sendRawTransaction(transaction.serialize());
  },
};

const actionUrl = () => `${inject('stack').FUNCTIONS_URL}/action/${deploymentId}`;

it("a blink is fetched, filled in, signed, confirmed and completed by Dialect's client", async () => {
  const recipient = makeKeypair().publicKey;
  const adapter = new BlinkSolanaConfig(connection, {
    metadata: { supportedBlockchainIds: [BLOCKCHAIN_IDS.devnet] },
    connect: wallet.connect,
    signTransaction: async (text) => ({ signature: await wallet.signAndSend(text) }),
    signMessage: async () => ({ error: 'not asked for' }),
  });

  const blink = await BlinkInstance.fetch(actionUrl());
  expect([blink.title, blink.error, blink.metadata]).toEqual([
    'Tip',
    null,
    { blockchainIds: [BLOCKCHAIN_IDS.devnet], version: '2.4' },
  ]);
  expect(await blink.isSupported(adapter)).toEqual({ isSupported: true });

  const [form] = blink.actions;
  expect(form).toBeInstanceOf(FormActionComponent);
  (form as FormActionComponent).setValue(recipient, 'recipient');
  // The address holds the default, and the body holds the typed values.
  expect(form!.href).toMatch(/amount=0\.25/);
  (form as FormActionComponent).setValue('0.5', 'amount');
  const answer = await form!.post(buyer.publicKey) as unknown as {
    transaction: string;
    links: { next: { type: 'post'; href: string } };
  };
  const signed = await adapter.signTransaction(answer.transaction, {} as never) as { signature: string };
  await adapter.confirmTransaction(signed.signature);
  expect(chain.balance(recipient)).toBe(500_000_000n);

  const completed = await blink.chain(answer.links.next, { account: buyer.publicKey, signature: signed.signature });
  expect([completed?.type, completed?.title, completed?.error]).toEqual(['completed', 'Tip', null]);
  expect(completed?.description).toContain('is confirmed');
});

describe("a page that shows a blink by Dialect's component", () => {
  let context: BrowserContext;
  let page: Page;
  /** Servers of other hosts from which the page has requested something. */
  let strangers: Set<string>;
  let uncaught: string[];

  /** Opens the page with the buyer's wallet, and waits until it shows the action. */
  async function openBlink(): Promise<void> {
    context = await (await launchBrowser()).newContext();
    page = await context.newPage();
    page.setDefaultTimeout(100_000);
    [strangers, uncaught] = [new Set(), []];
    page.on('pageerror', (error) => uncaught.push(error.stack ?? error.message));
    await context.route(({ hostname }) => hostname !== '127.0.0.1', async (route) => {
      strangers.add(new URL(route.request().url()).origin);
      await route.abort();
    });
    for (const [name, work] of Object.entries(wallet)) await page.exposeFunction(name, work);
    const link = `solana-action:${actionUrl()}`;
    await page.goto(site.pageOf({ link, chainUrl: chain.url, chainId: BLOCKCHAIN_IDS.devnet }));
    await page.getByText('Thank the cook.').waitFor();
  }
  afterEach(() => context?.close());

  const button = () => page.getByRole('button', { name: 'Review and sign' });
  const field = (name: string) => page.getByPlaceholder(name);

  it('accepts the form, pays, and shows the success', async () => {
    await openBlink();
    const recipient = makeKeypair().publicKey;
    expect(await button().isDisabled(), 'while a required field is empty').toBe(true);
    await field('recipient').fill('nobody');
    expect(await button().isDisabled(), 'while the address is none').toBe(true);
    await field('recipient').fill(recipient);
    await field('amount').fill('0.5');
    await button().click();
    await page.getByText('Your transaction is confirmed.').waitFor();
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);

    expect(chain.balance(recipient)).toBe(500_000_000n);
    const [paid] = await connection.getSignaturesForAddress(new PublicKey(recipient), {}, 'confirmed');
    expect(validateActionIdentifierMemo(new PublicKey(shop.publicKey), paid!.memo)).toMatchObject({ verified: true });
    // The only foreign server is Dialect's list of known sites. Without the list, the page shows the blink as unknown.
    expect([[...strangers], uncaught]).toEqual([['https://actions-registry.dial.to'], []]);
  });

  it('shows why there is nothing to sign, and allows another try', async () => {
    await openBlink();
    const recipient = makeKeypair().publicKey;
    await field('recipient').fill(recipient);
    await field('amount').fill('-1');
    await button().click();
    await page.getByText('The action could not make its transaction.').waitFor();
    await field('amount').fill('');
    await button().click();
    await page.getByText('Your transaction is confirmed.').waitFor();
    expect(chain.balance(recipient), "the flow's default").toBe(250_000_000n);
    expect(uncaught).toEqual([]);
  });
});
