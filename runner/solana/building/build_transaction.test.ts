import { address } from '@solana/kit';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeypair } from '../../../tests/support/keypairs.ts';
import { SOL, startTestChain, type TestChain, writeLookupTable } from '../../../tests/support/solana.ts';
import {
  fundedKeypair,
  inValues,
  makeWorld,
  memberOf,
  signedMemo,
  transferFrom,
  wallet,
  type WorldOptions,
} from '../../../tests/support/transactions.ts';
import { decode } from '../../../tests/support/wire.ts';
import type { HttpClient } from '../../engine/node.ts';
import type { TransactionMember } from '../transaction_order.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const putOut = async (members: TransactionMember[], environment = {}, options: WorldOptions = {}) => {
  const settings = { ...options.settings, output_instructions: true };
  const world = makeWorld(chain, { ...options, settings });
  return { world, end: await world.execute(world.order(members, { environment })) };
};

const somebody = () => makeKeypair().publicKey;

describe('a transaction that cannot be made', () => {
  it('fails for its size before anybody is asked to sign', async () => {
    const [payer, other] = [makeKeypair(), makeKeypair()];
    const world = makeWorld(chain);
    const members = [
      memberOf(wallet(payer), [signedMemo('x'.repeat(600), payer.publicKey)]),
      memberOf(wallet(payer), [signedMemo('y'.repeat(600), other.publicKey)]),
    ];
    const end = await world.execute(world.order(members));
    const text = expect.stringMatching(/^the transaction is too large: 1\d{3} bytes, 1232 are allowed$/);
    expect(end).toEqual({ status: 'failed', errors: [text, text], signature: null });
    expect(world.store.requests()).toEqual([]);
  });

  it('fails when its fee payer is a program that it calls', async () => {
    const payer = makeKeypair();
    const member = memberOf(wallet(payer), [{ programAddress: address(payer.publicKey) }]);
    const { end } = await putOut([member]);
    expect(end).toMatchObject({
      status: 'failed',
      errors: [expect.stringMatching(/^the transaction can't be made of its instructions: .*fee/)],
    });
  });

  it('fails for a setting that cannot be read', async () => {
    const payer = makeKeypair();
    const { end } = await putOut([memberOf(wallet(payer), [])], { PRIORITY_FEE: 'much' });
    expect(end).toMatchObject({
      errors: ["wrong in the flow's environment: PRIORITY_FEE must be auto, no or an integer from 0 to 2^64-1"],
    });
  });

  it("fails when the identity's key is gone, or when it has only memos", async () => {
    const [payer, identity] = [makeKeypair(), makeKeypair()];
    const members = [memberOf(wallet(payer), [signedMemo('x', payer.publicKey)])];
    const settings = { action_identity: identity.publicKey };
    expect((await putOut(members, {}, { settings })).end).toMatchObject({
      errors: [`the owner has stored no key pair for the action identity ${identity.publicKey}`],
    });
    const bare = { COMPUTE_BUDGET: 'no', PRIORITY_FEE: 'no' };
    expect((await putOut(members, bare, { settings, storedKeys: [identity] })).end).toMatchObject({
      errors: ['at least 1 non-memo instruction is required'],
    });
  });

  it('fails when the network does not answer', async () => {
    chain.faults.inject({ type: 'error', code: -32603, message: 'out of order', method: 'getLatestBlockhash' });
    const payer = makeKeypair();
    const { end } = await putOut([memberOf(wallet(payer), [signedMemo('x', payer.publicKey)])]);
    expect(end).toEqual({ status: 'failed', errors: ['out of order (code -32603)'], signature: null });
  });
});

describe('the lookup table of the cluster', () => {
  it('gives a transaction its addresses', async () => {
    const payer = await fundedKeypair(chain);
    const recipients = Array.from({ length: 30 }, somebody);
    const table = await writeLookupTable(chain, recipients.map((key) => address(key)));
    const members = [
      memberOf(inValues(payer), recipients.map((key) => transferFrom(payer.publicKey, key, SOL / 100n))),
    ];
    const tooLarge = { status: 'failed', errors: [expect.stringContaining('too large')] };
    expect((await putOut(members)).end).toMatchObject(tooLarge);
    expect((await putOut(members, { MAINNET_LOOKUP_TABLE: table })).end).toMatchObject(tooLarge);
    const { end } = await putOut(members, { DEVNET_LOOKUP_TABLE: table });
    if (end.status !== 'put_out') throw new Error(JSON.stringify(end));
    expect(decode(end.transaction).message.addressTableLookups).toMatchObject([
      { lookupTableAddress: table, writableIndexes: { length: 30 } },
    ]);
    const world = makeWorld(chain);
    expect(await world.execute(world.order(members, { environment: { DEVNET_LOOKUP_TABLE: table } }))).toMatchObject({
      status: 'confirmed',
    });
    expect(recipients.map(chain.balance)).toEqual(recipients.map(() => SOL / 100n));
  });

  it('is an error when its account is not a lookup table', async () => {
    const payer = await fundedKeypair(chain);
    const members = [memberOf(wallet(payer), [signedMemo('x', payer.publicKey)])];
    const { end } = await putOut(members, { DEVNET_LOOKUP_TABLE: payer.publicKey });
    expect(end).toMatchObject({ errors: [`there is no lookup table at ${payer.publicKey}`] });
  });
});

describe("the priority fee of Helius' estimate", () => {
  const asked: string[] = [];
  let answer = '';
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => asked.push(`${request.url} ${text}`))
      .on('end', () => response.end(answer));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());

  /** A client that sends the requests meant for Helius to the test's server. */
  const redirected = (): HttpClient => {
    const { http } = chain.nodeCall();
    const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return {
      request: (request) =>
        http.request({ ...request, url: request.url.replace('https://mainnet.helius-rpc.com/', here) }),
    };
  };

  const priceWith = async (text: string) => {
    answer = text;
    asked.length = 0;
    const [payer, reader, recipient] = [makeKeypair(), makeKeypair(), somebody()];
    const instructions = [transferFrom(payer.publicKey, recipient), signedMemo('x', reader.publicKey)];
    const members = [memberOf(wallet(payer), instructions, [inValues(reader)])];
    const { end, world } = await putOut(members, { COMPUTE_BUDGET: 'no' }, {
      options: { heliusApiKey: 'k&y', http: redirected() },
    });
    if (end.status !== 'put_out') throw new Error(JSON.stringify(end));
    const { data } = decode(end.transaction).instructions[0]!;
    return { price: new DataView(data.buffer).getBigUint64(1, true), world, accounts: [payer.publicKey, recipient] };
  };

  it('is asked for the accounts that are written to', async () => {
    const { price, accounts, world } = await priceWith('{"result":{"priorityFeeEstimate":1234.2}}');
    expect(price).toBe(1_235n);
    expect(asked).toHaveLength(1);
    const [path, body] = asked[0]!.split(/ (.*)/);
    expect(path).toBe('/?api-key=k%26y');
    expect(JSON.parse(body!)).toMatchObject({
      method: 'getPriorityFeeEstimate',
      params: [{ accountKeys: accounts, options: { priorityLevel: 'Medium' } }],
    });
    expect(world.logged).toEqual([]);
  });

  it.each([
    ['{"error":{"code":-32000,"message":"busy"}}', 'busy (code -32000)'],
    ['{"result":{"priorityFeeEstimate":"1"}}', 'the answer has no estimate'],
    ['{"result":{"priorityFeeEstimate":-1}}', 'the answer has no estimate'],
    ['{"result":{"priorityFeeEstimate":1e300}}', 'the answer has no estimate'],
    ['{"result":null}', 'the answer has no estimate'],
  ])('is 100 after the answer %s', async (text, reason) => {
    const { price, world } = await priceWith(text);
    expect(price).toBe(100n);
    expect(world.logged).toEqual([
      `Warn: no estimate of the priority fee, 100 micro-lamports are taken: ${reason}`,
    ]);
  });
});
