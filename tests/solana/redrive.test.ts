import { base58, base64 } from '@scure/base';
import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Delivery, expireBlockhashes } from '../../dev/chain/ledger.ts';
import {
  answerRequest,
  deployAction,
  nextRequest,
  outputOf,
  paymentFlow,
  PRICE,
  signMessage,
  signNext,
  startAs,
  type StartedRun,
} from '../support/actions.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { type Gate, makeGate } from '../support/gate.ts';
import { type Keypair, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { associatedAddress, createMint, createTokenAccount, tokenAt } from '../support/mints.ts';
import { call, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { waitFor } from '../support/wait.ts';

/** The amount of one transfer, in lamports. */
const PAID = 1_000_000n;
/** The fee that the settings charge once per run, in lamports. */
const FEE = 2_000_000n;

let chain: TestChain;
let owner: Person;
let wallet: Keypair;
let walletSigner: KeyPairSigner;
const gates: Gate[] = [];

beforeAll(async () => {
  [chain, owner] = await Promise.all([startTestChain({ slotMs: 0 }), signUp()]);
  // Time passes only when a transaction gets into a block. So each transaction is confirmed, and no blockhash expires
  // even on a busy machine.
  const { ledger } = chain;
  let seen = 0;
  ledger.watch(() => {
    if (ledger.landed.length === seen) return;
    seen = ledger.landed.length;
    ledger.clock.advance(2n);
  });
  wallet = await fundedKeypair(chain);
  walletSigner = await createKeyPairSignerFromBytes(base58.decode(wallet.keypair));
  await storeKeypair(owner, wallet);
});
afterAll(() => Promise.all([chain?.stop(), ...gates.map((gate) => gate.close())]));

async function newGate(): Promise<Gate> {
  const gate = await makeGate();
  gates.push(gate);
  return gate;
}

/** The owner's wallet, as a sender. */
const walletOf = (flow: FlowBuilder): Port =>
  flow.use('wallet', {}, { form: { public_key: wallet.publicKey }, title: 'wallet' }).output('keypair');

const keyOf = (flow: FlowBuilder, publicKey: string, title: string): Port =>
  flow.use('wallet', {}, { form: { public_key: publicKey }, title }).output('pubkey');

/** Adds a payment by the owner's wallet. Returns the port of its signature. */
const paySol = (flow: FlowBuilder, to: string, title: string): Port =>
  flow.use('transfer_sol', { sender: walletOf(flow), recipient: keyOf(flow, to, `to ${title}`) }, {
    form: { amount: 0.001 },
    title,
  }).output('signature');

/** Adds nodes that pass a value on while the gate is open, and fail otherwise. */
const pass = (flow: FlowBuilder, gate: Gate, value: Port): Port => {
  const got = flow.use('http_request', {
    url: flow.script(`"${gate.url}?" + a`, { a: value }, 1, 'gate url').output('u'),
  }, { form: { method: 'GET' }, title: 'gate' });
  return flow.script('if b == () { throw "closed" } a', { a: value, b: got.output('body') }, 1, 'passed').output('u');
};

const redrive = async (
  runId: string,
  query = '',
): Promise<{ status: number; body: StartedRun & { code?: string } }> => {
  const response = await call(`flow/redrive/${runId}${query}`, { token: owner.token });
  return { status: response.status, body: await response.json() };
};

/** Redrives a run without accept_unknown, and returns the new run after its end. */
async function redriven(runId: string) {
  const { status, body } = await redrive(runId);
  expect([status, body.code]).toEqual([200, undefined]);
  return await finishedRun(owner, body.flow_run_id);
}

/** Counts the transactions on the chain that contain this key. */
const landed = (key: string): number => chain.ledger.landed.filter(({ accounts }) => accounts.includes(key)).length;

/**
 * Lets the network treat transactions in this way until `work` has ended. `submitted` waits until at least this many
 * transactions have come.
 */
async function delivering<T>(
  delivery: Delivery,
  work: (submitted: (count: number) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const submit = vi.spyOn(chain.ledger, 'submit');
  chain.ledger.deliver(delivery);
  try {
    return await work((count) =>
      waitFor(() => new Set(submit.mock.calls.map(([{ signature }]) => signature)).size >= count || undefined)
    );
  } finally {
    chain.ledger.deliver('land');
    submit.mockRestore();
  }
}

/** Deploys and starts a flow as its owner. */
const startOf = async (flow: FlowBuilder, settings = {}, columns: Parameters<typeof deployAction>[4] = {}) =>
  await startAs(owner.token, await deployAction(owner, chain, flow, settings, columns));

const endOf = async (run: StartedRun) => {
  await outputOf(run);
  return await finishedRun(owner, run.flow_run_id);
};

/** Returns the taken-over executions of a run and its called runs, by their nodes' ids. */
async function takenOver(runId: string): Promise<string[]> {
  const { data: runs } = await owner.client.from('flow_run').select('id').or(
    `id.eq.${runId},parent_flow_run_id.eq.${runId}`,
  ).throwOnError();
  const { data } = await owner.client.from('node_run').select('node_id')
    .in('flow_run_id', runs.map(({ id }) => id)).eq('is_taken_over', true).throwOnError();
  return data.map(({ node_id }) => node_id);
}

describe.each(['Off', 'Automatic'])('with bundling %s, confirmed payments', (instructions_bundling) => {
  it('are not made again with another amount', async () => {
    const [open, closed] = await Promise.all([newGate(), newGate()]);
    open.open();
    const { publicKey: to } = await makeKeypair();
    const flow = new FlowBuilder();
    const element = flow.foreach(flow.json([1, 2, 3]));
    const url = flow.script(`if a == 2 { "${closed.url}" } else { "${open.url}" }`, { a: element }, 1, 'url').output(
      'u',
    );
    const got = flow.use('http_request', { url }, { form: { method: 'GET' }, title: 'get' });
    const passed = flow.script('if b == () { throw "closed" } a', { a: element, b: got.output('body') }, 1).output('u');
    const list = flow.use('collect', { element: passed }, { form: { on_failed_element: 'leave_out' } }).output('array');
    const amount = flow.script('let sum = 0; for x in a { sum += x; } sum / 1000', { a: list }, 1, 'sum').output('u');
    const payment = flow.use('transfer_sol', { sender: walletOf(flow), recipient: keyOf(flow, to, 'to'), amount }, {
      title: 'pay',
    });
    flow.output('signature', payment.output('signature'));
    const failed = await endOf(await startOf(flow, {}, { instructions_bundling }));
    expect([failed.status, landed(to)]).toEqual(['failed', 1]);
    closed.open();
    const refused = await redriven(failed.id);
    expect(refused.errors).toEqual([expect.stringMatching(/effect_already_done: .*; amount was 0.004 and is 0.006$/)]);
    expect(landed(to)).toBe(1);
    const response = await call(`flow/redrive/${refused.id}`, {
      token: owner.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ repeat_effects: [{ flow_id: failed.flow_id, node_id: payment.id }] }),
    });
    expect(await endOf(await response.json())).toMatchObject({ status: 'succeeded' });
    expect(landed(to)).toBe(2);
  });

  it('and the fees are not sent again after a later node has failed', async () => {
    const gate = await newGate();
    const [shop, late, author] = [makeKeypair().publicKey, makeKeypair().publicKey, makeKeypair().publicKey];
    const holder = makeKeypair().publicKey;
    const mint = await createMint(chain, walletSigner, 2);
    await createTokenAccount(chain, walletSigner, mint, walletSigner.address, 1_000n);
    const flow = new FlowBuilder();
    const sol = paySol(flow, shop, 'sol');
    const sender = walletOf(flow);
    const tokens = flow.use('transfer_token', {
      fee_payer: sender,
      sender_owner: sender,
      mint_account: keyOf(flow, mint, 'mint'),
      recipient: keyOf(flow, holder, 'holder'),
    }, { form: { amount: 2.5 }, title: 'tokens' }).output('signature');
    const passed = pass(flow, gate, flow.script('[a, b]', { a: sol, b: tokens }, 1, 'both').output('u'));
    const again = flow.use('transfer_sol', {
      sender: walletOf(flow),
      recipient: keyOf(flow, late, 'late'),
      amount: flow.script('if a == () { throw "nothing" } 0.001', { a: passed }, 1, 'amount').output('u'),
    }, { title: 'late' }).output('signature');
    flow.output('sol', sol);
    flow.output('tokens', tokens);
    flow.output('late', again);

    const fees = [[author, Number(FEE)]];
    const failed = await endOf(await startOf(flow, { fees }, { instructions_bundling }));
    const ata = await associatedAddress(holder as never, mint);
    const held = () => [chain.balance(shop), tokenAt(chain, ata)?.amount, chain.balance(author), chain.balance(late)];
    expect([failed.errors?.[0], held()]).toEqual([expect.stringMatching(/^gate /), [PAID, 250n, FEE, 0n]]);
    const paidFor = [landed(shop), landed(ata)];

    gate.open();
    const before = chain.balance(wallet.publicKey);
    const count = chain.ledger.landed.length;
    const run = await redriven(failed.id);
    expect([run.errors, run.status, held()]).toEqual([null, 'succeeded', [PAID, 250n, FEE, PAID]]);
    // The redrive has sent one more transaction, which moved only its own payment and the network fee.
    expect([landed(shop), landed(ata), chain.ledger.landed.length]).toEqual([...paidFor, count + 1]);
    const spent = before - chain.balance(wallet.publicKey);
    expect(spent >= PAID + 5_000n && spent < PAID + 10_000n, String(spent)).toBe(true);
    expect(run.output).toMatchObject({ M: (failed.output as { M: object }).M });
    expect(await takenOver(run.id)).toEqual(expect.arrayContaining([sol.nodeId, tokens.nodeId]));
    expect(await takenOver(run.id)).not.toContain(again.nodeId);
  });
});

it('a token transfer that failed for lack of tokens is made when they have arrived, without repeating the payment before it', async () => {
  const [shop, holder] = [makeKeypair().publicKey, makeKeypair().publicKey];
  const mint = await createMint(chain, walletSigner, 0);
  const flow = new FlowBuilder();
  const sol = paySol(flow, shop, 'sol');
  const sender = walletOf(flow);
  const tokens = flow.use('transfer_token', {
    fee_payer: sender,
    sender_owner: sender,
    mint_account: keyOf(flow, mint, 'mint'),
    recipient: keyOf(flow, holder, 'holder'),
    // This transfer is made after the payment is confirmed.
    amount: flow.script('if a == () { throw "nothing" } 3', { a: sol }, 1, 'amount').output('u'),
  }, { title: 'tokens' }).output('signature');
  flow.output('tokens', tokens);
  const failed = await endOf(await startOf(flow));
  expect([failed.status, failed.errors]).toEqual(['failed', [expect.stringMatching(/^tokens .*simulation failed/)]]);
  expect([chain.balance(shop), landed(shop)]).toEqual([PAID, 1]);

  await createTokenAccount(chain, walletSigner, mint, walletSigner.address, 3n);
  const run = await redriven(failed.id);
  expect([run.errors, run.status]).toEqual([null, 'succeeded']);
  const ata = await associatedAddress(holder as never, mint);
  expect([chain.balance(shop), landed(shop), tokenAt(chain, ata)?.amount]).toEqual([PAID, 1, 3n]);
});

describe('a payment in a called flow', () => {
  it('is taken over with its node if the called flow failed after it', async () => {
    const gate = await newGate();
    const shop = makeKeypair().publicKey;
    const called = new FlowBuilder();
    const paid = paySol(called, shop, 'sol');
    called.output('signature', pass(called, gate, paid));
    const calledId = await storeFlow(owner, called);
    const flow = new FlowBuilder();
    flow.output('signature', flow.interflow(calledId, {}, ['signature'], 'shop').output('signature'));
    const failed = await endOf(await startOf(flow));
    expect([failed.status, chain.balance(shop), landed(shop)]).toEqual(['failed', PAID, 1]);

    gate.open();
    const run = await redriven(failed.id);
    expect([run.errors, run.status, chain.balance(shop), landed(shop)]).toEqual([null, 'succeeded', PAID, 1]);
    expect(await takenOver(run.id)).toContain(paid.nodeId);
    const { signature } = chain.ledger.landed.find(({ accounts }) => accounts.includes(shop))!;
    expect(run.output).toEqual({ M: { signature: { S: signature } } });
  });

  it("is taken over with its call if the calling flow failed after it, like the caller's own payment", async () => {
    const gate = await newGate();
    const [shop, other] = [makeKeypair().publicKey, makeKeypair().publicKey];
    const called = new FlowBuilder();
    called.output('signature', paySol(called, shop, 'called'));
    const calledId = await storeFlow(owner, called);
    const flow = new FlowBuilder();
    const own = paySol(flow, other, 'own');
    const theirs = flow.interflow(calledId, {}, ['signature'], 'shop').output('signature');
    flow.output('both', pass(flow, gate, flow.script('[a, b]', { a: own, b: theirs }, 1, 'both').output('u')));
    const failed = await endOf(await startOf(flow));
    expect([failed.errors?.[0], landed(shop), landed(other)]).toEqual([expect.stringMatching(/^gate /), 1, 1]);

    gate.open();
    const run = await redriven(failed.id);
    expect([run.errors, run.status]).toEqual([null, 'succeeded']);
    expect([chain.balance(shop), chain.balance(other), landed(shop), landed(other)]).toEqual([PAID, PAID, 1, 1]);
  });
});

describe('a payment of unknown outcome', () => {
  /**
   * Makes a run that has made one payment, and that is stopped while the transaction of another payment is under way.
   */
  async function stoppedOnTheWay() {
    const [paid, onTheWay] = [makeKeypair().publicKey, makeKeypair().publicKey];
    const flow = new FlowBuilder();
    const first = paySol(flow, paid, 'first');
    const second = flow.use('transfer_sol', {
      sender: walletOf(flow),
      recipient: keyOf(flow, onTheWay, 'on the way'),
      amount: flow.script('if a == () { throw "nothing" } 0.001', { a: first }, 1, 'amount').output('u'),
    }, { title: 'second' });
    flow.output('first', first);
    flow.output('second', second.output('signature'));
    const runId = await delivering('hold', async (submitted) => {
      const run = await startOf(flow);
      await submitted(1);
      chain.ledger.release();
      await submitted(2);
      await call(`flow/stop/${run.flow_run_id}`, { token: owner.token });
      expect(await endOf(run)).toMatchObject({
        status: 'stopped',
        errors: [expect.stringMatching(/transaction \w+ was sent and may still be executed/)],
      });
      return run.flow_run_id;
    });
    return { runId, paid, onTheWay, nodeId: second.id };
  }

  it('needs accept_unknown, and does not repeat a confirmed payment', async () => {
    const { runId, paid, onTheWay, nodeId } = await stoppedOnTheWay();
    const refused = await redrive(runId);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'outcome_unknown', details: [{ flow_run_id: runId, node_id: nodeId, times: 0 }] },
    });
    // In the end, the transaction that was under way took effect.
    chain.ledger.release();
    expect([chain.balance(paid), chain.balance(onTheWay)]).toEqual([PAID, PAID]);
    expect((await redrive(runId, '?accept_unknown=false')).body.code).toBe('outcome_unknown');
    expect([landed(paid), landed(onTheWay)]).toEqual([1, 1]);

    const { status, body } = await redrive(runId, '?accept_unknown=true');
    expect(status).toBe(200);
    const run = await finishedRun(owner, body.flow_run_id);
    expect([run.errors, run.status]).toEqual([null, 'succeeded']);
    expect([chain.balance(paid), chain.balance(onTheWay), landed(paid), landed(onTheWay)]).toEqual([
      PAID,
      2n * PAID,
      1,
      2,
    ]);
  });

  it('is made once if it is accepted and was never executed', async () => {
    const { runId, paid, onTheWay } = await stoppedOnTheWay();
    expireBlockhashes(chain.ledger);
    chain.ledger.release();
    expect([chain.balance(paid), chain.balance(onTheWay)]).toEqual([PAID, 0n]);
    const { body } = await redrive(runId, '?accept_unknown=true');
    const run = await finishedRun(owner, body.flow_run_id);
    expect([run.errors, run.status]).toEqual([null, 'succeeded']);
    expect([landed(paid), landed(onTheWay), chain.balance(onTheWay)]).toEqual([1, 1, PAID]);
  });
});

