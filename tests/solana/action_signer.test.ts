import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base58, base64 } from '@scure/base';
import { AccountRole, address, createKeyPairSignerFromBytes } from '@solana/kit';
import { getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import {
  deployAction,
  nextRequest,
  outputOf,
  paymentFlow,
  PRICE,
  signMessage,
  startAs,
  submitSignature,
} from '../support/actions.ts';
import { type Keypair, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { memo, MEMO_V1, startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { waitFor } from '../support/wait.ts';
import { decode, signWire } from '../support/wire.ts';

let chain: TestChain;
let owner: Person;
let identity: string;
let buyer: Keypair;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 20 });
  owner = await signUp();
  identity = await storeKeypair(owner);
});
afterAll(() => chain.stop());

/** Starts a payment whose transaction the buyer sends. Returns the run and the buyer's signature request. */
async function startAction(shop: string, price = '0.01') {
  buyer = await fundedKeypair(chain);
  const flow = paymentFlow(shop);
  for (const node of flow.nodes) {
    if (node.data.display_name === 'price') node.data.targets_form.form_data = { type: 'Decimal', value: { D: price } };
  }
  const deploymentId = await deployAction(owner, chain, flow, { action_identity: identity });
  const run = await startAs(buyer.publicKey, deploymentId, {
    inputs: { buyer: { B3: buyer.publicKey } },
    action_signer: buyer.publicKey,
  });
  return { run, request: await nextRequest(run) };
}

/** Builds the transaction of a request with all known signatures, like a client. */
function toWire(
  { message, signatures }: { message: string; signatures: { pubkey: string; signature: string }[] | null },
) {
  expect(signatures).toBeNull();
  const bytes = base64.decode(message);
  return base64.encode(new Uint8Array([1, ...new Uint8Array(64), ...bytes]));
}

const send = (wire: string, options: object = {}) =>
  chain.call('sendTransaction', wire, { encoding: 'base64', preflightCommitment: 'processed', ...options });

describe('a run whose action_signer sends the transaction', () => {
  it('finds it by its memo, and finishes with its signature', async () => {
    const shop = makeKeypair();
    const { run, request } = await startAction(shop.publicKey);
    expect(request.pubkey).toBe(buyer.publicKey);
    const wire = signWire(toWire(request), buyer);
    expect(decode(wire).instructions.at(-1)?.program).toBe(MEMO_V1);
    expect(chain.balance(shop.publicKey), 'nobody else sends it').toBe(0n);
    const { result: signature } = await send(wire);
    expect(await outputOf(run)).toEqual({ status: 200, body: { M: { signature: { B6: signature } } } });
    expect(chain.balance(shop.publicKey)).toBe(PRICE);
  });

  it('continues to look after the signature is submitted to it, but does not send the transaction', async () => {
    const shop = makeKeypair();
    const { run, request } = await startAction(shop.publicKey);
    const body = { id: request.id, signature: signMessage(request.message, buyer) };
    expect((await submitSignature(run, body)).status).toBe(200);
    const { result: signature } = await send(signWire(toWire(request), buyer));
    expect(await outputOf(run)).toEqual({ status: 200, body: { M: { signature: { B6: signature } } } });
    expect(chain.ledger.landed.filter(({ accounts }) => accounts.includes(shop.publicKey))).toHaveLength(1);
  });

  it('accepts no other transaction with its memo, and reports it to the owner', async () => {
    const shop = makeKeypair();
    const { run, request } = await startAction(shop.publicKey);
    const { instructions } = decode(toWire(request));
    const named = { address: address(identity), role: AccountRole.READONLY };
    const signer = await createKeyPairSignerFromBytes(base58.decode(buyer.keypair));
    const unpaid = await send(
      await chain.sign(signer, [
        { ...getSetComputeUnitPriceInstruction({ microLamports: 1n }), accounts: [named] },
        memo(instructions.at(-1)!.data, MEMO_V1),
      ]),
    );
    const warning = await waitFor(async () => {
      const { data } = await owner.client.from('flow_run_logs').select('log_level, content')
        .eq('flow_run_id', run.flow_run_id).like('content', `%${unpaid.result}%`).throwOnError();
      return data[0];
    });
    expect(warning).toEqual({ log_level: 'Warn', content: expect.stringMatching(/: it is passed over$/) });
    const { result: signature } = await send(signWire(toWire(request), buyer));
    expect(await outputOf(run)).toEqual({ status: 200, body: { M: { signature: { B6: signature } } } });
    expect(chain.balance(shop.publicKey)).toBe(PRICE);
  });

  it('fails if the transaction fails on the chain', async () => {
    const { run, request } = await startAction(makeKeypair().publicKey, '100');
    await send(signWire(toWire(request), buyer), { skipPreflight: true });
    const { status, body } = await outputOf(run);
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'run_failed' })]);
    expect((body as { details: { errors: string[] } }).details.errors).toEqual([
      expect.stringMatching(/^pay \S+: transaction \S+ failed: /),
    ]);
  });
});
