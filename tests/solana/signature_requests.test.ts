import { base64 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  submitSignature,
} from '../support/actions.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { type Keypair, makeKeypair } from '../support/keypairs.ts';
import { call, type Person, signUp, storeFlow } from '../support/people.ts';
import { rest } from '../support/rest.ts';
import { MEMO_V2, startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { addInstruction, addPrice } from './wallet_changes.ts';
import { decode } from '../support/wire.ts';

let chain: TestChain;
let owner: Person;
let buyer: Keypair;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 20 });
  owner = await signUp();
  buyer = await fundedKeypair(chain);
});
afterAll(() => chain.stop());

const inputs = () => ({ buyer: { B3: buyer.publicKey } });

/** Starts a payment that waits for the buyer's signature. Returns the run, the shop's key, and the buyer's request. */
async function startPayment({ by = buyer.publicKey, environment = {} }: { by?: string; environment?: object } = {}) {
  const shop = makeKeypair().publicKey;
  const deploymentId = await deployAction(owner, chain, paymentFlow(shop), {}, {
    environment: environment as { [name: string]: string },
  });
  const run = await startAs(by, deploymentId, { inputs: inputs() });
  return { run, shop, request: await nextRequest(run) };
}

/** Returns the transactions that name a key, decoded. */
const landedFor = (key: string) =>
  chain.ledger.landed.filter(({ accounts }) => accounts.includes(key)).map(({ bytes }) => decode(base64.encode(bytes)));

async function expectPaid(run: StartedRun, shop: string): Promise<void> {
  const { status, body } = await outputOf(run);
  expect([status, body]).toEqual([200, { M: { signature: { B6: chain.ledger.landed.at(-1)?.signature } } }]);
  expect([chain.balance(shop), landedFor(shop).length]).toEqual([PRICE, 1]);
}

