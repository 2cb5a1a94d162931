import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import { findReference, validateActionIdentifierMemo } from '@solana/actions';
import { Connection, PublicKey } from '@solana/web3.js';
import { getTransferSolInstructionDataDecoder } from '@solana-program/system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployAction, outputOf, paymentFlow, PRICE, signNext, startAs } from '../support/actions.ts';
import { type Keypair, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { MEMO_V1, SOL, startTestChain, type TestChain } from '../support/solana.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { decode, type NamedInstruction, signWire } from '../support/wire.ts';

/**
 * The fee of the network: 5,000 lamports for a signature, and 100 micro-lamports for each of about 1,700 compute units,
 * rounded up.
 */
const NETWORK_FEE = 5_001n;

const SYSTEM = '1'.repeat(32);
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

let chain: TestChain;
let owner: Person;
let buyer: Keypair;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 20 });
  owner = await signUp();
  buyer = await fundedKeypair(chain);
});
afterAll(() => chain.stop());

/** Formats an instruction on one line. If `names` has a name for a key, the name replaces the key. */
function show({ program, accounts, data }: NamedInstruction, names: { [key: string]: string }): string {
  const nameOf = (key: string) => names[key] ?? key;
  if (program === COMPUTE_BUDGET) {
    const context = accounts.length > 0 ? ` with ${accounts.map(nameOf)}` : '';
    return (data[0] === 3 ? 'SetComputeUnitPrice' : 'SetComputeUnitLimit') + context;
  }
  if (program === MEMO_V1) return 'Memo';
  const { amount } = getTransferSolInstructionDataDecoder().decode(data);
  return `Transfer ${accounts.map(nameOf).join(' → ')} ${amount}`;
}

const bought = async (shop: string, settings: Parameters<typeof deployAction>[3] = {}) =>
  await startAs(buyer.publicKey, await deployAction(owner, chain, paymentFlow(shop), settings), {
    inputs: { buyer: { B3: buyer.publicKey } },
  });

/** Returns the transaction that a run has output. */
async function putOut(run: Awaited<ReturnType<typeof bought>>) {
  const { status, body } = await outputOf(run);
  expect(status, JSON.stringify(body)).toBe(200);
  const wire = (body as { M: { transaction: { S: string } } }).M.transaction.S;
  return { wire, ...decode(wire) };
}

/** Sends a transaction to the chain and waits until it is in a block. */
async function send(wire: string): Promise<void> {
  const { error } = await chain.call('sendTransaction', wire, { encoding: 'base64', preflightCommitment: 'processed' });
  expect(error).toBeUndefined();
}

describe('a deployment without settings', () => {
  it("sends a transaction that the buyer signs: two instructions for the compute budget, then the flow's", async () => {
    const shop = makeKeypair();
    const [buyerBefore, landed] = [chain.balance(buyer.publicKey), chain.ledger.landed.length];
    const run = await bought(shop.publicKey);
    await signNext(run, buyer);
    const { status, body } = await outputOf(run);
    const [sent] = chain.ledger.landed.slice(landed);
    expect([status, body]).toEqual([200, { M: { signature: { B6: sent?.signature } } }]);
    expect(
      decode(base64.encode(sent!.bytes)).instructions.map((one) =>
        show(one, { [buyer.publicKey]: 'buyer', [shop.publicKey]: 'shop' })
      ),
    ).toEqual(['SetComputeUnitPrice', 'SetComputeUnitLimit', `Transfer buyer → shop ${PRICE}`]);
    expect(chain.balance(shop.publicKey)).toBe(PRICE);
    expect(buyerBefore - chain.balance(buyer.publicKey)).toBe(PRICE + NETWORK_FEE);
  });
});

describe('output_instructions', () => {
  it('outputs the unsigned transaction instead, which its holder signs and sends', async () => {
    const shop = makeKeypair();
    const landed = chain.ledger.landed.length;
    const { wire, instructions, signed } = await putOut(await bought(shop.publicKey, { output_instructions: true }));
    const names = { [buyer.publicKey]: 'buyer', [shop.publicKey]: 'shop' };
    expect(instructions.map((one) => show(one, names))).toEqual([
      'SetComputeUnitPrice',
      'SetComputeUnitLimit',
      `Transfer buyer → shop ${PRICE}`,
    ]);
    expect(signed).toEqual({ [buyer.publicKey]: false });
    expect(chain.ledger.landed.length, 'nothing was sent').toBe(landed);
    await send(signWire(wire, buyer));
    expect(chain.balance(shop.publicKey)).toBe(PRICE);
  });
});

