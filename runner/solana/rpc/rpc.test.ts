import { generateKeyPairSigner } from '@solana/kit';
import { base64 } from '@scure/base';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeNodeCall, testRun } from '../../../tests/support/node_call.ts';
import { memo, SOL, startTestChain, type TestChain, transfer } from '../../../tests/support/solana.ts';
import { type Halt, type NodeCall, Released } from '../../engine/node.ts';
import { noteNode } from '../../nodes/note/index.ts';
import { makeHttpClient } from '../../reach/http_client.ts';
import { HTTP_LIMITS } from '../../../tests/support/http_limits.ts';
import { JsonRpcError } from './json_rpc.ts';
import { makeChainRpc } from './rpc.ts';

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const rpcAt = (url: string, given: Partial<NodeCall> = {}) => {
  const run = { ...testRun, network: { url, cluster: 'devnet' } };
  return makeChainRpc(makeNodeCall(noteNode, { http, run, ...given }));
};

const rpc = (given: Partial<NodeCall> = {}) => rpcAt(chain.url, given);

const failure = async (promise: Promise<unknown>): Promise<Error> =>
  await promise.then(() => expect.unreachable(), (error) => error);

describe('the RPC of a node', () => {
  it('is asked for balances, blocks and accounts', async () => {
    const { address } = await chain.fundedSigner(2n ** 56n + 1n);
    expect(await rpc().getBalance(address, 'processed')).toBe(2n ** 56n + 1n);
    const { blockhash, lastValidBlockHeight, slot } = await rpc().getLatestBlockhash('confirmed');
    expect([blockhash, slot]).toEqual([chain.ledger.clock.blockhash(slot), chain.ledger.clock.slot('confirmed')]);
    expect(lastValidBlockHeight - await rpc().getBlockHeight('confirmed')).toBe(150n);
    const nobody = await generateKeyPairSigner();
    expect(await rpc().getMultipleAccounts([address, nobody.address], 'confirmed')).toEqual([
      { data: new Uint8Array(), lamports: 2n ** 56n + 1n, owner: '1'.repeat(32) },
      null,
    ]);
    expect(await rpc().getBalance(nobody.address, 'finalized')).toBe(0n);
    expect(await rpc().getMinimumBalanceForRentExemption(165, 'confirmed')).toBe(chain.ledger.minimumBalance(165n));
  });

  it('takes transactions and reports their status', async () => {
    const sender = await chain.fundedSigner();
    const { address } = await generateKeyPairSigner();
    const wire = base64.decode(await chain.sign(sender, [transfer(sender, address, SOL), memo('for the record')]));
    expect(await rpc().simulateTransaction(wire, 'confirmed')).toMatchObject({
      err: null,
      unitsConsumed: expect.any(BigInt),
    });
    const signature = await rpc().sendTransaction(wire, 'processed');
    chain.ledger.clock.advance(1n);
    const slot = chain.ledger.clock.slot();
    expect(await rpc().getSignatureStatuses([signature, '1'.repeat(64)])).toEqual({
      slot,
      statuses: [{ slot: slot - 1n, err: null, confirmationStatus: 'confirmed' }, null],
    });
    expect(await rpc().getSignaturesForAddress(address, { commitment: 'confirmed' })).toEqual([
      { signature, slot: slot - 1n, err: null, memo: '[14] for the record' },
    ]);
    expect(await rpc().getSignaturesForAddress(address, { commitment: 'confirmed', until: signature })).toEqual([]);
    expect(await rpc().getTransaction(signature, 'confirmed')).toEqual({ wire, loadedAddresses: [] });
    expect(await rpc().getTransaction('1'.repeat(64), 'confirmed')).toBeNull();
  });

  it('refuses a transaction with message, code and the numbered log of its programs', async () => {
    const sender = await chain.fundedSigner(SOL);
    const { address } = await generateKeyPairSigner();
    const wire = base64.decode(await chain.sign(sender, [transfer(sender, address, 2n * SOL)]));
    const error = await failure(rpc().sendTransaction(wire, 'processed'));
    const system = '1'.repeat(32);
    expect(error).toBeInstanceOf(JsonRpcError);
    expect(error).toMatchObject({
      name: 'NodeError',
      code: -32002,
      data: { err: { InstructionError: [{ value: '0' }, {}] } },
    });
    expect(error.message.split('\n')).toEqual([
      'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1 (code -32002)',
      `1: Program ${system} invoke [1]`,
      '2: Transfer: insufficient lamports 999995000, need 2000000000',
      `3: Program ${system} failed: custom program error: 0x1`,
    ]);
    const simulation = await rpc().simulateTransaction(wire, 'processed');
    expect(simulation.err).toMatchObject({ InstructionError: [{ value: '0' }, { Custom: { value: '1' } }] });
  });

  it('forwards transactions without a preflight when asked to', async () => {
    const sender = await chain.fundedSigner(SOL);
    const { address } = await generateKeyPairSigner();
    const wire = base64.decode(await chain.sign(sender, [transfer(sender, address, 2n * SOL)]));
    const signature = await rpc().sendTransaction(wire, 'skip');
    const { statuses } = await rpc().getSignatureStatuses([signature]);
    expect(statuses[0]?.err).toMatchObject({ InstructionError: [{ value: '0' }, {}] });
  });
});

