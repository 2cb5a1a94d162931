import { AccountRole, address, createNoopSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { makeKeypair } from '../../../tests/support/keypairs.ts';
import { MEMO_V2 } from '../../../tests/support/solana.ts';
import type { ChainSigner } from '../transaction_order.ts';
import { makeInstructionSet, signatureOf } from './instruction_nodes.ts';
import { memoInstruction } from './memo.ts';

const pair = makeKeypair();
const adapter = (isNamedByFlow: boolean, publicKey = pair.publicKey): ChainSigner => ({
  type: 'adapter',
  publicKey,
  isNamedByFlow,
});
const keypair: ChainSigner = {
  type: 'keypair',
  publicKey: pair.publicKey,
  keypair: new Uint8Array(64),
  isNamedByFlow: true,
};

it('a set of instructions has each signer once, and only signers that an instruction needs', () => {
  const other = adapter(true, makeKeypair().publicKey);
  const memo = memoInstruction('x', other);
  expect(makeInstructionSet(keypair, [other, other], [memo, memo])).toEqual({
    feePayer: keypair,
    signers: [other],
    instructions: [memo, memo],
  });
  expect(makeInstructionSet(keypair, [other], []).signers).toEqual([]);
});

it.each([[keypair, adapter(true)], [adapter(true), keypair]])(
  'a set of instructions prefers a key pair to an adapter wallet of the same key',
  (feePayer, wallet) => {
    const { feePayer: payer, signers } = makeInstructionSet(feePayer, [wallet], [memoInstruction('x', wallet)]);
    expect([payer, signers]).toEqual([keypair, [keypair]]);
  },
);

it.each([[true, true], [true, false], [false, true], [false, false]])(
  'a key in two inputs counts as named by the flow only if both are: %s and %s',
  (first, second) => {
    const wallet = adapter(second);
    const { feePayer, signers } = makeInstructionSet(adapter(first), [wallet], [memoInstruction('x', wallet)]);
    expect([feePayer, ...signers].map(({ isNamedByFlow }) => isNamedByFlow)).toEqual(
      first && second ? [true, true] : [false, false],
    );
  },
);

it('a set of instructions holds no signer objects, and fails without a wallet for a signature', () => {
  const wallet = adapter(true);
  const account = { address: address(pair.publicKey), role: AccountRole.READONLY_SIGNER };
  const instruction = { programAddress: MEMO_V2, accounts: [{ ...account, signer: signatureOf(wallet) }] };
  expect(makeInstructionSet(wallet, [], [instruction]).instructions).toEqual([
    { programAddress: MEMO_V2, accounts: [account] },
  ]);
  const stranger = address(makeKeypair().publicKey);
  const foreign = { address: stranger, role: AccountRole.READONLY_SIGNER, signer: createNoopSigner(stranger) };
  expect(() => makeInstructionSet(wallet, [], [{ ...instruction, accounts: [foreign] }])).toThrow(
    `an instruction wants a signature of ${stranger}, which is not among the inputs`,
  );
});
