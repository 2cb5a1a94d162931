import { base64 } from '@scure/base';
import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
} from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeypair } from '../../tests/support/keypairs.ts';
import { SOL, startTestChain, type TestChain } from '../../tests/support/solana.ts';
import {
  adapter,
  fundedKeypair,
  inValues,
  makeSharedOrder,
  makeWorld,
  memberOf,
  signedMemo,
  type TransactionWorld,
  transferFrom,
  wallet,
} from '../../tests/support/transactions.ts';
import { decode } from '../../tests/support/wire.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

type Message = Extract<CompiledTransactionMessage, { version: 0 }> & CompiledTransactionMessageWithLifetime;

/** Changes the message of the only request as a wallet would. */
function changed({ store }: TransactionWorld, change: (message: Message) => Message): Uint8Array {
  const bytes = base64.decode(store.requests()[0]!.msg);
  const message = getCompiledTransactionMessageDecoder().decode(bytes) as Message;
  return new Uint8Array(getCompiledTransactionMessageEncoder().encode(change(message)));
}

const withInstruction = (message: Message, index: number, change: object): Message => ({
  ...message,
  instructions: message.instructions.map((entry, at) => at === index ? { ...entry, ...change } : entry),
});

/** Raises the priority price, as a wallet may. */
const dearer = (message: Message): Message =>
  withInstruction(message, 0, { data: Uint8Array.from([3, 0x40, 0x42, 0x0f, 0, 0, 0, 0, 0]) });

describe('a message that a wallet changed', () => {
  it('is the message that all others sign and that is sent', async () => {
    const [other, stored] = [adapter(), makeKeypair()];
    const signers = [other, { pair: stored, signer: wallet(stored, true) }];
    const { world, execute, payer, recipient } = await makeSharedOrder(chain, wallet, signers, {
      storedKeys: [stored],
    });
    await execute();
    const message = changed(world, dearer);
    world.store.answer(payer, message);
    expect(await execute()).toEqual({ status: 'waiting' });
    expect(world.store.requests()[1]?.msg).toBe(base64.encode(message));
    expect(world.store.stored()?.message).toBe(base64.encode(message));
    world.store.answer(other.pair);
    const before = chain.balance(payer.publicKey);
    expect(await execute()).toMatchObject({ status: 'confirmed' });
    const { wire } = world.store.stored()!;
    const { bytes, signed } = decode(wire!);
    expect(bytes).toEqual(message);
    expect(Object.values(signed)).toEqual([true, true, true]);
    expect(chain.balance(recipient)).toBe(SOL);
    expect(before - chain.balance(payer.publicKey)).toBeGreaterThan(SOL + 15_001n);
  });

  it("may move the compute budget's instructions, and errors still reach the right nodes", async () => {
    const payer = await fundedKeypair(chain, SOL);
    const world = makeWorld(chain);
    const order = world.order([
      memberOf(wallet(payer), [signedMemo('fine', payer.publicKey)]),
      memberOf(wallet(payer), [transferFrom(payer.publicKey, makeKeypair().publicKey, 2n * SOL)]),
    ], { environment: { PRIORITY_FEE: 'no', COMPUTE_BUDGET: 'no' } });
    expect(await world.execute(order)).toEqual({ status: 'waiting' });
    const message = changed(world, ({ header, staticAccounts, instructions: [first, second], ...rest }) => {
      const programAddressIndex = staticAccounts.length;
      const price = { programAddressIndex, data: Uint8Array.from([3, 1, 0, 0, 0, 0, 0, 0, 0]) };
      const limit = { programAddressIndex, data: Uint8Array.from([2, 0x40, 0x0d, 3, 0]) };
      return {
        ...rest,
        header: { ...header, numReadonlyNonSignerAccounts: header.numReadonlyNonSignerAccounts + 1 },
        staticAccounts: [...staticAccounts, COMPUTE_BUDGET_PROGRAM_ADDRESS],
        instructions: [price, first!, second!, limit],
      };
    });
    world.store.answer(payer, message);
    expect(await world.execute(order)).toMatchObject({
      status: 'failed',
      errors: [
        'transaction simulation failed',
        expect.stringContaining('Error processing Instruction 2: custom program error: 0x1'),
      ],
    });
    expect(decode(world.store.stored()!.wire!).bytes).toEqual(message);
  });

  it.each<[string, string, (message: Message) => Message]>([
    ['sends more', 'instructions[2].data: was changed', (message) => {
      const data = Uint8Array.from(message.instructions[2]!.data!);
      return withInstruction(message, 2, { data: data.fill(255, 4) });
    }],
    [
      'takes from another signer',
      'instructions[2].accounts[0]: was ',
      (message) =>
        withInstruction(message, 2, { accountIndices: message.instructions[2]!.accountIndices!.toReversed() }),
    ],
    [
      'calls another program',
      'instructions[3].program: was ',
      (message) => withInstruction(message, 3, { programAddressIndex: message.instructions[2]!.programAddressIndex }),
    ],
    [
      'leaves an instruction out',
      'instructions[3]: the instruction of MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr is missing',
      (message) => ({
        ...message,
        instructions: message.instructions.slice(0, -1),
      }),
    ],
    ['lets another account be written to', 'account_keys[1]: ', (message) => ({
      ...message,
      header: { ...message.header, numReadonlySignerAccounts: 0 },
    })],
    [
      'is of another block',
      'recent_blockhash: was changed',
      (message) => ({ ...message, lifetimeToken: makeKeypair().publicKey }),
    ],
    ['wants another signer', 'account_keys[1]: was ', (message) => ({
      ...message,
      staticAccounts: message.staticAccounts.map((account, index) =>
        index === 1 ? makeKeypair().publicKey as typeof account : account
      ),
    })],
    ['has another fee payer', 'account_keys[0]: was ', (message) => ({
      ...message,
      staticAccounts: [message.staticAccounts[1]!, message.staticAccounts[0]!, ...message.staticAccounts.slice(2)],
    })],
  ])('and that %s is not signed by anybody else', async (_name, reason, change) => {
    const stored = makeKeypair();
    const signers = [{ pair: stored, signer: wallet(stored, true) }];
    const { world, execute, payer } = await makeSharedOrder(chain, wallet, signers, { storedKeys: [stored] });
    await execute();
    world.store.answer(payer, changed(world, change));
    const end = await execute();
    expect(end).toMatchObject({ status: 'failed', signature: null });
    expect(end.status === 'failed' && end.errors[0]).toContain(
      `signature of ${payer.publicKey} failed: transaction changed: ${reason}`,
    );
    expect([world.opened, world.store.requests().length]).toEqual([[], 1]);
  });

  it('is refused after the fee payer has signed', async () => {
    const other = adapter();
    const { world, execute } = await makeSharedOrder(chain, inValues, [other]);
    await execute();
    world.store.answer(other.pair, changed(world, dearer));
    expect(await execute()).toMatchObject({
      errors: [`signature of ${other.pair.publicKey} failed: not allowed to change transaction`],
    });
    expect(world.steps).not.toContain('sendTransaction');
  });
});
