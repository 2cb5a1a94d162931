import { base58, base64 } from '@scure/base';
import { address } from '@solana/kit';
import { getTransferSolInstructionDataDecoder } from '@solana-program/system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ValueMap } from '../../types/values/value.ts';
import { outputOf, PRICE, signNext, type StartedRun } from '../support/actions.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { type Keypair, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { associatedAddress, mintAt, tokenAt } from '../support/mints.ts';
import { call, deploy, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { hasSharedFlows, ownFlows, readFlow, sharedFlows, withSettings } from '../support/saved_flows.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { decode } from '../support/wire.ts';

/** The fee of a transaction with one signature, plus the price of its compute units, rounded up. */
const NETWORK_FEE = 5_001n;

let chain: TestChain;
let owner: Person;
let wallet: Keypair;
let walletId: number;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 20 });
  owner = await signUp();
  wallet = await fundedKeypair(chain);
  await storeKeypair(owner, wallet);
  walletId = (await owner.client.from('wallets').select('id').single().throwOnError()).data.id;
});
afterAll(() => chain.stop());

/** Stores a saved flow. Changes only its wallet, which becomes the wallet of the owner, and its network. */
async function storeSaved(flow: FlowBuilder): Promise<number> {
  const owned = withSettings(flow, 'wallet', { public_key: wallet.publicKey, wallet_id: walletId });
  const chain_network = { url: chain.url, cluster: 'devnet' };
  return await storeFlow(owner, owned, { chain_network, instructions_bundling: flow.bundling });
}