describe('a payment that waits for the signature of a customer', () => {
  /** The shop's own wallet pays the network fee and signs first. The request to the buyer contains that signature. */
  const shared = (flow: FlowBuilder, shop: string) =>
    flow.use('transfer_sol', {
      fee_payer: walletOf(flow),
      sender: flow.use('generate_keypair', { private_key: flow.input('buyer') }).output('keypair'),
      recipient: keyOf(flow, shop, 'shop'),
    }, { form: { amount: 0.001 }, title: 'pay' });

  /** Makes a run that is stopped while it asks the buyer. */
  async function stoppedWhileAsking(flow: FlowBuilder, buyer: Keypair) {
    const run = await startAs(owner.token, await deployAction(owner, chain, flow), {
      inputs: { buyer: { B3: buyer.publicKey } },
    });
    const request = await nextRequest(run);
    await call(`flow/stop/${run.flow_run_id}`, { token: owner.token });
    expect(await endOf(run)).toMatchObject({ status: 'stopped' });
    return { runId: run.flow_run_id, request };
  }

  it('may have been sent by the customer who got all other signatures', async () => {
    const [shop, buyer] = [makeKeypair().publicKey, await fundedKeypair(chain)];
    const flow = new FlowBuilder();
    const payment = shared(flow, shop);
    flow.output('signature', payment.output('signature'));
    const { runId, request } = await stoppedWhileAsking(flow, buyer);
    // The buyer sends the transaction without answering the request.
    const wire = [
      2,
      ...request.signatures!.map(({ signature }) => base58.decode(signature)).flatMap((one) => [...one]),
    ];
    wire.push(...base58.decode(signMessage(request.message, buyer)), ...base64.decode(request.message));
    const { error } = await chain.call('sendTransaction', base64.encode(Uint8Array.from(wire)), {
      encoding: 'base64',
      preflightCommitment: 'processed',
    });
    expect([error, chain.balance(shop)]).toEqual([undefined, PAID]);
    expect(await redrive(runId)).toMatchObject({
      status: 409,
      body: { code: 'outcome_unknown', details: [{ node_id: payment.id }] },
    });
  });

  it('is requested again if nobody else had signed', async () => {
    const [shop, buyer] = [makeKeypair().publicKey, await fundedKeypair(chain)];
    const { runId } = await stoppedWhileAsking(paymentFlow(shop), buyer);
    const { status, body } = await redrive(runId);
    expect(status).toBe(200);
    await signNext(body, buyer);
    expect(await endOf(body)).toMatchObject({ status: 'succeeded', errors: null });
    expect([chain.balance(shop), landed(shop)]).toEqual([PRICE, 1]);
  });
});