describe('a call that fails for the moment', () => {
  it.each(
    [
      ['status 429', { type: 'status', status: 429, headers: { 'retry-after': '0' } }],
      ["a proxy's status 502", { type: 'status', status: 502, body: '<html>' }],
      ["a node's lag", { type: 'error', code: -32005, message: 'Node is behind by 42 slots' }],
      ['a closed connection', { type: 'refuse' }],
    ] as const,
  )('with %s is made again when it only reads', async (_name, fault) => {
    chain.faults.inject({ ...fault, method: 'getBlockHeight', times: 2 });
    expect(await rpc().getBlockHeight('processed')).toBe(chain.ledger.clock.blockHeight(chain.ledger.clock.slot()));
  });

  it('is not repeated when it may change something, because the request may have arrived', async () => {
    const { address } = await generateKeyPairSigner();
    chain.faults.inject({ type: 'lose_answer', method: 'requestAirdrop' });
    expect((await failure(rpc().requestAirdrop(address, SOL))).message).toMatch(
      /^the connection to 127\.0\.0\.1:\d+ failed|^the connection was closed/,
    );
    expect(chain.balance(address)).toBe(SOL);
    chain.faults.inject({ type: 'status', status: 503, method: 'requestAirdrop' });
    expect((await failure(rpc().requestAirdrop(address, SOL))).message).toBe(
      'requestAirdrop: the RPC server answers with status 503',
    );
    expect(chain.balance(address)).toBe(SOL);
  });

  it('is made again when there was no answer in time', async () => {
    const quick = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true, timeoutMs: 150 });
    chain.faults.inject({ type: 'delay', ms: 400, method: 'getBlockHeight' });
    expect(await rpc({ http: quick }).getBlockHeight('processed')).toEqual(expect.any(BigInt));
  });

  it('fails after four attempts', async () => {
    chain.faults.inject({ type: 'status', status: 503, method: 'getBlockHeight', times: 5 });
    expect((await failure(rpc().getBlockHeight('processed'))).message).toMatch(/status 503$/);
    expect(chain.faults.take('getBlockHeight')).toMatchObject({ times: 0 });
  });

  it('ends at once with the run; a read also ends when the run is released', async () => {
    const halt: Halt = { status: 'stopped', message: 'canceled by user enough', graceMs: 0 };
    const stop = new AbortController();
    chain.faults.inject({ type: 'delay', ms: 500, method: 'getBlockHeight', times: 2 });
    setTimeout(() => stop.abort(halt), 50);
    expect((await failure(rpc({ signal: stop.signal }).getBlockHeight('processed'))).message).toBe(halt.message);
    expect(await failure(rpc({ releasing: AbortSignal.timeout(50) }).getBlockHeight('processed'))).toBeInstanceOf(
      Released,
    );
    chain.faults.inject({ type: 'delay', ms: 200, method: 'requestAirdrop' });
    const { address } = await generateKeyPairSigner();
    expect(await rpc({ releasing: AbortSignal.timeout(50) }).requestAirdrop(address, SOL)).toEqual(expect.any(String));
  });
});

describe('a server that is not a Solana node', () => {
  let answer: RequestListener = () => {};
  const server = createServer((request, response) => answer(request, response));
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?api-key=secret`;
  });
  afterAll(() => server.close());

  it.each([
    [200, 'hello', 'getBalance: the answer is not JSON-RPC'],
    [200, '{"jsonrpc":"2.0","id":"1"}', 'getBalance: the answer is not JSON-RPC'],
    [
      200,
      '{"result":{"context":{"slot":1},"value":1.5}}',
      'getBalance: the answer does not have the form that Solana nodes give it',
    ],
    [
      200,
      '{"result":{"context":{"slot":1},"value":"1"}}',
      'getBalance: the answer does not have the form that Solana nodes give it',
    ],
    [401, '{"error":{"code":-32401,"message":"no such key"}}', 'no such key (code -32401)'],
    [404, 'nothing', 'getBalance: the RPC server answers with status 404'],
  ])('and answers %i %s fails the node with an error that hides the address', async (status, body, message) => {
    answer = (_, response) => void response.writeHead(status).end(body);
    const error = await failure(rpcAt(url).getBalance('1'.repeat(32), 'confirmed'));
    expect(error.message).toBe(message);
  });

  it('and answers invalid base64 fails only the node', async () => {
    const account = { data: ['?', 'base64'], lamports: 1, owner: 'x' };
    answer = (_, response) => void response.end(JSON.stringify({ result: { context: { slot: 1 }, value: [account] } }));
    const error = await failure(rpcAt(url).getMultipleAccounts(['1'.repeat(32)], 'confirmed'));
    expect([error.name, error.message]).toEqual([
      'NodeError',
      'getMultipleAccounts: the answer does not have the form that Solana nodes give it',
    ]);
  });

  it('is out of reach in a private network', async () => {
    const call = { http: makeHttpClient(HTTP_LIMITS) };
    expect((await failure(rpcAt(url, call).getBalance('1'.repeat(32), 'confirmed'))).message).toBe(
      'IP address not allowed: 127.0.0.1',
    );
  });
});