describe('the wallet of a signature request', () => {
  it('can answer only once, even with two concurrent answers', async () => {
    const { run, shop, request } = await startPayment();
    const body = { id: request.id, signature: signMessage(request.message, buyer) };
    const answers = await Promise.all([submitSignature(run, body), submitSignature(run, body)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const late = answers.find(({ status }) => status === 409)!;
    expect(await late.json()).toMatchObject({
      code: 'signature_request_answered',
      details: { signature: body.signature },
    });
    await expectPaid(run, shop);
  });

  it('may set a price for the compute units, and its version is executed', async () => {
    const { run, shop, request } = await startPayment({ environment: { PRIORITY_FEE: 'no', COMPUTE_BUDGET: 'no' } });
    expect(await answerRequest(run, request, buyer, addPrice(request.message, 50_000n))).toEqual([200, undefined]);
    await expectPaid(run, shop);
    const [sent] = landedFor(shop);
    expect(base64.encode(sent!.bytes)).toBe(addPrice(request.message, 50_000n));
    expect(sent!.instructions.map(({ program }) => program)).toEqual([
      'ComputeBudget111111111111111111111111111111',
      '1'.repeat(32),
    ]);
  });

  it('may add nothing else, and can answer again', async () => {
    const { run, shop, request } = await startPayment();
    const added = addInstruction(request.message, MEMO_V2, new TextEncoder().encode('more'));
    expect(await answerRequest(run, request, buyer, added)).toEqual([400, 'transaction_changed']);
    expect(await nextRequest(run)).toEqual(request);
    expect(await answerRequest(run, request, buyer)).toEqual([200, undefined]);
    await expectPaid(run, shop);
  });

  it('is not asked any more after the run is stopped', async () => {
    const { run, shop, request } = await startPayment();
    expect((await call(`flow/stop/${run.flow_run_id}`, { token: run.token })).status).toBe(200);
    expect(await outputOf(run)).toMatchObject({ status: 409, body: { code: 'run_stopped' } });
    expect(await answerRequest(run, request, buyer)).toEqual([409, 'signature_request_expired']);
    expect(chain.balance(shop)).toBe(0n);
  });
});

it('signs second if another wallet is the fee payer, and sees that signature', async () => {
  const [payer, sender] = [await fundedKeypair(chain), await fundedKeypair(chain)];
  const shop = makeKeypair().publicKey;
  const flow = new FlowBuilder();
  const walletOf = (label: string) =>
    flow.use('generate_keypair', { private_key: flow.input(label) }).output('keypair');
  const pay = flow.use('transfer_sol', {
    fee_payer: walletOf('payer'),
    sender: walletOf('sender'),
    recipient: flow.use('wallet', {}, { form: { public_key: shop } }).output('pubkey'),
  }, { form: { amount: 0.01 } });
  flow.output('signature', pay.output('signature'));
  const before = [payer, sender].map(({ publicKey }) => chain.balance(publicKey));
  const run = await startAs(payer.publicKey, await deployAction(owner, chain, flow), {
    inputs: { payer: { B3: payer.publicKey }, sender: { B3: sender.publicKey } },
  });
  const first = await signNext(run, payer);
  expect(first.signatures).toBeNull();
  const second = await signNext(run, sender);
  expect([second.message, second.signatures]).toEqual([first.message, [
    { pubkey: payer.publicKey, signature: signMessage(first.message, payer) },
  ]]);
  await expectPaid(run, shop);
  const spent = [payer, sender].map(({ publicKey }, index) => before[index]! - chain.balance(publicKey));
  expect([spent[1], spent[0]! > 10_000n && spent[0]! < 11_000n]).toEqual([PRICE, true]);
});

it("the request of a called flow is visible to the holder of the started run's token, and of no other token", async () => {
  const shop = makeKeypair().publicKey;
  const calledId = await storeFlow(owner, paymentFlow(shop));
  const flow = new FlowBuilder();
  const called = flow.interflow(calledId, { buyer: flow.input('buyer') }, ['signature'], 'shop');
  flow.output('signature', called.output('signature'));
  const deploymentId = await deployAction(owner, chain, flow);
  const [run, other] = [
    await startAs(buyer.publicKey, deploymentId, { inputs: inputs() }),
    await startAs(buyer.publicKey, await deployAction(owner, chain, paymentFlow(makeKeypair().publicKey)), {
      inputs: inputs(),
    }),
  ];
  const request = await nextRequest(run);
  const seenBy = async ({ token }: StartedRun) =>
    (await rest('signature_requests?select=id,root_flow_run_id,flow_run_id,pubkey,msg', {
      headers: { 'x-flow-run-token': token },
    })).body;
  expect(request.flow_run_id).not.toBe(run.flow_run_id);
  expect(await seenBy(run)).toEqual([{
    id: request.id,
    root_flow_run_id: run.flow_run_id,
    flow_run_id: request.flow_run_id,
    pubkey: buyer.publicKey,
    msg: request.message,
  }]);
  const others = await nextRequest(other);
  expect((await seenBy(other)).map(({ id }: { id: string }) => id)).toEqual([others.id]);
  // With the token of another run, only the general error is returned.
  expect(await answerRequest({ ...run, token: other.token }, request, makeKeypair())).toEqual([
    404,
    'signature_request_not_found',
  ]);
  expect(await answerRequest(run, request, buyer)).toEqual([200, undefined]);
  await expectPaid(run, shop);
  await call(`flow/stop/${other.flow_run_id}`, { token: other.token });
});

it('only the owner of the flow and the user of the requested key can read a request', async () => {
  const [starter, stranger] = [await signUp(), await signUp()];
  const { run, request } = await startPayment({ by: starter.token });
  const seenBy = async ({ client }: Person) =>
    (await client.from('signature_requests').select('id, pubkey, signature').eq('id', request.id).throwOnError()).data;
  const row = { id: request.id, pubkey: buyer.publicKey, signature: null };
  expect(await Promise.all([owner, starter, stranger].map(seenBy))).toEqual([[row], [row], []]);
  expect(await answerRequest(run, request, buyer)).toEqual([200, undefined]);
  expect((await outputOf(run)).status).toBe(200);
  const answered = { ...row, signature: signMessage(request.message, buyer) };
  expect(await Promise.all([owner, starter, stranger].map(seenBy))).toEqual([[answered], [answered], []]);
});
