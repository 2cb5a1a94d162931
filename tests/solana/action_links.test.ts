import type { ActionGetResponse, NextAction } from '@solana/actions-spec';
import {
  BLOCKCHAIN_IDS,
  encodeURL,
  fetchTransaction,
  findReference,
  parseURL,
  validateActionIdentifierMemo,
} from '@solana/actions';
import {
  Connection,
  Keypair as Web3Keypair,
  PublicKey,
  SystemInstruction,
  SystemProgram,
  Transaction,
} from '@solana/web3.js';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deployAction, PRICE } from '../support/actions.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { type Keypair, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { call, type Person, signUp } from '../support/people.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { startTlsFront, type TlsFront } from './tls_front.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { signWire } from '../support/wire.ts';

let chain: TestChain;
let front: TlsFront;
let owner: Person;
let buyer: Keypair;
beforeAll(async () => {
  // Slots have the length of a real network, so that the 150 slots for which a blockhash is valid last long enough.
  chain = await startTestChain({});
  front = await startTlsFront(inject('stack').FUNCTIONS_URL);
  owner = await signUp();
  buyer = await fundedKeypair(chain);
});
afterAll(async () => {
  await front?.close();
  await chain?.stop();
});

/** A flow in which the buyer, whose key the wallet shows, pays the shop. */
function shopFlow(shop: string): FlowBuilder {
  const flow = new FlowBuilder();
  flow.use('transfer_sol', {
    sender: flow.input('buyer'),
    recipient: flow.use('wallet', {}, { form: { public_key: shop } }).output('pubkey'),
    amount: flow.constant({ D: '0.01' }, 'price'),
  });
  return flow;
}

const json = { 'content-type': 'application/json' };

/** Reports a sent transaction to the action, like a wallet that follows `links.next`. */
async function tellSent(href: string, body: object): Promise<{ status: number; body: NextAction }> {
  const path = href.replace('/functions/v1/', '');
  const response = await call(path, { body: JSON.stringify(body), headers: json });
  return { status: response.status, body: await response.json() as NextAction };
}

describe("a shop's payment as a link", () => {
  let shop: Keypair;
  let partner: Keypair;
  let deploymentId: string;
  beforeAll(async () => {
    shop = makeKeypair();
    partner = makeKeypair();
    await storeKeypair(owner, shop);
    deploymentId = await deployAction(owner, chain, shopFlow(shop.publicKey), {
      output_instructions: true,
      action_identity: shop.publicKey,
      fees: [[partner.publicKey, 1_000_000]],
      name: 'The shop',
      description: 'Pay 0.01 SOL to the shop.',
    });
  });

  it('is parsed, fetched, signed, sent and reported by a client of the specification', async () => {
    // 1. The link, as in a QR code or on a page.
    const link = encodeURL({ link: new URL(`${front.origin}/action/${deploymentId}`) });
    const parsed = parseURL(link);
    expect(String((parsed as { link: URL }).link)).toBe(`${front.origin}/action/${deploymentId}`);

    // 2. The form for the wallet.
    const shown = await call(`action/${deploymentId}`, { method: 'GET' });
    expect([shown.headers.get('x-action-version'), shown.headers.get('x-blockchain-ids')]).toEqual([
      '2.4',
      BLOCKCHAIN_IDS.devnet,
    ]);
    const action = await shown.json() as ActionGetResponse;
    expect(action).toEqual({
      type: 'action',
      icon: `${inject('stack').FUNCTIONS_URL}/action/icon.svg`,
      title: 'The shop',
      description: `Pay 0.01 SOL to the shop.\n\nOn top of it you pay a fee of 0.001 SOL to ${partner.publicKey}.`,
      label: 'Review and sign',
      links: {
        actions: [{
          type: 'transaction',
          href: expect.stringMatching(new RegExp(`^/functions/v1/action/${deploymentId}\\?x-order-id=[\\w-]{22}$`)),
          label: 'Review and sign',
        }],
      },
    });

    // 3. The transaction, read by the SDK. Without a network, the SDK knows only the link and the buyer.
    const connection = new Connection(chain.url, 'confirmed');
    const { transaction, ...answer } = await fetchTransaction(connection, `${front.origin}/action/${deploymentId}`, {
      account: buyer.publicKey,
    });
    expect(answer).toEqual({
      type: 'transaction',
      links: { next: { type: 'post', href: expect.stringMatching(/^\/functions\/v1\/action\/sent\?token=fr_/) } },
    });
    const transfers = transaction.instructions.filter(({ programId }) => programId.equals(SystemProgram.programId))
      .map((one) => SystemInstruction.decodeTransfer(one));
    expect(transfers.map(({ fromPubkey, toPubkey, lamports }) => [String(fromPubkey), String(toPubkey), lamports]))
      .toEqual([[buyer.publicKey, shop.publicKey, PRICE], [buyer.publicKey, partner.publicKey, 1_000_000n]]);

    // 4. The buyer signs and sends.
    transaction.sign(Web3Keypair.fromSecretKey(base58.decode(buyer.keypair)));
    const signature = await connection.sendRawTransaction(transaction.serialize());
    await connection.confirmTransaction(signature, 'confirmed');
    expect([chain.balance(shop.publicKey), chain.balance(partner.publicKey)]).toEqual([PRICE, 1_000_000n]);

    // 5. The memo belongs to the shop and is found by its reference.
    const [listed] = await connection.getSignaturesForAddress(new PublicKey(shop.publicKey), {}, 'confirmed');
    const memo = validateActionIdentifierMemo(new PublicKey(shop.publicKey), listed!.memo);
    expect(memo).toMatchObject({ verified: true });
    const reference = new PublicKey((memo as { reference: string }).reference);
    expect((await findReference(connection, reference, { finality: 'confirmed' })).signature).toBe(signature);

    // 6. The outcome.
    const { next } = (answer as unknown as { links: { next: { href: string } } }).links;
    const told = await tellSent(next.href, { account: buyer.publicKey, signature });
    expect(told).toEqual({
      status: 200,
      body: {
        type: 'completed',
        icon: action.icon,
        title: 'The shop',
        label: 'Done',
        description: `Your transaction is confirmed.\n\n${signature}`,
      },
    });
  });
});