describe('fees', () => {
  const recipients = [makeKeypair(), makeKeypair()];
  const fees = [[recipients[0]!.publicKey, 2_000_000], [recipients[1]!.publicKey, '3000000']];

  it('are transfers from the fee payer after the instructions of the flow, in the order of the list', async () => {
    const shop = makeKeypair();
    const names = {
      [buyer.publicKey]: 'buyer',
      [shop.publicKey]: 'shop',
      [recipients[0]!.publicKey]: 'first',
      [recipients[1]!.publicKey]: 'second',
    };
    const before = chain.balance(buyer.publicKey);
    const { wire, instructions } = await putOut(await bought(shop.publicKey, { output_instructions: true, fees }));
    expect(instructions.slice(2).map((one) => show(one, names))).toEqual([
      `Transfer buyer → shop ${PRICE}`,
      'Transfer buyer → first 2000000',
      'Transfer buyer → second 3000000',
    ]);
    await send(signWire(wire, buyer));
    expect([shop, ...recipients].map(({ publicKey }) => chain.balance(publicKey))).toEqual([
      PRICE,
      2_000_000n,
      3_000_000n,
    ]);
    expect(before - chain.balance(buyer.publicKey)).toBe(PRICE + 5_000_000n + NETWORK_FEE);
  });

  it('are charged once per run, also if it sends several transactions', async () => {
    const shop = makeKeypair();
    const flow = paymentFlow(shop.publicKey);
    const again = flow.use('transfer_sol', {
      sender: flow.use('generate_keypair', { private_key: flow.input('again') }, { title: 'again wallet' }).output(
        'keypair',
      ),
      recipient: flow.use('wallet', {}, { form: { public_key: shop.publicKey } }).output('pubkey'),
      amount: flow.constant({ D: '0.01' }),
    });
    flow.output('second', again.output('signature'));
    const before = chain.balance(recipients[0]!.publicKey);
    const deploymentId = await deployAction(owner, chain, flow, { fees: fees.slice(0, 1) });
    const second = await fundedKeypair(chain);
    const run = await startAs(buyer.publicKey, deploymentId, {
      inputs: { buyer: { B3: buyer.publicKey }, again: { B3: second.publicKey } },
    });
    await signNext(run, buyer);
    await signNext(run, second);
    expect((await outputOf(run)).status).toBe(200);
    expect(chain.balance(shop.publicKey)).toBe(2n * PRICE);
    expect(chain.balance(recipients[0]!.publicKey) - before).toBe(2_000_000n);
  });
});

describe('action_identity', () => {
  let identity: string;
  beforeAll(async () => {
    identity = await storeKeypair(owner);
  });

  it('signs a memo, the last instruction, with a reference of its own for each run', async () => {
    const shop = makeKeypair();
    const settings = { output_instructions: true, action_identity: identity };
    const runs = [await bought(shop.publicKey, settings), await bought(shop.publicKey, settings)];
    const references = await Promise.all(runs.map(async (run) => {
      const { instructions, wire } = await putOut(run);
      const named = instructions[0]!.accounts[1]!;
      const names = {
        [buyer.publicKey]: 'buyer',
        [shop.publicKey]: 'shop',
        [identity]: 'identity',
        [named]: 'reference',
      };
      expect(instructions.map((one) => show(one, names))).toEqual([
        'SetComputeUnitPrice with identity,reference',
        'SetComputeUnitLimit',
        `Transfer buyer → shop ${PRICE}`,
        'Memo',
      ]);
      const memo = instructions.at(-1)!;
      expect(memo.accounts).toEqual([]);
      const [scheme, key, reference, signature] = new TextDecoder().decode(memo.data).split(':');
      expect([scheme, key, reference]).toEqual(['solana-action', identity, named]);
      const bytes = base58.decode(reference!);
      expect(ed25519.verify(base58.decode(signature!), bytes, base58.decode(identity))).toBe(true);
      const seconds = new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0, true);
      expect(Math.abs(Number(seconds) - Date.now() / 1_000)).toBeLessThan(60);
      expect(Buffer.from(bytes.subarray(8, 24)).toString('hex')).toBe(run.flow_run_id.replaceAll('-', ''));
      expect([...bytes.subarray(24)]).toEqual(Array(8).fill(0));
      await send(signWire(wire, buyer));
      return reference;
    }));
    expect(references[0]).not.toBe(references[1]);
    expect(chain.ledger.landed.filter(({ accounts }) => accounts.includes(identity))).toHaveLength(2);
    // The SDK of the specification finds each transaction by its reference, and accepts the memo as that of the
    // identity.
    const connection = new Connection(chain.url);
    for (const reference of references) {
      const found = await findReference(connection, new PublicKey(reference!), { finality: 'confirmed' });
      expect(validateActionIdentifierMemo(new PublicKey(identity), found.memo)).toEqual({ verified: true, reference });
    }
  });

  it('has no effect on a run that sends by itself and names no action_signer', async () => {
    const run = await bought(makeKeypair().publicKey, { action_identity: identity });
    await signNext(run, buyer);
    expect((await outputOf(run)).status).toBe(200);
    const { instructions } = decode(base64.encode(chain.ledger.landed.at(-1)!.bytes));
    expect(instructions.map(({ program }) => program)).toEqual([COMPUTE_BUDGET, COMPUTE_BUDGET, SYSTEM]);
  });
});

describe('chain_network', () => {
  it('is the network of the transaction', async () => {
    const other = await startTestChain({ slotMs: 20 });
    try {
      await other.call('requestAirdrop', buyer.publicKey, SOL);
      const shop = makeKeypair();
      const run = await bought(shop.publicKey, { chain_network: { url: other.url, cluster: 'testnet' } });
      await signNext(run, buyer);
      expect((await outputOf(run)).status).toBe(200);
      expect([chain.balance(shop.publicKey), other.balance(shop.publicKey)]).toEqual([0n, PRICE]);
    } finally {
      await other.stop();
    }
  });
});
