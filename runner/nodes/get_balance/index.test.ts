import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import type { Value } from '../../../types/values/value.ts';
import { getBalanceNode } from './index.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const balanceOf = async (pubkey: Value) => (await runNode(getBalanceNode, { pubkey }, chain.nodeCall())).balance;

it('get_balance outputs the lamports of an account with all their digits, or 0 if it does not exist', async () => {
  const { address } = await chain.fundedSigner(2n ** 53n + 1n);
  expect(await balanceOf({ B3: address })).toEqual({ U: '9007199254740993' });
  expect(await balanceOf({ S: address })).toEqual({ U: '9007199254740993' });
  expect(await balanceOf({ M: { public_key: { B3: address } } })).toEqual({ U: '9007199254740993' });
  expect(await balanceOf({ B3: (await generateKeyPairSigner()).address })).toEqual({ U: '0' });
});

it('get_balance fails without a public key, and with the error of the RPC server', async () => {
  await expect(runNode(getBalanceNode, {}, chain.nodeCall())).rejects.toThrow('missing field `pubkey`');
  await expect(balanceOf({ N: 0 })).rejects.toThrow('pubkey: invalid type: unit value, expected a public key');
  chain.faults.inject({ type: 'error', code: -32602, message: 'Invalid param: WrongSize' });
  await expect(balanceOf({ B3: '1'.repeat(32) })).rejects.toThrow('Invalid param: WrongSize (code -32602)');
});
