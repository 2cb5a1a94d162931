import { base58 } from '@scure/base';
import { ed25519 } from '@noble/curves/ed25519.js';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
  parseSetComputeUnitLimitInstruction,
  parseSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeypair } from '../../tests/support/keypairs.ts';
import { MEMO_V1, MEMO_V2, SOL, startTestChain, type TestChain } from '../../tests/support/solana.ts';
import {
  fundedKeypair,
  inValues,
  makeWorld,
  memberOf,
  RUN_ID,
  signedMemo,
  transferFrom,
  wallet,
  type WorldOptions,
} from '../../tests/support/transactions.ts';
import { decode, type NamedInstruction, signWire } from '../../tests/support/wire.ts';
import type { TransactionMember } from './transaction_order.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const BUDGET = 'ComputeBudget111111111111111111111111111111';
const SYSTEM = '1'.repeat(32);

async function putOut(
  members: TransactionMember[],
  environment: { [name: string]: string } = {},
  { settings, ...options }: WorldOptions = {},
) {
  const world = makeWorld(chain, { ...options, settings: { ...settings, output_instructions: true } });
  const end = await world.execute(world.order(members, { environment }));
  if (end.status !== 'put_out') throw new Error(JSON.stringify(end));
  return { wire: end.transaction, world, ...decode(end.transaction) };
}

const parsed = ({ program, data }: NamedInstruction) => ({ programAddress: program as typeof MEMO_V1, data });
const priceOf = (instruction: NamedInstruction) =>
  parseSetComputeUnitPriceInstruction(parsed(instruction)).data.microLamports;
const limitOf = (instruction: NamedInstruction) => parseSetComputeUnitLimitInstruction(parsed(instruction)).data.units;
const programs = (instructions: NamedInstruction[]) => instructions.map(({ program }) => program);
const textOf = ({ data }: NamedInstruction) => new TextDecoder().decode(data);

