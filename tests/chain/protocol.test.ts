import { generateKeyPairSigner } from '@solana/kit';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from '../../dev/chain/transaction_errors.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const ADDRESS = '11111111111111111111111111111111';

const post = async (body: string, contentType = 'application/json') => {
  const response = await fetch(chain.url, { method: 'POST', headers: { 'content-type': contentType }, body });
  return { status: response.status, text: await response.text() };
};

const json = (value: unknown) => JSON.stringify(value);

describe('the chain answers', () => {
  it.each([
    ['no JSON', '{', { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }],
    ['no call', '{"id":7}', { jsonrpc: '2.0', id: 7, error: { code: -32600, message: 'Invalid request' } }],
    ['an empty batch', '[]', { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } }],
    [
      'an unknown method',
      json({ jsonrpc: '2.0', id: 'a', method: 'getNothing' }),
      { jsonrpc: '2.0', id: 'a', error: { code: -32601, message: 'Method not found' } },
    ],
  ])('%s with the error of JSON-RPC', async (_name, body, answer) => {
    const { status, text } = await post(body);
    expect([status, JSON.parse(text)]).toEqual([200, answer]);
  });

  it('a batch with as many answers, each under its id', async () => {
    const { text } = await post(json([
      { jsonrpc: '2.0', id: 1, method: 'getHealth' },
      { jsonrpc: '2.0', id: 2, method: 'nothing' },
    ]));
    expect(JSON.parse(text)).toMatchObject([{ id: 1, result: 'ok' }, { id: 2, error: { code: -32601 } }]);
  });

  it('whole numbers with all their digits', async () => {
    const { text } = await post(json({ jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [ADDRESS] }));
    expect(text).toContain('"rentEpoch":18446744073709551615');
  });

  it('a request that is not a POST of JSON with an HTTP status', async () => {
    expect((await post('{}', 'text/plain')).status).toBe(415);
    expect((await post(`"${'x'.repeat(51 * 1024)}"`)).status).toBe(413);
    expect((await fetch(chain.url)).status).toBe(405);
    expect(await (await fetch(`${chain.url}/health`)).text()).toBe('ok');
    const preflight = await fetch(chain.url, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  it('on the loopback interface only', async () => {
    const { port } = new URL(chain.url);
    const outer = Object.values(networkInterfaces()).flat().filter((net) => net?.family === 'IPv4' && !net.internal);
    for (const net of outer) await expect(fetch(`http://${net!.address}:${port}/health`)).rejects.toThrow();
  });
});

describe('parameters', () => {
  it.each([
    ['getBalance', [], '`params` should have at least 1 argument(s)'],
    ['getBalance', [5], 'Invalid params: invalid type: integer `5`, expected a string.'],
    ['getBalance', ['0OIl'], 'Invalid param: Invalid'],
    ['getBalance', ['abc'], 'Invalid param: WrongSize'],
    ['getBalance', [ADDRESS, { commitment: 'soon' }], /^Invalid params: unknown variant `soon`/],
    ['getSignatureStatuses', [[ADDRESS]], 'Invalid param: WrongSize'],
    ['getMultipleAccounts', [Array(101).fill(ADDRESS)], 'Too many inputs provided; max 100'],
    ['requestAirdrop', [ADDRESS, -1], /^Invalid params: invalid value: integer `-1`/],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }], /^failed to deserialize solana_transaction/],
    ['sendTransaction', ['!', { encoding: 'base64' }], /^invalid base64 encoding: /],
    [
      'sendTransaction',
      [Buffer.alloc(1_233).toString('base64'), { encoding: 'base64' }],
      /too large: 1233 bytes \(max: 1232 bytes\)$/,
    ],
    ['getTokenSupply', [ADDRESS], 'Invalid param: not a Token mint'],
  ])('of %s that are wrong are refused with the message of a node (case %#)', async (method, params, message) => {
    const { status, error } = await chain.call(method, ...params);
    expect([status, error?.code]).toEqual([200, -32602n]);
    expect(error?.message).toMatch(message);
  });

  it('with a future slot are refused with the present slot', async () => {
    const minContextSlot = chain.ledger.clock.slot() + 1n;
    const { error } = await chain.call('getBalance', ADDRESS, { minContextSlot, commitment: 'processed' });
    expect(error).toMatchObject({ code: -32016n, data: { contextSlot: minContextSlot - 1n } });
  });

  it('select parts of account data, at most 128 bytes in base58', async () => {
    const clock = 'SysvarC1ock11111111111111111111111111111111';
    const { result } = await chain.call('getAccountInfo', clock, {
      encoding: 'base64',
      dataSlice: { offset: 0n, length: 8n },
    });
    const slot = Buffer.from(result.value.data[0], 'base64').readBigUInt64LE();
    expect(chain.ledger.clock.slot() - slot).toBeLessThan(10n);
    const memoProgram = await chain.call('getAccountInfo', 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
    expect(memoProgram.error).toMatchObject({ code: -32600n, message: expect.stringContaining('Base64') });
  });
});

describe('faults', () => {
  it('hit the chosen calls, the chosen number of times', async () => {
    chain.faults.inject({ type: 'error', code: -32005, message: 'Node is behind', method: 'getSlot', times: 2 });
    expect((await chain.call('getHealth')).result).toBe('ok');
    const messages = [];
    for (let call = 0; call < 3; call++) messages.push((await chain.call('getSlot')).error?.message);
    expect(messages).toEqual(['Node is behind', 'Node is behind', undefined]);
  });

  it('are HTTP statuses, delays, and closed connections', async () => {
    chain.faults.inject({ type: 'status', status: 429, headers: { 'retry-after': '1' }, body: 'slow down' });
    const limited = await post(json({ jsonrpc: '2.0', id: 1, method: 'getHealth' }));
    expect(limited).toEqual({ status: 429, text: 'slow down' });
    chain.faults.inject({ type: 'delay', ms: 60 });
    const began = performance.now();
    expect((await chain.call('getHealth')).result).toBe('ok');
    expect(performance.now() - began).toBeGreaterThan(50);
    chain.faults.inject({ type: 'refuse' });
    await expect(chain.call('getHealth')).rejects.toThrow('fetch failed');
  });

  it('can lose the answer to an executed call', async () => {
    const { address } = await generateKeyPairSigner();
    chain.faults.inject({ type: 'refuse', method: 'requestAirdrop' });
    await expect(chain.call('requestAirdrop', address, SOL)).rejects.toThrow('fetch failed');
    expect(chain.balance(address)).toBe(0n);
    chain.faults.inject({ type: 'lose_answer', method: 'requestAirdrop' });
    await expect(chain.call('requestAirdrop', address, SOL)).rejects.toThrow('fetch failed');
    expect(chain.balance(address)).toBe(SOL);
  });
});

it.each([['TransactionErrorFieldless', TRANSACTION_ERRORS], ['InstructionErrorFieldless', INSTRUCTION_ERRORS]])(
  'litesvm numbers the errors of %s as the table does',
  (name, table) => {
    const types = readFileSync(createRequire(import.meta.url).resolve('litesvm/dist/internal.d.ts'), 'utf8');
    const members = new RegExp(`const enum ${name} \\{([^}]*)\\}`).exec(types)![1]!;
    const names = [...members.matchAll(/(\w+) = (\d+)/g)].map(([, member, index]) => [Number(index), member]);
    expect(names).toEqual(table.map(([member], index) => [index, member]));
  },
);
