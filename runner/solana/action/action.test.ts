import { base58, base64 } from '@scure/base';
import { address } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActionOptions, makeActionOrder, sendWire } from '../../../tests/support/action_order.ts';
import { type Keypair, makeKeypair } from '../../../tests/support/keypairs.ts';
import {
  memo as memoOf,
  MEMO_V1,
  SOL,
  startTestChain,
  type TestChain,
  transfer,
} from '../../../tests/support/solana.ts';
import {
  fundedKeypair,
  inValues,
  makeWorld,
  memberOf,
  signedMemo,
  transferFrom,
  wallet,
} from '../../../tests/support/transactions.ts';
import { decode, signWire } from '../../../tests/support/wire.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { NodeError, Released } from '../../engine/node.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const send = (wire: string, skipPreflight = false) => sendWire(chain, wire, skipPreflight);
const makeAction = (options: ActionOptions = {}) => makeActionOrder(chain, options);

describe('the transaction of an action', () => {
  it('is given to its signer, who sends it', async () => {
    const fee = makeKeypair().publicKey;
    const { execute, request, signer, recipient, world } = await makeAction({ settings: { fees: [[fee, '5000000']] } });
    const end = execute();
    const signature = await send(signWire(await request(), signer));
    expect(await end).toEqual({ status: 'confirmed', signature, hasFees: true });
    expect([recipient, fee].map(chain.balance)).toEqual([SOL, 5_000_000n]);
    expect(world.steps).not.toContain('sendTransaction');
    expect([world.waits(), world.store.requests().length]).toEqual([1, 1]);
  });

  it("carries all other signatures when its signer gets it, even if the signer's key is stored here", async () => {
    const [payer, other, stored] = [await fundedKeypair(chain), makeKeypair(), makeKeypair()];
    const { execute, request, signer, world, recipient } = await makeAction({
      storedKeys: [stored],
      members: (pair, to) => [
        memberOf(
          wallet(payer),
          [transferFrom(pair.publicKey, to), signedMemo('x', other.publicKey, stored.publicKey)],
          [inValues(pair), wallet(other), wallet(stored, true)],
        ),
      ],
    });
    expect(await execute()).toEqual({ status: 'waiting' });
    world.store.answer(payer);
    expect(await execute()).toEqual({ status: 'waiting' });
    expect(world.store.requests().map(({ pubkey }) => pubkey)).toEqual([payer.publicKey, other.publicKey]);
    world.store.answer(other);
    const end = execute();
    const wire = await request();
    expect(decode(wire).signed).toEqual({
      [payer.publicKey]: true,
      [other.publicKey]: true,
      [stored.publicKey]: true,
      [signer.publicKey]: false,
    });
    const signature = await send(signWire(wire, signer));
    expect(await end).toMatchObject({ status: 'confirmed', signature });
    expect(chain.balance(recipient)).toBe(SOL);
  });

  it('is still looked for after its signer has submitted the signature', async () => {
    const { execute, request, signer, world } = await makeAction();
    const end = execute();
    const wire = await request();
    world.store.answer(signer);
    const looks = world.steps.length;
    await waitFor(() => world.steps.length > looks + 3 || undefined);
    const signature = await send(signWire(wire, signer));
    expect(await end).toMatchObject({ status: 'confirmed', signature });
  });

  it('fails with the error that the chain has for it', async () => {
    const members = (signer: Keypair, recipient: string) => [
      memberOf(wallet(signer), [signedMemo('fine', signer.publicKey)]),
      memberOf(wallet(signer), [transferFrom(signer.publicKey, recipient, 50n * SOL)]),
    ];
    const { execute, request, signer } = await makeAction({ members });
    const end = execute();
    const signature = await send(signWire(await request(), signer), true);
    expect(await end).toEqual({
      status: 'failed',
      signature,
      errors: [
        'transaction simulation failed',
        `transaction ${signature} failed: {"InstructionError":[3,{"Custom":1}]}`,
      ],
    });
  });

  it('fails when nobody sends it in time', async () => {
    const { execute, signer, world } = await makeAction({ limits: { actionTimeoutMs: 50 } });
    expect(await execute()).toEqual({
      status: 'failed',
      errors: [`timeout: ${signer.publicKey} did not send the transaction in time`],
      signature: null,
      isUnknown: true,
    });
    expect(world.steps.at(-1)).toBe('getSignaturesForAddress');
  });

  it('is found by one last look when its time ran out during the look before', async () => {
    let lateness = 0;
    const { execute, request, signer, world } = await makeAction({ options: { now: () => Date.now() + lateness } });
    let signature: string | undefined;
    world.onStep(async (name, when) => {
      if (name !== 'getSignaturesForAddress' || when === 'before' || signature !== undefined) return;
      lateness = 3_600_000;
      signature = await send(signWire(await request(), signer));
    });
    expect(await execute()).toEqual({ status: 'confirmed', signature, hasFees: false });
    expect(world.steps.filter((step) => step === 'getSignaturesForAddress')).toHaveLength(2);
  });

  it('is looked for until its time is over, even if the network does not answer', async () => {
    const { execute, request, signer } = await makeAction();
    const out = { type: 'error', code: -32603, message: 'out of order', times: 5 } as const;
    chain.faults.inject({ ...out, method: 'getSignaturesForAddress' });
    const end = execute();
    const wire = await request();
    await waitFor(() => chain.faults.take('getSignaturesForAddress') === undefined || undefined);
    const signature = await send(signWire(wire, signer));
    expect(await end).toMatchObject({ status: 'confirmed', signature });
  });

  it('is never a transaction of another run, an earlier or an already known one, even if it names the identity', async () => {
    const knownSignatures = new Set<string>();
    const now = Date.now();
    const { execute, request, signer, identity, world, order } = await makeAction({
      given: { knownSignatures },
      options: { now: () => now },
    });
    const sender = await chain.fundedSigner();
    const naming = transfer(sender, address(identity.publicKey), SOL / 10n);
    const sign = (text: string, amount: bigint) =>
      chain.sign(sender, [naming, transfer(sender, sender.address, amount), memoOf(text, MEMO_V1)]);

    // The run made this transaction in the same second as the action's, so both have the same memo.
    const settings = { action_identity: identity.publicKey, output_instructions: true };
    const before = makeWorld(chain, { settings, storedKeys: [identity], options: { now: () => now } });
    const early = await before.execute(order);
    if (early.status !== 'put_out') throw new Error(JSON.stringify(early));
    const memo = new TextDecoder().decode(decode(early.transaction).instructions.at(-1)!.data);
    await send(await sign(memo, 1n), true);
    chain.ledger.clock.advance(5n);

    const end = execute();
    const wire = await request();
    expect(world.store.stored()?.memo).toBe(memo);
    const known = await sign(memo, 2n);
    knownSignatures.add(base58.encode(base64.decode(known).subarray(1, 65)));
    await send(known, true);
    await send(await sign(memo.replace(/:[^:]*:[^:]*$/, ':1111:1111'), 3n), true);
    await send(await sign(`${memo} and more`, 4n), true);
    await send(await sign(`[${memo.length}] ${memo}; `, 5n), true);
    const looks = world.steps.length;
    await waitFor(() => world.steps.length > looks + 3 || undefined);
    const signature = await send(signWire(wire, signer));
    expect(await end).toMatchObject({ status: 'confirmed', signature });
  });

  it('is looked for again after its worker died or released the run, until its request expires', async () => {
    const back = new AbortController();
    const { order, request, signer, world } = await makeAction({ given: { releasing: back.signal } });
    const first = world.execute(order);
    const wire = await request();
    back.abort();
    await expect(first).rejects.toThrow(Released);
    const signature = await send(signWire(wire, signer));
    const again = { ...order, releasing: new AbortController().signal };
    expect(await world.execute(again)).toMatchObject({ status: 'confirmed', signature });
    expect(world.store.requests()).toHaveLength(1);
    world.store.expire();
    const late = { ...again, knownSignatures: new Set([signature]) };
    expect(await world.execute(late)).toMatchObject({ errors: [expect.stringMatching(/^timeout: /)] });
  });

  it('keeps its stored instructions after a worker died, even if new ones would differ', async () => {
    const back = new AbortController();
    const { order, request, signer, world } = await makeAction({ given: { releasing: back.signal } });
    const first = world.execute(order);
    const wire = await request();
    back.abort();
    await expect(first).rejects.toThrow(Released);
    const signature = await send(signWire(wire, signer));
    const members = order.members.map(({ execution }) => ({ execution, instructions: undefined }));
    const again = { ...order, members, releasing: new AbortController().signal };
    expect(await world.execute(again)).toMatchObject({ status: 'confirmed', signature });
  });

  it('has an unknown outcome when the network does not answer the last look', async () => {
    const back = new AbortController();
    const { order, request, world } = await makeAction({ given: { releasing: back.signal } });
    const first = world.execute(order);
    await request();
    back.abort();
    await expect(first).rejects.toThrow(Released);
    world.store.expire();
    world.onStep((name) => {
      if (name === 'getSignaturesForAddress') throw new NodeError('the connection failed');
    });
    const { signal } = new AbortController();
    expect(await world.execute({ ...order, releasing: signal })).toMatchObject({
      errors: ['timeout: it is not known whether the transaction was sent: the connection failed'],
      isUnknown: true,
    });
  });

  it('may still be sent when its run is stopped', async () => {
    const stop = new AbortController();
    const { execute, request, signer } = await makeAction({ given: { signal: stop.signal } });
    const end = execute();
    await request();
    stop.abort({ status: 'stopped', message: 'canceled by user enough', graceMs: 0 });
    const told = {
      status: 'failed',
      errors: [`canceled by user enough; ${signer.publicKey} has the transaction and may still send it`],
      signature: null,
      isUnknown: true,
    };
    expect(await end).toEqual(told);
    // A worker that claims the run after the stop gives the same error.
    expect(await execute()).toEqual(told);
  });

  it('does not mention the signer when the run was stopped before the signer got it', async () => {
    const stop = new AbortController();
    const { execute, world } = await makeAction({ given: { signal: stop.signal } });
    world.onStep((name) => {
      if (name === 'store') throw new Error('the worker is lost');
    });
    await expect(execute()).rejects.toThrow('the worker is lost');
    world.onStep(() => {});
    stop.abort({ status: 'stopped', message: 'canceled by user enough', graceMs: 0 });
    const end = await execute();
    expect(end).toMatchObject({ errors: ['canceled by user enough'] });
    expect(end).not.toHaveProperty('isUnknown', true);
  });

  it('fails when its signer is not among the signers', async () => {
    const payer = await fundedKeypair(chain);
    const { execute, signer, world } = await makeAction({
      members: () => [memberOf(inValues(payer), [signedMemo('x', payer.publicKey)])],
    });
    expect(await execute()).toEqual({
      status: 'failed',
      errors: [`the transaction needs no signature of the action signer ${signer.publicKey}`],
      signature: null,
    });
    expect(world.store.requests()).toEqual([]);
  });

  it.each([
    ['without an action signer is sent as any other', { action_signer: null }],
    ['without an action identity is sent as any other', { action_identity: null }],
  ])('%s', async (_name, settings) => {
    const [payer, recipient] = [await fundedKeypair(chain), makeKeypair().publicKey];
    const both = { action_identity: makeKeypair().publicKey, action_signer: payer.publicKey };
    const world = makeWorld(chain, { settings: { ...both, ...settings } });
    const order = world.order([memberOf(inValues(payer), [transferFrom(payer.publicKey, recipient)])]);
    expect(await world.execute(order)).toMatchObject({ status: 'confirmed' });
    expect(world.store.stored()?.memo).toBeNull();
  });

  it("becomes the run's output, whoever its signer is, when the run outputs instructions", async () => {
    const { execute, world } = await makeAction({ settings: { output_instructions: true } });
    expect(await execute()).toMatchObject({ status: 'put_out' });
    expect(world.store.requests()).toEqual([]);
  });
});
