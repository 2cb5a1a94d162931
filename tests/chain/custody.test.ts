import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSecrets, type Keypair, makeKeypair } from '../support/keypairs.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';
import {
  bodyText,
  bytesOf,
  fundedKeypair,
  inValues,
  makeWorld,
  memberOf,
  signedMemo,
  transferFrom,
  wallet,
  type WorldOptions,
} from '../support/transactions.ts';
import { waitFor } from '../support/wait.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

/** Makes a signer of each kind: a stored fee payer and identity, a key pair of the flow, and a wallet that is asked. */
async function makeScene(
  given: WorldOptions = {},
  { amount = SOL, isBroken = false, isAction = false } = {},
) {
  const [payer, identity, inFlow, other] = [await fundedKeypair(chain), makeKeypair(), makeKeypair(), makeKeypair()];
  const wrong: Keypair = {
    ...inFlow,
    keypair: base58.encode(new Uint8Array([...makeKeypair().secretKey, ...base58.decode(inFlow.publicKey)])),
  };
  const used = isBroken ? wrong : inFlow;
  const sent: string[] = [];
  const { http } = chain.nodeCall();
  const world = makeWorld(chain, {
    ...given,
    storedKeys: [payer, identity],
    settings: {
      ...given.settings,
      action_identity: identity.publicKey,
      action_signer: isAction ? other.publicKey : null,
    },
    options: {
      http: {
        async request(request) {
          sent.push(`${request.url} ${bodyText(request)}`);
          chain.ledger.clock.advance(1n);
          return await http.request(request);
        },
      },
    },
  });
  const instructions = [
    transferFrom(payer.publicKey, makeKeypair().publicKey, amount),
    signedMemo('x', inFlow.publicKey, other.publicKey),
  ];
  const order = world.order([memberOf(wallet(payer, true), instructions, [inValues(used), wallet(other)])]);
  const ends: string[] = [];
  const execute = async () => {
    const end = await world.execute(order).catch((error: Error) => ({ error: `${error.stack} ${error.cause}` }));
    ends.push(JSON.stringify(end));
    return end;
  };
  const secrets = [payer, identity, inFlow, used].map((pair) => bytesOf(pair).slice(0, 32));
  const seen = () => [world.store.seen(), ...world.logged, ...ends, ...sent].join('\n');
  return { world, execute, other, secrets, seen };
}

const expectSecrecy = ({ seen, secrets, world }: Awaited<ReturnType<typeof makeScene>>) => {
  expect(findSecrets(seen(), secrets)).toEqual([]);
  expect(world.opened.length).toBeGreaterThan(0);
  expect(world.opened).toEqual(world.opened.map(() => new Uint8Array(64)));
};

describe('the secret of a key', () => {
  it('would be found by this search', async () => {
    const { secrets: [secret], seen } = await makeScene();
    for (
      const form of [base58.encode(secret!), Buffer.from(secret!).toString('base64'), `[${[...secret!].join(', ')}]`]
    ) {
      expect(findSecrets(seen() + form, [secret!])).not.toEqual([]);
    }
  });

  it.each([
    ['that is sent', {}, SOL],
    ['that is output', { settings: { output_instructions: true } }, SOL],
    ['that its preflight refuses', {}, 100n * SOL],
  ])('is in no visible data of a transaction %s', async (_name, given, amount) => {
    const scene = await makeScene(given, { amount });
    await scene.execute();
    scene.world.store.answer(scene.other);
    await scene.execute();
    expectSecrecy(scene);
  });

  it('is not in the error of a malformed key pair, nor in that of a worker that dies', async () => {
    const broken = await makeScene({}, { isBroken: true });
    expect(await broken.execute()).toMatchObject({ status: 'failed' });
    expectSecrecy(broken);
    const dying = await makeScene();
    dying.world.onStep(() => {
      throw new Error('died');
    });
    expect(await dying.execute()).toMatchObject({ error: expect.stringContaining('died') });
    expectSecrecy(dying);
  });

  it('is removed from memory while an action waits', async () => {
    const scene = await makeScene({ limits: { actionTimeoutMs: 100 } }, { isAction: true });
    const end = scene.execute();
    await waitFor(() => scene.world.waits() || undefined);
    expectSecrecy(scene);
    expect(await end).toMatchObject({ errors: [expect.stringMatching(/^timeout: /)] });
    expectSecrecy(scene);
  });
});
