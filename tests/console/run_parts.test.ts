import { expect, test } from 'vitest';
import { readFilter } from '../../console/runs/list/run_filter.ts';
import { readRunError } from '../../console/shared/errors/run_error.ts';
import { fromWire, toWire } from '../../console/shared/wallet/wallet_transaction.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { makeMessage, signMessage } from '../support/signature_requests.ts';

const NODE = '00000000-0000-4000-8000-000000000007';
const OTHER = '00000000-0000-4000-8000-000000000008';
const inputs = new Map([[NODE, new Set(['step_by'])]]);

test.for(
  [
    [`Range ${NODE}#3: step_by: must be a decimal`, { nodeId: NODE, times: 3, message: 'step_by: must be a decimal' }],
    [`Range ${NODE}: output_too_large: 5 bytes`, { nodeId: NODE, code: 'output_too_large', message: '5 bytes' }],
    [`The node ${OTHER}: ${NODE}: it failed`, { nodeId: NODE, message: 'it failed' }],
    ['run_size_limit: inputs of more', { code: 'run_size_limit', message: 'inputs of more' }],
    [`Gone ${OTHER}: why`, { message: `Gone ${OTHER}: why` }],
  ] as const,
)('the line "%s" is split into its parts', ([line, parts]) => {
  expect(readRunError(line, inputs)).toEqual({ nodeId: undefined, times: 0, code: undefined, ...parts });
});

test('a filter ignores invalid parts of an address', () => {
  const address = `flow=-1&deployment=x&status=gone&starter=me&from=never&until=2026-11-23T08:15`;
  expect(readFilter(new URLSearchParams(address))).toEqual({ until: '2026-11-23T08:15' });
});

test('a wallet gets a transaction with the known signatures, and its own one is read from the result', () => {
  const pair = makeKeypair();
  const message = makeMessage(pair.publicKey);
  const unsigned = toWire(message, []);
  expect(() => fromWire(unsigned, pair.publicKey)).toThrow(`The wallet did not sign for ${pair.publicKey}.`);
  const signature = signMessage(pair, message);
  const signed = toWire(message, [{ pubkey: pair.publicKey, signature }]);
  expect(fromWire(signed, pair.publicKey)).toEqual({ signature, message });
  expect(() => fromWire(signed, makeKeypair().publicKey)).toThrow('The wallet did not sign');
  for (let length = 0; length < 100; length += 1) {
    expect(() => fromWire(signed.subarray(0, length), pair.publicKey)).toThrow();
  }
  expect(() => toWire('A'.repeat(80), [])).toThrow('The message names no keys that sign it.');
});
