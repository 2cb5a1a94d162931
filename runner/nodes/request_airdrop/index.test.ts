import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { SOL, startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { publishedEffects } from '../../engine/node.ts';
import { requestAirdropNode } from './index.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const request = async (inputs: ValueMap) => await runNode(requestAirdropNode, inputs, chain.nodeCall());

it('request_airdrop brings 1 SOL or the given lamports, and outputs the signature of the transaction', async () => {
  const { address } = await generateKeyPairSigner();
  const first = await request({ pubkey: { B3: address } });
  expect(first).toEqual({ signature: { B6: chain.ledger.landed.at(-1)!.signature } });
  expect(chain.balance(address)).toBe(SOL);
  const second = await request({ pubkey: { S: address }, amount: { D: '250000000' } });
  expect(second).not.toEqual(first);
  expect(chain.balance(address)).toBe(1_250_000_000n);
  await request({ pubkey: { B3: address }, amount: { N: 0 } });
  expect(chain.balance(address)).toBe(2_250_000_000n);
});

it('request_airdrop refuses invalid amounts and keys, and is never repeated', async () => {
  const pubkey = { B3: '1'.repeat(32) };
  await expect(request({ amount: { U: '1' } })).rejects.toThrow('missing field `pubkey`');
  await expect(request({ pubkey, amount: { I: '-1' } })).rejects.toThrow('amount: invalid value: integer `-1`');
  await expect(request({ pubkey, amount: { D: '0.5' } })).rejects.toThrow('amount: invalid value: decimal `0.5`');
  expect(publishedEffects(requestAirdropNode)).toBe('once');
});

it('request_airdrop fails without a repetition if the faucet refuses', async () => {
  const { address } = await generateKeyPairSigner();
  const fault = { type: 'status', status: 429, method: 'requestAirdrop', times: 2 } as const;
  chain.faults.inject({
    ...fault,
    body: '{"jsonrpc":"2.0","error":{"code":429,"message":"the faucet has run dry"},"id":1}',
  });
  await expect(request({ pubkey: { B3: address } })).rejects.toThrow('the faucet has run dry (code 429)');
  expect(chain.faults.take('requestAirdrop')).toMatchObject({ status: 429 });
});
