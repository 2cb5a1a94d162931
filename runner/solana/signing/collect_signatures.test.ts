import { base58, base64 } from '@scure/base';
import { ed25519 } from '@noble/curves/ed25519.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Keypair, makeKeypair } from '../../../tests/support/keypairs.ts';
import { SOL, startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import {
  adapter,
  bytesOf,
  fundedKeypair,
  inValues,
  makeSharedOrder,
  makeWorld,
  memberOf,
  signedMemo,
  type TransactionWorld,
  wallet,
  type WorldOptions,
} from '../../../tests/support/transactions.ts';
import { SealedSecretError } from '../../../platform/secrets/sealed_secrets.ts';
import type { ChainSigner, TransactionOrder } from '../transaction_order.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const asked = ({ store }: TransactionWorld) =>
  store.requests().map(({ pubkey, signatures }) => [pubkey, signatures?.map((known) => known.pubkey) ?? null]);

describe('a transaction that somebody else signs', () => {
  it('asks the fee payer first, then all others at once under its signature', async () => {
    const others = [adapter(), adapter()];
    const { world, execute, payer, recipient } = await makeSharedOrder(chain, wallet, others);
    expect(await execute()).toEqual({ status: 'waiting' });
    expect(asked(world)).toEqual([[payer.publicKey, null]]);
    expect(await execute()).toEqual({ status: 'waiting' });
    world.store.answer(payer);
    expect(await execute()).toEqual({ status: 'waiting' });
    const keys = others.map(({ pair }) => pair.publicKey);
    expect(asked(world).slice(1).sort()).toEqual(keys.map((key) => [key, [payer.publicKey]]).sort());
    const [first, second] = world.store.requests();
    const known = second!.signatures![0]!;
    expect(known.signature).toBe(first!.signature);
    expect(second!.msg).toBe(first!.msg);
    world.store.answer(others[0]!.pair);
    expect(await execute()).toEqual({ status: 'waiting' });
    expect(world.steps).not.toContain('sendTransaction');
    world.store.answer(others[1]!.pair);
    expect(await execute()).toMatchObject({ status: 'confirmed' });
    expect(chain.balance(recipient)).toBe(SOL);
    // The run makes the message only once, before the first request.
    expect(world.steps.filter((step) => step === 'simulateTransaction')).toHaveLength(1);
  });

  it('shows the other signers the signature of a fee payer whose key is stored here', async () => {
    const other = adapter();
    const { world, execute, payer } = await makeSharedOrder(chain, inValues, [other]);
    expect(await execute()).toEqual({ status: 'waiting' });
    const [request] = world.store.requests();
    expect(asked(world)).toEqual([[other.pair.publicKey, [payer.publicKey]]]);
    const { signature } = request!.signatures![0]!;
    expect(ed25519.verify(base58.decode(signature), base64.decode(request!.msg), base58.decode(payer.publicKey))).toBe(
      true,
    );
    world.store.answer(other.pair);
    expect(await execute()).toMatchObject({ status: 'confirmed' });
  });

  it('asks for a key that an instruction needs and no wallet provides', async () => {
    const stranger = makeKeypair();
    const payer = await fundedKeypair(chain);
    const world = makeWorld(chain, { storedKeys: [stranger] });
    const order = world.order([memberOf(inValues(payer), [signedMemo('x', stranger.publicKey)])]);
    expect(await world.execute(order)).toEqual({ status: 'waiting' });
    expect(asked(world)).toEqual([[stranger.publicKey, [payer.publicKey]]]);
    expect(world.opened).toEqual([]);
  });

  it('signs with a stored key only if the flow names it in every use', async () => {
    const stored = makeKeypair();
    for (const [uses, isAsked] of [[[true, true], false], [[true, false], true], [[false, true], true]] as const) {
      const payer = await fundedKeypair(chain);
      const world = makeWorld(chain, { storedKeys: [stored] });
      const members = uses.map((isNamed) =>
        memberOf(inValues(payer), [signedMemo('x', stored.publicKey)], [wallet(stored, isNamed)])
      );
      const end = await world.execute(world.order(members));
      expect([end.status, world.opened.length]).toEqual(isAsked ? ['waiting', 0] : ['confirmed', 1]);
    }
  });

  it('asks for a key that the flow names and that is not stored', async () => {
    const { world, execute, payer } = await makeSharedOrder(chain, (pair) => wallet(pair, true));
    expect(await execute()).toEqual({ status: 'waiting' });
    expect(asked(world)).toEqual([[payer.publicKey, null]]);
  });

  it('waits for the answer to its request, even if the key is stored meanwhile', async () => {
    const storedKeys: Keypair[] = [];
    const { world, execute, payer } = await makeSharedOrder(chain, (pair) => wallet(pair, true), [], { storedKeys });
    expect(await execute()).toEqual({ status: 'waiting' });
    storedKeys.push(payer);
    expect(await execute()).toEqual({ status: 'waiting' });
    world.store.answer(payer);
    expect(await execute()).toMatchObject({ status: 'confirmed' });
    expect(world.opened).toEqual([]);
  });

  it('fails when an answer does not come in time', async () => {
    const other = adapter();
    const { world, execute, payer } = await makeSharedOrder(chain, wallet, [other]);
    await execute();
    world.store.answer(payer);
    await execute();
    world.store.expire();
    expect(await execute()).toEqual({
      status: 'failed',
      errors: [`timeout: the signature request of ${other.pair.publicKey} was not answered in time`],
      signature: null,
    });
    expect(world.steps).not.toContain('sendTransaction');
  });

  it('asks the holder of OVERWRITE_FEEPAYER if an input brings that key, too', async () => {
    const payer = await fundedKeypair(chain);
    const sender = await fundedKeypair(chain);
    const environment = { OVERWRITE_FEEPAYER: payer.publicKey };
    for (const isFromOutside of [false, true]) {
      const world = makeWorld(chain, { storedKeys: [payer] });
      const signers = isFromOutside ? [wallet(payer)] : [];
      const memo = signedMemo(`${isFromOutside}`, sender.publicKey);
      const order = world.order([memberOf(inValues(sender), [memo], signers)], { environment });
      const end = await world.execute(order);
      expect(end.status).toBe(isFromOutside ? 'waiting' : 'confirmed');
    }
  });
});

describe('a malformed key pair', () => {
  const mismatched = (): Keypair => {
    const [one, other] = [makeKeypair(), makeKeypair()];
    const bytes = new Uint8Array([...one.secretKey, ...base58.decode(other.publicKey)]);
    return { publicKey: other.publicKey, secretKey: one.secretKey, keypair: base58.encode(bytes) };
  };
  const text = ({ publicKey }: Keypair) =>
    `the key pair of ${publicKey} does not match: its secret key belongs to another public key`;

  const run = async (pair: Keypair, signer: ChainSigner, options: WorldOptions) => {
    const payer = await fundedKeypair(chain);
    const world = makeWorld(chain, options);
    const order: TransactionOrder = world.order([
      memberOf(inValues(payer), [signedMemo('x', pair.publicKey)], [signer]),
    ]);
    return { world, end: await world.execute(order) };
  };

  it('in the values of the flow is an error', async () => {
    const pair = mismatched();
    expect((await run(pair, inValues(pair), {})).end).toMatchObject({ errors: [text(pair)] });
  });

  it('among the stored keys is an error, and is forgotten', async () => {
    const pair = mismatched();
    const { world, end } = await run(pair, wallet(pair, true), { storedKeys: [pair] });
    expect(end).toMatchObject({ errors: [text(pair)] });
    expect(world.opened).toEqual([new Uint8Array(64)]);
    const [asked, given] = [makeKeypair(), makeKeypair()];
    const openWallet = async () => bytesOf(given);
    expect((await run(asked, wallet(asked, true), { options: { openWallet } })).end).toMatchObject({
      errors: [text(asked)],
    });
  });

  it('that cannot be opened fails the node; a database that does not answer does not', async () => {
    const pair = makeKeypair();
    const closed = new SealedSecretError('The secret of the wallet does not open.');
    const { end } = await run(pair, wallet(pair, true), { options: { openWallet: () => Promise.reject(closed) } });
    expect(end).toMatchObject({
      errors: [`the stored key of ${pair.publicKey} can't be used: The secret of the wallet does not open.`],
    });
    const openWallet = () => Promise.reject(new Error('no database'));
    await expect(run(pair, wallet(pair, true), { options: { openWallet } })).rejects.toThrow('no database');
  });
});
