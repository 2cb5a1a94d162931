import { base58 } from '@scure/base';
import { validateActionIdentifierMemo } from '@solana/actions';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { makeKeypair } from '../../../tests/support/keypairs.ts';
import { memo, MEMO_V1, MEMO_V2 } from '../../../tests/support/solana.ts';
import { transferFrom } from '../../../tests/support/transactions.ts';
import { appendMemo, memoReference, memoText, readMemos, signMemo } from './action_memo.ts';

const [a, b, c] = [makeKeypair().publicKey, makeKeypair().publicKey, makeKeypair().publicKey];

describe('the memo of an action', () => {
  it('refers to the second and the run', () => {
    const reference = memoReference('0193AB00-0000-7000-8000-0000000000ff', 0x0102030405n);
    expect(Buffer.from(reference).toString('hex')).toBe(
      `05040302010000000193ab000000700080000000000000ff${'00'.repeat(8)}`,
    );
    const signature = new Uint8Array(64).fill(7);
    expect(memoText(a, reference, signature)).toBe(
      `solana-action:${a}:${base58.encode(reference)}:${base58.encode(signature)}`,
    );
  });

  it('stands last, and puts identity and reference into the first instruction that is not a memo', () => {
    const instructions = [memo('first', MEMO_V2), memo('second', MEMO_V1), transferFrom(a, a), transferFrom(a, a)];
    const signed = { text: 'text', reference: c };
    const [first, second, third, fourth, last] = appendMemo(instructions, b, signed);
    expect([first, second, fourth]).toEqual([instructions[0], instructions[1], instructions[3]]);
    expect(third?.accounts?.map(({ address, role }) => [address, role])).toEqual([[a, 3], [a, 1], [b, 0], [c, 0]]);
    expect(last).toEqual({ programAddress: MEMO_V1, data: new TextEncoder().encode('text') });
    expect(appendMemo([transferFrom(a, b)], b, signed)[0]?.accounts?.map(({ address }) => address)).toEqual([a, b, c]);
    expect(() => appendMemo([memo('alone')], b, signed)).toThrow('at least 1 non-memo instruction is required');
  });

  it('is recognised by the SDK of the specification, also in a list of memos', async () => {
    const identity = makeKeypair();
    const { text, reference } = await signMemo(identity.publicKey, {
      runId: '0193AB00-0000-7000-8000-0000000000ff',
      now: 1_700_000_000_999,
      openWallet: async () => base58.decode(identity.keypair),
    });
    const verified = { verified: true, reference };
    for (const listed of [text, `[${text.length}] ${text}`, `[5] other; [${text.length}] ${text}`]) {
      expect(validateActionIdentifierMemo(new PublicKey(identity.publicKey), listed)).toEqual(verified);
    }
    expect(validateActionIdentifierMemo(new PublicKey(a), text)).toBe(false);
  });

  it.each([
    [null, []],
    ['', []],
    ['nothing', []],
    ['[5] plain', ['plain']],
    ['[5] grün; [4]  two', ['grün', ' two']],
    ['[11] a; [3] fake; [3] abc', ['a; [3] fake', 'abc']],
    ['[2] (unparseable); [3] abc', ['(unparseable)', 'abc']],
    ['[0] ; [3] abc', ['', 'abc']],
    ['[9] short', []],
    ['[3] abcd; [3] abc', []],
  ])('is found in a list of memos: %j', (listed, memos) => {
    expect(readMemos(listed)).toEqual(memos);
  });
});