/** Posts like the form of a wallet. */
async function postAction(path: string, account: string, data: Record<string, string> = {}) {
  const response = await call(`action/${path}`, { body: JSON.stringify({ account, data }), headers: json });
  return { status: response.status, body: await response.json() as { [member: string]: unknown } };
}

const runsOf = async (deploymentId: string) =>
  (await owner.client.from('flow_run').select('id').eq('deployment_id', deploymentId).throwOnError()).data;

describe('an action with a form', () => {
  /** A flow in which the wallet pays an amount to a recipient and gets a message. */
  function tipFlow(): FlowBuilder {
    const flow = new FlowBuilder();
    flow.use('transfer_sol', {
      sender: flow.input('account'),
      recipient: flow.input('recipient'),
      amount: flow.input('amount', 0.25),
    });
    flow.output('message', flow.input('message', 'Thank you'));
    return flow;
  }
  let deploymentId: string;
  let cook: string;
  beforeAll(async () => {
    deploymentId = await deployAction(owner, chain, tipFlow(), { output_instructions: true });
    cook = makeKeypair().publicKey;
  });

  const lamportsOf = (transaction: unknown) =>
    Transaction.from(Buffer.from(String(transaction), 'base64')).instructions
      .filter(({ programId }) => programId.equals(SystemProgram.programId))
      .map((one) => SystemInstruction.decodeTransfer(one).lamports);

  it('uses the values of the form, the link and the flow, in this order', async () => {
    const inForm = await postAction(`${deploymentId}?amount=2`, buyer.publicKey, { amount: '1.5', recipient: cook });
    expect([inForm.status, inForm.body.message, lamportsOf(inForm.body.transaction)])
      .toEqual([200, 'Thank you', [1_500_000_000n]]);
    const inLink = await postAction(`${deploymentId}?amount=2&message=`, buyer.publicKey, {
      recipient: cook,
      amount: '',
    });
    expect(lamportsOf(inLink.body.transaction)).toEqual([2_000_000_000n]);
    const inFlow = await postAction(deploymentId, buyer.publicKey, { recipient: cook });
    expect(lamportsOf(inFlow.body.transaction)).toEqual([250_000_000n]);
  });

  it('cuts a long message of the flow', async () => {
    const { body } = await postAction(deploymentId, buyer.publicKey, { recipient: cook, message: 'x'.repeat(2_000) });
    expect(body.message).toBe('x'.repeat(500));
  });

  it('starts once if the button of an order is clicked twice, and once for each wallet', async () => {
    const other = await deployAction(owner, chain, tipFlow(), { output_instructions: true });
    const data = { recipient: cook };
    const order = `${other}?x-order-id=${'a'.repeat(22)}`;
    // Two clicks within one clock minute are the same order. If a minute ends between the clicks, they are two orders.
    for (const _ of [1, 2]) {
      const before = (await runsOf(other)).length;
      const minute = Math.floor(Date.now() / 60_000);
      const answers = await Promise.all([1, 2, 3].map(() => postAction(order, buyer.publicKey, data)));
      if (minute !== Math.floor(Date.now() / 60_000)) continue;
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await runsOf(other)).toHaveLength(before + 1);
      break;
    }
    const before = (await runsOf(other)).length;
    await postAction(order, makeKeypair().publicKey, data);
    expect(await runsOf(other)).toHaveLength(before + 1);
  });

  it('reveals nothing of the flow when it fails', async () => {
    const { status, body } = await postAction(deploymentId, buyer.publicKey, { recipient: cook, amount: '-1' });
    expect([status, body]).toEqual([409, {
      code: 'action_failed',
      message: 'The action could not make its transaction. Nothing was paid. Try again in a minute.',
      details: null,
      hint: null,
      error: 'The action could not make its transaction. Nothing was paid. Try again in a minute.',
    }]);
  });

  it('reports that another transaction was sent', async () => {
    const { body } = await postAction(deploymentId, buyer.publicKey, { recipient: cook });
    const { next } = body.links as { next: { href: string } };
    const airdrop = String((await chain.call('requestAirdrop', cook, 1_000_000_000n)).result);
    const told = await tellSent(next.href, { account: buyer.publicKey, signature: airdrop });
    expect(told).toMatchObject({
      status: 200,
      body: {
        type: 'completed',
        label: 'Not done',
        error: { message: expect.stringContaining('not the one that you were given') },
      },
    });
  });

  it('reports a transaction that failed, and one that was not found, with its signature', async () => {
    const poor = await fundedKeypair(chain, 300_000_000n);
    const order = await postAction(deploymentId, poor.publicKey, { recipient: cook });
    const { next } = order.body.links as { next: { href: string } };
    // Meanwhile the wallet spends its money. It uses the newest blockhash, as clients do.
    const connection = new Connection(chain.url, 'confirmed');
    const sign = async (transaction: Transaction) => {
      transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
      transaction.sign(Web3Keypair.fromSecretKey(base58.decode(poor.keypair)));
      return await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
    };
    const payer = new PublicKey(poor.publicKey);
    const spent = SystemProgram.transfer({ fromPubkey: payer, toPubkey: new PublicKey(cook), lamports: 200_000_000 });
    await sign(new Transaction({ feePayer: payer }).add(spent));
    const signature = await sign(Transaction.from(Buffer.from(String(order.body.transaction), 'base64')));

    const failed = await tellSent(next.href, { account: poor.publicKey, signature });
    expect(failed).toMatchObject({
      status: 200,
      body: {
        type: 'completed',
        label: 'Failed',
        error: { message: expect.stringContaining('only the network fee was paid') },
      },
    });
    expect((failed.body as { description: string }).description).toContain(signature);
    const unseen = await tellSent(next.href, { signature: base58.encode(new Uint8Array(64).fill(7)) });
    expect(unseen).toMatchObject({ status: 200, body: { type: 'completed', label: 'Not confirmed yet' } });
  });
});

describe('an action that the shop signs, too', () => {
  it("has the shop's signature, and lacks only the wallet's", async () => {
    const shop = await fundedKeypair(chain);
    await storeKeypair(owner, shop);
    const flow = new FlowBuilder();
    const wallet = flow.use('wallet', {}, { form: { public_key: shop.publicKey } });
    flow.use('transfer_sol', {
      fee_payer: flow.input('account'),
      sender: wallet.output('keypair'),
      recipient: flow.input('recipient'),
      amount: flow.constant({ D: '1' }),
    });
    const deploymentId = await deployAction(owner, chain, flow, { output_instructions: true });
    const recipient = makeKeypair().publicKey;
    const { status, body } = await postAction(deploymentId, buyer.publicKey, { recipient });
    expect(status, JSON.stringify(body)).toBe(200);
    const { error } = await chain.call('sendTransaction', signWire(String(body.transaction), buyer), {
      encoding: 'base64',
      preflightCommitment: 'processed',
    });
    expect(error).toBeUndefined();
    expect(chain.balance(recipient)).toBe(1_000_000_000n);
  });
});