describe('a transaction that is output', () => {
  it('has price and limit in front, then the instructions of all members, then the fees in list order', async () => {
    const payer = await fundedKeypair(chain);
    const [to, first, second] = [makeKeypair(), makeKeypair(), makeKeypair()].map(({ publicKey }) => publicKey);
    const { instructions, world, signed } = await putOut(
      [
        memberOf(wallet(payer), [transferFrom(payer.publicKey, to!)]),
        memberOf(wallet(payer), [signedMemo('thanks', payer.publicKey)]),
      ],
      {},
      { settings: { fees: [[first!, '5000000'], [second!, '18446744073709551615']] } },
    );
    expect(programs(instructions)).toEqual([BUDGET, BUDGET, SYSTEM, MEMO_V2, SYSTEM, SYSTEM]);
    expect(priceOf(instructions[0]!)).toBe(100n);
    expect(instructions.slice(4).map(({ accounts }) => accounts)).toEqual([
      [payer.publicKey, first],
      [payer.publicKey, second],
    ]);
    expect(new DataView(instructions[5]!.data.buffer).getBigUint64(4, true)).toBe(2n ** 64n - 1n);
    expect(signed).toEqual({ [payer.publicKey]: false });
    expect(world.steps).not.toContain('store');
    expect(world.steps).not.toContain('sendTransaction');
  });

  it('has one and a half times the simulated units, plus 1000, as its limit', async () => {
    const payer = await fundedKeypair(chain);
    const members = [memberOf(wallet(payer), [transferFrom(payer.publicKey, makeKeypair().publicKey)])];
    const { instructions, wire } = await putOut(members);
    const { result } = await chain.call('simulateTransaction', wire, {
      encoding: 'base64',
      replaceRecentBlockhash: true,
    });
    expect(result.value.err).toBeNull();
    expect(BigInt(limitOf(instructions[1]!))).toBe(result.value.unitsConsumed * 3n / 2n + 1_000n);
  });

  it('has 200000 units for each instruction, fees included, where the simulation fails', async () => {
    const poor = makeKeypair();
    const recipient = makeKeypair().publicKey;
    const members = [memberOf(wallet(poor), [transferFrom(poor.publicKey, recipient)])];
    const fees: [string, string][] = [[recipient, '1'], [recipient, '2']];
    expect(limitOf((await putOut(members, {}, { settings: { fees } })).instructions[1]!)).toBe(600_000);
    chain.faults.inject({ type: 'error', code: -32601, message: 'no simulations here', method: 'simulateTransaction' });
    const other = await putOut(members);
    expect(limitOf(other.instructions[1]!)).toBe(200_000);
    expect(other.world.logged).toEqual([
      'Warn: the compute units of the transaction are not known: no simulations here (code -32601)',
    ]);
    const many = memberOf(wallet(poor), Array.from({ length: 8 }, () => signedMemo('x', poor.publicKey)));
    expect(limitOf((await putOut([many])).instructions[1]!)).toBe(1_400_000);
  });

  it.each([
    [{ COMPUTE_BUDGET: '777', PRIORITY_FEE: '9' }, 9n, 777],
    [{ COMPUTE_BUDGET: '99999999', PRIORITY_FEE: '18446744073709551615' }, 2n ** 64n - 1n, 1_400_000],
    [{ FALLBACK_COMPUTE_BUDGET: '4242' }, 100n, 4_242],
    [{ COMPUTE_BUDGET: 'auto', PRIORITY_FEE: 'auto' }, 100n, 200_000],
    [{ COMPUTE_BUDGET: 'no', PRIORITY_FEE: '7' }, 7n, undefined],
    [{ COMPUTE_BUDGET: '5', PRIORITY_FEE: 'no' }, undefined, 5],
    [{ COMPUTE_BUDGET: 'no', PRIORITY_FEE: 'no' }, undefined, undefined],
  ])('obeys the environment %j', async (environment, price, limit) => {
    const poor = makeKeypair();
    const members = [memberOf(wallet(poor), [transferFrom(poor.publicKey, makeKeypair().publicKey)])];
    const { instructions } = await putOut(members, environment as { [name: string]: string });
    const budgets = instructions.filter(({ program }) => program === BUDGET);
    expect(budgets.filter(({ data }) => data[0] === 3).map(priceOf)).toEqual(price === undefined ? [] : [price]);
    expect(budgets.filter(({ data }) => data[0] === 2).map(limitOf)).toEqual(limit === undefined ? [] : [limit]);
    expect(programs(instructions).at(-1)).toBe(SYSTEM);
  });

  it('keeps a compute budget that the flow has itself', async () => {
    const poor = makeKeypair();
    const own = [
      getSetComputeUnitLimitInstruction({ units: 11 }),
      getSetComputeUnitPriceInstruction({ microLamports: 22n }),
    ];
    const { instructions } = await putOut([memberOf(wallet(poor), [...own, signedMemo('x', poor.publicKey)])]);
    expect(programs(instructions)).toEqual([BUDGET, BUDGET, MEMO_V2]);
    expect([limitOf(instructions[0]!), priceOf(instructions[1]!)]).toEqual([11, 22n]);
  });

  it("is signed by all but the fee payer, whether or not the fee payer's key is stored", async () => {
    const [payer, stored, given] = [await fundedKeypair(chain), makeKeypair(), makeKeypair()];
    const keys = [payer, stored, given].map(({ publicKey }) => publicKey);
    const members = (feePayer = wallet(payer, true)) => [
      memberOf(feePayer, [signedMemo('all of us', ...keys)], [wallet(stored, true), inValues(given)]),
    ];
    const signed = { [payer.publicKey]: false, [stored.publicKey]: true, [given.publicKey]: true };
    const held = await putOut(members(), {}, { storedKeys: [payer, stored] });
    expect(held.signed).toEqual(signed);
    expect(held.world.opened).toEqual([new Uint8Array(64)]);
    expect((await putOut(members(inValues(payer)), {}, { storedKeys: [stored] })).signed).toEqual(signed);
  });

  it('has the effect of its instructions when the fee payer signs and sends it', async () => {
    const [payer, recipient, fee] = [await fundedKeypair(chain), makeKeypair().publicKey, makeKeypair().publicKey];
    const { wire } = await putOut([memberOf(wallet(payer), [transferFrom(payer.publicKey, recipient, 2n * SOL)])], {}, {
      settings: { fees: [[fee, '30000000']] },
    });
    const { error } = await chain.call('sendTransaction', signWire(wire, payer), {
      encoding: 'base64',
      preflightCommitment: 'confirmed',
    });
    expect(error).toBeUndefined();
    // The signature costs 5000 lamports. The priority costs 1 lamport: 1900 units at 100 micro-lamports, rounded up.
    expect([recipient, fee, payer.publicKey].map(chain.balance)).toEqual([2n * SOL, 30_000_000n, 7_969_994_999n]);
  });

  it('ends with the memo of the action identity, which signs it, and names identity and reference', async () => {
    const [payer, identity] = [await fundedKeypair(chain), makeKeypair()];
    const now = 1_739_000_000_123;
    const { instructions, wire, message, world } = await putOut(
      [memberOf(wallet(payer), [transferFrom(payer.publicKey, makeKeypair().publicKey)])],
      {},
      { settings: { action_identity: identity.publicKey }, storedKeys: [identity], options: { now: () => now } },
    );
    const memo = instructions.at(-1)!;
    expect([memo.program, memo.accounts]).toEqual([MEMO_V1, []]);
    const [scheme, key, reference, signature] = textOf(memo).split(':');
    expect([scheme, key]).toEqual(['solana-action', identity.publicKey]);
    const bytes = base58.decode(reference!);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    expect(view.getBigInt64(0, true)).toBe(1_739_000_000n);
    expect(Buffer.from(bytes.subarray(8, 24)).toString('hex')).toBe(RUN_ID.replaceAll('-', ''));
    expect([...bytes.subarray(24)]).toEqual(Array(8).fill(0));
    expect(ed25519.verify(base58.decode(signature!), bytes, base58.decode(key!))).toBe(true);
    expect(instructions[0]).toMatchObject({ program: BUDGET, accounts: [identity.publicKey, reference] });
    expect(instructions.slice(1).flatMap(({ accounts }) => accounts)).not.toContain(identity.publicKey);
    const index = message.staticAccounts.findIndex((account) => account === identity.publicKey);
    expect(index).toBeGreaterThanOrEqual(message.staticAccounts.length - message.header.numReadonlyNonSignerAccounts);
    expect(world.opened).toEqual([new Uint8Array(64)]);
    expect(
      (await chain.call('sendTransaction', signWire(wire, payer), {
        encoding: 'base64',
        preflightCommitment: 'confirmed',
      })).error,
    ).toBeUndefined();
    chain.ledger.clock.advance(1n);
    const listed = await chain.call('getSignaturesForAddress', identity.publicKey, { commitment: 'confirmed' });
    expect(listed.result).toMatchObject([{ err: null, memo: `[${textOf(memo).length}] ${textOf(memo)}` }]);
    expect(await chain.call('getSignaturesForAddress', reference, { commitment: 'confirmed' })).toEqual(listed);
  });

  it('names the identity once, where an instruction has it already', async () => {
    const [payer, identity] = [makeKeypair(), makeKeypair()];
    const { instructions } = await putOut(
      [memberOf(wallet(payer), [transferFrom(payer.publicKey, identity.publicKey)])],
      {},
      { settings: { action_identity: identity.publicKey }, storedKeys: [identity] },
    );
    const reference = textOf(instructions.at(-1)!).split(':')[2];
    expect(instructions.map(({ accounts }) => accounts)).toEqual([
      [reference],
      [],
      [payer.publicKey, identity.publicKey],
      [],
    ]);
  });

  it('is paid for by the wallet that OVERWRITE_FEEPAYER names', async () => {
    const [payer, sender, fee] = [makeKeypair(), makeKeypair(), makeKeypair().publicKey];
    const { message, signed, instructions } = await putOut(
      [memberOf(inValues(sender), [transferFrom(sender.publicKey, fee)])],
      { OVERWRITE_FEEPAYER: payer.publicKey },
      { settings: { fees: [[fee, '1']] }, storedKeys: [payer] },
    );
    expect(message.staticAccounts[0]).toBe(payer.publicKey);
    expect(signed).toEqual({ [payer.publicKey]: false, [sender.publicKey]: true });
    expect(instructions.at(-1)?.accounts).toEqual([payer.publicKey, fee]);
  });
});
