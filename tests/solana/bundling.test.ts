import { base64 } from '@scure/base';
import { getTransferSolInstructionDataDecoder } from '@solana-program/system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployAction, outputOf, startAs } from '../support/actions.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { type Keypair, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { finishedRun, type Person, signUp } from '../support/people.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { decode } from '../support/wire.ts';

const SYSTEM = '1'.repeat(32);

let chain: TestChain;
let owner: Person;
let wallet: Keypair;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 20 });
  owner = await signUp();
  wallet = await fundedKeypair(chain);
  await storeKeypair(owner, wallet);
});
afterAll(() => chain.stop());

interface Payment {
  /** The amount in SOL. */
  amount: number;
  /**
   * The value of the transfer's input `submit`. It comes from a setting of the node or, if `isSubmittedByEdge`, by an
   * edge.
   */
  submit?: boolean;
  isSubmittedByEdge?: boolean;
}

/** A flow in which the owner's wallet pays each recipient. Its outputs are the signatures, by the payments' names. */
function payments(given: { [name: string]: Payment }) {
  const flow = new FlowBuilder();
  const recipients = Object.fromEntries(Object.keys(given).map((name) => [name, makeKeypair().publicKey]));
  const sender = flow.use('wallet', {}, { form: { public_key: wallet.publicKey } }).output('keypair');
  for (const [name, { amount, submit, isSubmittedByEdge }] of Object.entries(given)) {
    const recipient = flow.use('wallet', {}, { form: { public_key: recipients[name]! } }).output('pubkey');
    const edges: { [input: string]: Port } = { sender, recipient };
    if (isSubmittedByEdge !== undefined) edges.submit = flow.constant({ B: isSubmittedByEdge });
    const form = { amount, ...(submit !== undefined && { submit }) };
    flow.output(name, flow.use('transfer_sol', edges, { form, title: name }).output('signature'));
  }
  return { flow, recipients };
}

/** Deploys and runs the payments. Returns the outcome of the run, the balances, and the transactions on the chain. */
async function pay(given: { [name: string]: Payment }, columns: Parameters<typeof deployAction>[4] = {}) {
  const { flow, recipients } = payments(given);
  const landedBefore = chain.ledger.landed.length;
  const run = await startAs(owner.token, await deployAction(owner, chain, flow, {}, columns));
  const ended = await outputOf(run);
  return {
    ...ended,
    run: await finishedRun(owner, run.flow_run_id),
    recipients,
    balances: Object.fromEntries(Object.entries(recipients).map(([name, key]) => [name, chain.balance(key)])),
    landed: chain.ledger.landed.slice(landedBefore),
  };
}

describe('with bundling', () => {
  it('two transfers of one payer share one transaction, in the order of their nodes', async () => {
    const { status, body, landed, recipients, balances } = await pay({ a: { amount: 0.001 }, b: { amount: 0.002 } });
    const [{ signature, bytes } = { signature: '', bytes: new Uint8Array() }, ...more] = landed;
    expect([status, body, more]).toEqual([200, { M: { a: { B6: signature }, b: { B6: signature } } }, []]);
    const { instructions, signed } = decode(base64.encode(bytes));
    expect(signed).toEqual({ [wallet.publicKey]: true });
    const transfers = instructions.filter(({ program }) => program === SYSTEM).map(({ accounts, data }) => [
      accounts,
      getTransferSolInstructionDataDecoder().decode(data).amount,
    ]);
    expect(transfers).toEqual([
      [[wallet.publicKey, recipients.a], 1_000_000n],
      [[wallet.publicKey, recipients.b], 2_000_000n],
    ]);
    expect(balances).toEqual({ a: 1_000_000n, b: 2_000_000n });
  });

  it('a failing transfer prevents the other one, and has the error', async () => {
    const { status, run, landed, balances } = await pay({ a: { amount: 0.001 }, b: { amount: 1_000 } });
    expect([status, landed, balances]).toEqual([409, [], { a: 0n, b: 0n }]);
    expect(run.errors).toEqual([
      expect.stringMatching(/^a [0-9a-f-]{36}: transaction simulation failed$/),
      expect.stringMatching(
        /^b [0-9a-f-]{36}: Transaction simulation failed: Error processing Instruction 3: custom program error: 0x1 \(code -32002\)\n1: /,
      ),
    ]);
  });

  it('a transfer with submit off succeeds without a signature, and the other one is sent alone', async () => {
    const { status, body, landed, balances } = await pay({ a: { amount: 0.001, submit: false }, b: { amount: 0.002 } });
    expect([status, body]).toEqual([200, { M: { a: { N: 0 }, b: { B6: landed[0]?.signature } } }]);
    expect([landed.length, balances]).toEqual([1, { a: 0n, b: 2_000_000n }]);
  });

  it('a transfer with submit off by an edge does not begin, and the other one is sent alone', async () => {
    const { status, body, run, landed, balances } = await pay({
      a: { amount: 0.001, isSubmittedByEdge: false },
      b: { amount: 0.002, isSubmittedByEdge: true },
    });
    expect([status, body]).toEqual([200, { M: { b: { B6: landed[0]?.signature } } }]);
    expect([landed.length, balances]).toEqual([1, { a: 0n, b: 2_000_000n }]);
    expect(run.not_run).toHaveLength(2);
  });
});

describe('without bundling', () => {
  const columns = { instructions_bundling: 'Off' };

  it('two transfers are two transactions, and a failing one does not affect the other', async () => {
    const { status, run, landed, balances } = await pay({ a: { amount: 1_000 }, b: { amount: 0.002 } }, columns);
    expect([status, landed.length, balances]).toEqual([409, 1, { a: 0n, b: 2_000_000n }]);
    expect(run.output).toEqual({ M: { b: { B6: landed[0]?.signature } } });
    expect(run.errors).toEqual([
      expect.stringMatching(/^a [0-9a-f-]{36}: Transaction simulation failed: Error processing Instruction 2: /),
    ]);
  });

  it('a transfer with submit off fails, because nobody pays for it', async () => {
    const { status, run, landed, balances } = await pay({ a: { amount: 0.001, submit: false } }, columns);
    expect([status, landed, balances]).toEqual([409, [], { a: 0n }]);
    expect(run.errors).toEqual([expect.stringMatching(/^a [0-9a-f-]{36}: fee payer is not in signers$/)]);
  });
});
