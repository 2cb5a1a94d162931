import { base58, base64 } from '@scure/base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expireBlockhashes } from '../../../dev/chain/ledger.ts';
import { makeKeypair } from '../../../tests/support/keypairs.ts';
import { SOL, startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import {
  fundedKeypair,
  inValues,
  makeWorld,
  memberOf,
  methodOf,
  type OnStep,
  signedMemo,
  type TransactionWorld,
  transferFrom,
  type WorldOptions,
} from '../../../tests/support/transactions.ts';
import { decode } from '../../../tests/support/wire.ts';
import { type Halt, Released } from '../../engine/node.ts';
import type { TransactionOrder } from '../transaction_order.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());
afterEach(() => chain.ledger.deliver('land'));

/** Prepares a transfer of 1 SOL, signed by a key in the flow's values. */
async function makeTransfer(options: WorldOptions = {}, given: Partial<TransactionOrder> = {}, amount = SOL) {
  const [payer, recipient] = [await fundedKeypair(chain, 3n * SOL), makeKeypair().publicKey];
  const world = makeWorld(chain, options);
  const order = world.order([memberOf(inValues(payer), [transferFrom(payer.publicKey, recipient, amount)])], given);
  return { world, order, payer, recipient, execute: () => world.execute(order) };
}

const decodeName = ({ store }: TransactionWorld): string =>
  base58.encode(base64.decode(store.stored()?.wire ?? '').subarray(1, 65));

const count = ({ steps }: TransactionWorld, name: string): number => steps.filter((step) => step === name).length;

/** Makes a listener that does `work` once, before the n-th call of the step `name`. */
const once = (name: string, n: number, work: () => void): OnStep => {
  let seen = 0;
  return (step, when) => {
    if (step === name && when === 'before' && ++seen === n) work();
  };
};

describe('a transaction that is sent', () => {
  it('is stored first, and confirmed once it is in the chain, fees included', async () => {
    const fee = makeKeypair().publicKey;
    const { world, execute, recipient, payer } = await makeTransfer({ settings: { fees: [[fee, '2000000']] } });
    const landed = chain.ledger.landed.length;
    const end = await execute();
    expect(end).toEqual({ status: 'confirmed', signature: chain.ledger.landed.at(-1)?.signature, hasFees: true });
    expect(chain.ledger.landed).toHaveLength(landed + 1);
    expect([recipient, fee, payer.publicKey].map(chain.balance)).toEqual([SOL, 2_000_000n, 1_997_994_999n]);
    expect(world.steps.slice(0, 4)).toEqual(['simulateTransaction', 'getLatestBlockhash', 'store', 'sendTransaction']);
    const stored = world.store.stored()!;
    expect(decode(stored.wire!)).toMatchObject({ signed: { [payer.publicKey]: true } });
    expect(stored).toMatchObject({ has_fees: true, memo: null, members: [{ instruction_count: 1 }] });
    expect(stored.message).toBe(Buffer.from(decode(stored.wire!).bytes).toString('base64'));
  });

  it.each(['processed', 'confirmed', 'finalized'])('waits for the commitment %s', async (level) => {
    const { execute } = await makeTransfer({}, { environment: { WAIT_COMMITMENT_LEVEL: level } });
    expect(await execute()).toMatchObject({ status: 'confirmed', hasFees: false });
    const { slot } = chain.ledger.landed.at(-1)!;
    const depth = { processed: 0n, confirmed: 1n, finalized: 32n }[level]!;
    expect(chain.ledger.clock.slot() - slot).toBeGreaterThanOrEqual(depth);
  });

  it('carries no fees when the run has already paid them', async () => {
    const { execute, world } = await makeTransfer({ settings: { fees: [[makeKeypair().publicKey, '2000000']] } }, {
      chargesFees: false,
    });
    expect(await execute()).toMatchObject({ status: 'confirmed', hasFees: false });
    expect(world.store.stored()).toMatchObject({ has_fees: false });
  });

  it('fails with the error of the preflight, and is not sent, when it could not succeed', async () => {
    const { execute, world, recipient } = await makeTransfer({}, {}, 4n * SOL);
    const end = await execute();
    expect(end).toEqual({ status: 'failed', signature: null, errors: [expect.any(String)] });
    const [message, ...logs] = end.status === 'failed' ? end.errors[0]!.split('\n') : [];
    expect(message).toBe(
      'Transaction simulation failed: Error processing Instruction 2: custom program error: 0x1 (code -32002)',
    );
    expect(logs).toContainEqual(expect.stringMatching(/^\d: Transfer: insufficient lamports \d+, need 4000000000$/));
    expect([count(world, 'sendTransaction'), chain.balance(recipient)]).toEqual([1, 0n]);
  });

  it('is sent again, without a preflight, when it got lost', async () => {
    const { execute, world, recipient } = await makeTransfer();
    chain.ledger.deliver('lose');
    world.onStep(once('sendTransaction', 3, () => chain.ledger.deliver('land')));
    expect(await execute()).toMatchObject({ status: 'confirmed' });
    expect([count(world, 'sendTransaction'), count(world, 'store'), chain.balance(recipient)]).toEqual([3, 1, SOL]);
  });

  it('is confirmed when the network delayed it', async () => {
    const { execute, world, recipient } = await makeTransfer({ limits: { resendMs: 100_000 } });
    chain.ledger.deliver('hold');
    world.onStep(once('getSignatureStatuses', 4, () => chain.ledger.release()));
    expect(await execute()).toMatchObject({ status: 'confirmed' });
    expect([count(world, 'sendTransaction'), chain.balance(recipient)]).toEqual([1, SOL]);
  });

  it.each(
    [
      ['an answer that is lost', { type: 'lose_answer' }],
      ['a connection that breaks', { type: 'refuse' }],
      ['a busy proxy', { type: 'status', status: 503 }],
      ['a node that is behind', { type: 'error', code: -32005, message: 'Node is behind by 42 slots' }],
      ['a node that does not know the blockhash yet', {
        type: 'error',
        code: -32002,
        message: 'Transaction simulation failed: Blockhash not found',
        data: { err: 'BlockhashNotFound' },
      }],
    ] as const,
  )('survives %s', async (_name, fault) => {
    chain.faults.inject({ ...fault, method: 'sendTransaction' });
    const { execute, recipient } = await makeTransfer();
    expect(await execute()).toMatchObject({ status: 'confirmed' });
    expect(chain.balance(recipient)).toBe(SOL);
  });

  it('is confirmed although reads fail for a while', async () => {
    const { execute, world, recipient } = await makeTransfer();
    const out = { type: 'error', code: -32603, message: 'out of order', times: 3 } as const;
    world.onStep(once('sendTransaction', 1, () => chain.faults.inject({ ...out, method: 'getSignatureStatuses' })));
    expect(await execute()).toMatchObject({ status: 'confirmed' });
    expect(chain.balance(recipient)).toBe(SOL);
  });

  it('expires when it is in no block and its blockhash is too old', async () => {
    const { execute, world, recipient } = await makeTransfer();
    chain.ledger.deliver('lose');
    world.onStep(once('getSignatureStatuses', 3, () => expireBlockhashes(chain.ledger)));
    const end = await execute();
    expect(end).toEqual({
      status: 'failed',
      transience: {},
      errors: [expect.stringMatching(/^transaction \w+ has expired, nothing was transferred$/)],
      signature: expect.any(String),
    });
    expect(world.steps.slice(-2)).toEqual(['getLatestBlockhash', 'getSignatureStatuses']);
    chain.ledger.deliver('land');
    expect(chain.balance(recipient)).toBe(0n);
  });

  it('does not expire while the RPC node that reports its status is behind', async () => {
    const { order, recipient } = await makeTransfer();
    chain.ledger.deliver('hold');
    const { http } = chain.nodeCall();
    const slotBefore = chain.ledger.clock.slot();
    let staleAnswers = 3;
    const request: typeof http.request = async (given) => {
      const method = methodOf(given);
      const isExpired = chain.ledger.find(decodeName(behind)) !== undefined;
      if (method === 'getSignatureStatuses' && isExpired && staleAnswers-- > 0) {
        const answer = `{"result":{"context":{"slot":${slotBefore}},"value":[null]}}`;
        return { status: 200, headers: {}, body: new TextEncoder().encode(answer) };
      }
      const answer = await http.request(given);
      if (method === 'sendTransaction' && !isExpired) {
        // The transaction gets into a block. The run reads its status long after that.
        chain.ledger.release();
        expireBlockhashes(chain.ledger);
      }
      return answer;
    };
    const behind = makeWorld(chain, { limits: { resendMs: 1 }, options: { http: { request } } });
    expect(await behind.execute(order)).toMatchObject({ status: 'confirmed' });
    expect([staleAnswers, chain.balance(recipient)]).toEqual([-1, SOL]);
  });

  it('expires when it was signed too late', async () => {
    const { execute, world, recipient } = await makeTransfer();
    world.onStep(once('store', 1, () => expireBlockhashes(chain.ledger)));
    expect(await execute()).toMatchObject({
      status: 'failed',
      errors: [expect.stringMatching(/has expired, nothing was transferred; the network said: .*Blockhash not found/)],
    });
    expect(chain.balance(recipient)).toBe(0n);
  });

  it('fails with the error that the chain records', async () => {
    const { execute, payer, world, order } = await makeTransfer();
    // The worker that stored the transaction died before it sent the transaction. Meanwhile the money was spent.
    world.onStep((name) => {
      if (name === 'sendTransaction') throw new Error('died');
    });
    await expect(execute()).rejects.toThrow('died');
    world.onStep(() => {});
    const other = makeWorld(chain);
    const drain = memberOf(inValues(payer), [
      transferFrom(payer.publicKey, makeKeypair().publicKey, 25n * SOL / 10n),
    ]);
    expect(await other.execute(other.order([drain]))).toMatchObject({ status: 'confirmed' });
    const end = await world.execute(order);
    const { signature } = chain.ledger.landed.at(-1)!;
    expect(end).toEqual({
      status: 'failed',
      errors: [`transaction ${signature} failed: {"InstructionError":[2,{"Custom":1}]}`],
      signature,
    });
  });
});

describe('errors of a transaction of several members', () => {
  const fees: [string, string][] = [[makeKeypair().publicKey, String(100n * SOL)]];

  const errorsOf = async (failing: number | undefined, options: WorldOptions = {}) => {
    const payer = await fundedKeypair(chain, 3n * SOL);
    const amounts = [1, 2, 3, 4].map((index) => index === failing ? 50n * SOL : SOL / 10n);
    const transfers = amounts.map((amount) => transferFrom(payer.publicKey, makeKeypair().publicKey, amount));
    const world = makeWorld(chain, options);
    const members = [
      memberOf(inValues(payer), transfers.slice(0, 1)),
      memberOf(inValues(payer), transfers.slice(1, 3)),
      memberOf(inValues(payer), []),
      memberOf(inValues(payer), transfers.slice(3)),
    ];
    const end = await world.execute(world.order(members));
    return end.status === 'failed' ? end.errors.map((text) => text.split(' (code')[0]) : end;
  };

  it('go to the member whose instruction failed', async () => {
    const text = (index: number) =>
      `Transaction simulation failed: Error processing Instruction ${index}: custom program error: 0x1`;
    const rest = 'transaction simulation failed';
    expect(await errorsOf(1)).toEqual([text(2), rest, rest, rest]);
    expect(await errorsOf(2)).toEqual([rest, text(3), rest, rest]);
    expect(await errorsOf(3)).toEqual([rest, text(4), rest, rest]);
    expect(await errorsOf(4, { settings: { fees } })).toEqual([rest, rest, rest, text(5)]);
  });

  it('go to all members when a fee failed, or no instruction did', async () => {
    expect(await errorsOf(undefined, { settings: { fees } })).toEqual(
      Array(4).fill('Transaction simulation failed: Error processing Instruction 6: custom program error: 0x1'),
    );
    const world = makeWorld(chain);
    const poor = makeKeypair();
    const members = ['a', 'b'].map((text) => memberOf(inValues(poor), [signedMemo(text, poor.publicKey)]));
    const text = expect.stringMatching(/^Transaction simulation failed: Attempt to debit an account/);
    expect(await world.execute(world.order(members))).toMatchObject({ errors: [text, text] });
  });
});

describe('a run that ends while its transaction is on its way', () => {
  const halt: Halt = { status: 'stopped', message: 'canceled by user enough', graceMs: 0 };

  it('says that the transaction may still be executed, once it may have been sent', async () => {
    const stop = new AbortController();
    const { execute, world } = await makeTransfer({}, { signal: stop.signal });
    chain.ledger.deliver('lose');
    world.onStep(once('getSignatureStatuses', 2, () => stop.abort(halt)));
    const end = await execute();
    expect(end).toEqual({
      status: 'failed',
      signature: expect.any(String),
      errors: [expect.any(String)],
      isUnknown: true,
    });
    if (end.status !== 'failed') return;
    expect(end.errors[0]).toBe(`${halt.message}; transaction ${end.signature} was sent and may still be executed`);
  });

  it.each(['simulateTransaction', 'getLatestBlockhash', 'store'])('sends nothing more after %s', async (step) => {
    const stop = new AbortController();
    const { execute, world, recipient } = await makeTransfer({}, { signal: stop.signal });
    world.onStep(once(step, 1, () => stop.abort(halt)));
    expect(await execute()).toEqual({ status: 'failed', errors: [halt.message], signature: null });
    expect([count(world, 'sendTransaction'), chain.balance(recipient)]).toEqual([0, 0n]);
  });

  it('does not build a transaction when it has already ended', async () => {
    const stop = new AbortController();
    stop.abort(halt);
    const { execute, world } = await makeTransfer({}, { signal: stop.signal });
    expect(await execute()).toEqual({ status: 'failed', errors: [halt.message], signature: null });
    expect(world.steps).toEqual([]);
  });

  it.each(['simulateTransaction', 'getLatestBlockhash', 'store', 'sendTransaction', 'getSignatureStatuses'])(
    'is released at %s, and on from there',
    async (step) => {
      const back = new AbortController();
      const { execute, world, order, recipient } = await makeTransfer({}, { releasing: back.signal });
      world.onStep(once(step, 1, () => back.abort()));
      await expect(execute()).rejects.toThrow(Released);
      const again = { ...order, releasing: new AbortController().signal };
      expect(await world.execute(again)).toMatchObject({ status: 'confirmed' });
      expect(chain.balance(recipient)).toBe(SOL);
    },
  );
});