describe('a payment whose blockhash expired', () => {
  it('before its wallet had signed is requested again, and made once', async () => {
    const [shop, buyer] = [makeKeypair().publicKey, await fundedKeypair(chain)];
    const deploymentId = await deployAction(owner, chain, paymentFlow(shop));
    const run = await startAs(owner.token, deploymentId, { inputs: { buyer: { B3: buyer.publicKey } } });
    const request = await nextRequest(run);
    expireBlockhashes(chain.ledger);
    expect(await answerRequest(run, request, buyer)).toEqual([200, undefined]);
    const failed = await endOf(run);
    expect([failed.status, failed.errors]).toEqual(['failed', [expect.stringMatching(/has expired, nothing was/)]]);

    const { status, body } = await redrive(failed.id);
    expect(status).toBe(200);
    const again = await signNext(body, buyer);
    expect(again.message).not.toBe(request.message);
    expect(await endOf(body)).toMatchObject({ status: 'succeeded', errors: null });
    expect([chain.balance(shop), landed(shop)]).toEqual([PRICE, 1]);
  });

  it('before the network accepted it is made again, without accept_unknown', async () => {
    const shop = makeKeypair().publicKey;
    const flow = new FlowBuilder();
    flow.output('signature', paySol(flow, shop, 'sol'));
    const failed = await delivering('lose', async (submitted) => {
      const run = await startOf(flow);
      await submitted(1);
      expireBlockhashes(chain.ledger);
      return await endOf(run);
    });
    expect([failed.status, failed.errors]).toEqual(['failed', [expect.stringMatching(/has expired, nothing was/)]]);
    const run = await redriven(failed.id);
    expect([run.errors, run.status, chain.balance(shop), landed(shop)]).toEqual([null, 'succeeded', PAID, 1]);
  });
});