async function startFlow(flowId: number, inputs: ValueMap): Promise<StartedRun> {
  const response = await call(`flow/start/${flowId}`, {
    token: owner.token,
    body: JSON.stringify({ inputs }),
    headers: { 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  return await response.json();
}

/** Returns the public half of a key pair. */
const publicKeyOf = (keypair: unknown): string =>
  base58.encode(base58.decode((keypair as { B6: string }).B6).subarray(32));

/** The two ways in which the owner of a flow runs it. */
const ways: [string, (flowId: number, inputs: ValueMap) => Promise<StartedRun>][] = [
  ['a deployment', async (flowId, inputs) => await start(owner, `id=${await deploy(owner, flowId)}`, { inputs })],
  ['a normal run', startFlow],
];

async function succeeded(run: StartedRun): Promise<ValueMap> {
  const { status, body } = await outputOf(run);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { M: ValueMap }).M;
}

/** A flow that calls another flow for its instructions. A new key goes into this input of the call. */
function collectingFlow(input: string): FlowBuilder {
  const flow = new FlowBuilder();
  const call = flow.node('interflow_instructions', { inputs: [input], outputs: ['instructions'] });
  flow.connect(flow.use('generate_keypair').output('pubkey'), call.input(input));
  flow.output('ins', call.output('instructions'));
  return flow;
}

interface Saved {
  folder: string;
  /** A flow that outputs the instructions of a payment as `ins`. */
  collecting: () => FlowBuilder;
  /** A flow in which the key in the input pays 0.01 SOL to the wallet of the flow's owner. */
  payment: { name: string; input: string };
}

const own: Saved = {
  folder: ownFlows,
  payment: { name: 'paid_transfer', input: 'buyer' },
  collecting: () => collectingFlow('buyer'),
};
const shared: Saved = {
  folder: sharedFlows,
  payment: { name: 'simple_transfer', input: 'sender' },
  collecting: () => readFlow(sharedFlows, 'interflow_instructions'),
};

describe.each(ways)('as %s', (_way, startRun) => {
  describe.each([
    ['of this project', own, true],
    // The folder may be missing; then its flows are skipped.
    ['that lie in ../shared/flows', shared, hasSharedFlows],
  ])('of the flows %s', (_where, { folder, payment, collecting }, isThere) => {
    it.skipIf(!isThere)('a payment takes 0.01 SOL and the fee from the payer after the payer has signed', async () => {
      const payer = await fundedKeypair(chain, SOL);
      const before = chain.balance(wallet.publicKey);
      const flowId = await storeSaved(readFlow(folder, payment.name));
      const run = await startRun(flowId, { [payment.input]: { B3: payer.publicKey } });
      expect(chain.balance(payer.publicKey)).toBe(SOL);
      await signNext(run, payer);
      expect(await succeeded(run)).toEqual({ signature: { B6: chain.ledger.landed.at(-1)!.signature } });
      expect(chain.balance(wallet.publicKey) - before).toBe(PRICE);
      expect(SOL - chain.balance(payer.publicKey)).toBe(PRICE + NETWORK_FEE);
    });

    it.skipIf(!isThere)('a key pair is made of seed words and a password, and its balance read', async () => {
      const flowId = await storeSaved(readFlow(folder, 'generate_keypair'));
      const inputs = { password: { S: 'a password' } };
      const { balance, key } = await succeeded(await startRun(flowId, inputs));
      expect(balance).toEqual({ U: String(chain.balance(publicKeyOf(key))) });
      await chain.call('requestAirdrop', publicKeyOf(key), SOL);
      const total = chain.balance(publicKeyOf(key));
      expect(total).toBeGreaterThanOrEqual(SOL);
      expect(await succeeded(await startRun(flowId, inputs))).toEqual({ balance: { U: String(total) }, key });
    });

    it.skipIf(!isThere)(
      'a called payment returns its instruction to the calling flow, and sends nothing',
      async () => {
        const calledId = await storeSaved(readFlow(folder, payment.name));
        const callingId = await storeSaved(withSettings(collecting(), 'interflow_instructions', { id: calledId }));
        const landed = chain.ledger.landed.length;
        const { ins } = await succeeded(await startRun(callingId, {})) as { ins: { A: [{ M: ValueMap }] } };
        const account = (pubkey: string, isSigner: boolean) => ({
          M: { pubkey: { B3: pubkey }, is_signer: { B: isSigner }, is_writable: { B: true } },
        });
        const [{ M: { data, ...called } }, ...more] = ins.A;
        expect(more).toEqual([]);
        expect(called).toEqual({
          program_id: { B3: '1'.repeat(32) },
          accounts: { A: [account(expect.any(String), true), account(wallet.publicKey, false)] },
        });
        const bytes = base64.decode((data as { BY: string }).BY);
        expect(getTransferSolInstructionDataDecoder().decode(bytes).amount).toBe(PRICE);
        expect(chain.ledger.landed.length).toBe(landed);
      },
    );
  });

  it('a token is minted and sent, in one transaction that the wallet of the owner signs', async () => {
    const recipient = makeKeypair().publicKey;
    const landed = chain.ledger.landed.length;
    const run = await startRun(await storeSaved(readFlow(ownFlows, 'mint_and_send')), {
      recipient: { B3: recipient },
      amount: { D: '12.5' },
    });
    const output = await succeeded(run);
    const mint = address((output.mint as { B3: string }).B3);
    const [holds, sent] = [
      await associatedAddress(address(wallet.publicKey), mint),
      await associatedAddress(address(recipient), mint),
    ];
    const [transaction, ...more] = chain.ledger.landed.slice(landed);
    expect(more).toEqual([]);
    expect(output).toEqual({
      mint: { B3: mint },
      token_account: { B3: sent },
      signature: { B6: transaction?.signature },
    });
    expect(Object.values(decode(base64.encode(transaction!.bytes)).signed)).toEqual([true, true]);
    expect(mintAt(chain, mint)).toMatchObject({ supply: 100_000n, decimals: 2 });
    expect([tokenAt(chain, holds)?.amount, tokenAt(chain, sent)?.amount]).toEqual([98_750n, 1_250n]);
    expect(tokenAt(chain, sent)?.owner).toBe(recipient);
  });
});
