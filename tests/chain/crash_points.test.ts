import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TransactionEnd } from '../../runner/solana/transaction_order.ts';
import { expireBlockhashes } from '../../dev/chain/ledger.ts';
import { type Keypair, makeKeypair } from '../support/keypairs.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';
import {
  fundedKeypair,
  inValues,
  makeWorld,
  memberOf,
  signedMemo,
  type TransactionWorld,
  transferFrom,
  wallet,
} from '../support/transactions.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());
afterEach(() => chain.ledger.deliver('land'));

class Died extends Error {}

/** A transfer of 1 SOL, with its signers. */
interface Case {
  world: TransactionWorld;
  recipient: string;
  run: () => Promise<TransactionEnd>;
  asked: Keypair[];
}

async function makeCase(signedBy: 'values' | 'stored keys' | 'others'): Promise<Case> {
  const [payer, second, recipient] = [await fundedKeypair(chain, 3n * SOL), makeKeypair(), makeKeypair().publicKey];
  const pairs = [payer, second];
  const isStored = signedBy === 'stored keys';
  const world = makeWorld(chain, { storedKeys: isStored ? pairs : [] });
  const [feePayer, other] = pairs.map((pair) => signedBy === 'values' ? inValues(pair) : wallet(pair, isStored));
  const instructions = [
    transferFrom(payer.publicKey, recipient),
    signedMemo('both', payer.publicKey, second.publicKey),
  ];
  const order = world.order([memberOf(feePayer!, instructions, [other!])]);
  return { world, recipient, run: () => world.execute(order), asked: signedBy === 'others' ? pairs : [] };
}

/** Lets one worker after another continue, and lets all signers answer, until the transaction has an outcome. */
async function runToTheEnd({ world, run, asked }: Case): Promise<TransactionEnd> {
  for (let worker = 0; worker < 10; worker++) {
    const end = await run().catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
    });
    if (end !== undefined && end.status !== 'waiting') return end;
    for (const pair of asked) {
      const request = world.store.requests().find(({ pubkey }) => pubkey === pair.publicKey);
      if (request?.signature === null) world.store.answer(pair);
    }
  }
  throw new Error('the transaction has no outcome');
}

/** Ends the worker at the n-th step. */
function dieAt(world: TransactionWorld, step: number, when: 'before' | 'after', then = () => {}) {
  let seen = 0;
  world.onStep((_name, at) => {
    if (at === 'before') seen += 1;
    if (seen !== step || at !== when) return;
    seen = Infinity;
    then();
    throw new Died(`${when} step ${step}`);
  });
}

const transfersTo = (recipient: string) => chain.ledger.landed.filter(({ accounts }) => accounts.includes(recipient));

/** For each way of signing, the least number of steps from building a transaction to the first look at its status. */
const SIGNERS = [['values', 5], ['stored keys', 5], ['others', 7]] as const;

const points = SIGNERS.flatMap(([signedBy, steps]) =>
  Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) =>
    (['before', 'after'] as const).map((when) => ({ signedBy, step, when }))
  )
);

describe('a worker that dies', () => {
  it.each(SIGNERS)('can die at these steps if signed by %s', async (signedBy, steps) => {
    const scene = await makeCase(signedBy);
    expect(await runToTheEnd(scene)).toMatchObject({ status: 'confirmed' });
    const store = signedBy === 'others' ? ['store', 'store', 'store'] : ['store'];
    const all = ['simulateTransaction', 'getLatestBlockhash', ...store, 'sendTransaction', 'getSignatureStatuses'];
    expect(scene.world.steps.slice(0, steps)).toEqual(all);
  });

  it.each(points)('$when step $step of a transaction signed by $signedBy leaves one transfer', async (point) => {
    const scene = await makeCase(point.signedBy);
    dieAt(scene.world, point.step, point.when);
    const end = await runToTheEnd(scene);
    expect(end).toMatchObject({ status: 'confirmed' });
    expect(chain.balance(scene.recipient)).toBe(SOL);
    const landed = transfersTo(scene.recipient);
    expect(landed.map(({ signature }) => signature)).toEqual([end.status === 'confirmed' && end.signature]);
  });

  it.each(points)(
    '$when step $step of a transaction signed by $signedBy leaves at most one transfer if its blockhash then expires',
    async (point) => {
      const scene = await makeCase(point.signedBy);
      dieAt(scene.world, point.step, point.when, () => expireBlockhashes(chain.ledger));
      const end = await runToTheEnd(scene);
      const landed = transfersTo(scene.recipient);
      // Either the transaction is on the chain and its run knows this, or it never lands and nothing is transferred.
      expect(chain.balance(scene.recipient)).toBe(end.status === 'confirmed' ? SOL : 0n);
      expect(landed.map(({ signature }) => signature)).toEqual(end.status === 'confirmed' ? [end.signature] : []);
      if (end.status === 'failed') {
        expect(end.errors[0]).toMatch(/^transaction \w+ has expired, nothing was transferred/);
      }
    },
  );

  it.each(['lose', 'hold'] as const)('after a send that the network %ss leaves one transfer', async (delivery) => {
    for (
      const point of [{ step: 4, when: 'after' }, { step: 5, when: 'before' }, { step: 5, when: 'after' }] as const
    ) {
      const scene = await makeCase('values');
      chain.ledger.deliver(delivery);
      dieAt(scene.world, point.step, point.when, () => chain.ledger.deliver('land'));
      const end = runToTheEnd(scene);
      chain.ledger.release();
      expect(await end).toMatchObject({ status: 'confirmed' });
      chain.ledger.release();
      expect([chain.balance(scene.recipient), transfersTo(scene.recipient).length]).toEqual([SOL, 1]);
    }
  });

  it('before sending leaves the stored transaction, and each worker that continues the run sends it', async () => {
    const scene = await makeCase('values');
    dieAt(scene.world, 3, 'after');
    await expect(scene.run()).rejects.toThrow(Died);
    const ends = await Promise.all([scene.run(), scene.run(), scene.run()]);
    const [signature, ...more] = transfersTo(scene.recipient).map((landed) => landed.signature);
    expect(more).toEqual([]);
    const end = { status: 'confirmed', signature, hasFees: false };
    expect(ends).toEqual([end, end, end]);
    expect(chain.balance(scene.recipient)).toBe(SOL);
  });
});
