import { describe, expect, it } from 'vitest';
import { makeKeypair } from '../../../tests/support/keypairs.ts';
import { inValues, signedMemo, wallet } from '../../../tests/support/transactions.ts';
import type { ChainSigner } from '../transaction_order.ts';
import { combineInstructionSets } from './instruction_set.ts';

const [payer, other] = [makeKeypair(), makeKeypair()];

const setOf = (feePayer: ChainSigner, text: string, signers: ChainSigner[] = []) => ({
  feePayer,
  signers,
  instructions: [signedMemo(text)],
});

describe('sets of instructions that are combined', () => {
  it('give their instructions in order, and each signer once', () => {
    const combined = combineInstructionSets([
      setOf(wallet(payer), 'one', [wallet(other)]),
      setOf(wallet(payer), 'two', [wallet(other), wallet(payer)]),
    ]);
    expect(combined.instructions).toEqual([signedMemo('one'), signedMemo('two')]);
    expect(combined.feePayer).toEqual(wallet(payer));
    expect(combined.signers.map(({ publicKey }) => publicKey).sort()).toEqual(
      [payer.publicKey, other.publicKey].sort(),
    );
  });

  it('sign with the key pair if one of them has it', () => {
    const keypair = inValues(other);
    for (const signers of [[wallet(other), keypair], [keypair, wallet(other)]]) {
      const [first, second] = signers.map((signer) => setOf(wallet(payer), 'x', [signer]));
      expect(combineInstructionSets([first!, second!]).signers).toEqual([keypair]);
    }
    const combined = combineInstructionSets([setOf(wallet(payer), 'x'), setOf(wallet(payer), 'y', [inValues(payer)])]);
    expect(combined.feePayer).toEqual(inValues(payer));
  });

  it('count a key as named by the flow only if every use of it is', () => {
    const named = (...uses: boolean[]) =>
      combineInstructionSets(uses.map((use) => setOf(wallet(payer, true), 'x', [wallet(other, use)]))).signers[0]
        ?.isNamedByFlow;
    expect([named(true, true), named(true, false), named(false, true)]).toEqual([true, false, false]);
    const asSigner = setOf(wallet(payer, true), 'x', [wallet(payer, false)]);
    expect(combineInstructionSets([asSigner]).feePayer.isNamedByFlow).toBe(false);
  });

  it('must have the same fee payer', () => {
    const sets = [setOf(wallet(payer), 'x'), setOf(wallet(other), 'y')];
    expect(() => combineInstructionSets(sets)).toThrow(
      `instructions with different fee payers can't share a transaction: ${payer.publicKey}, ${other.publicKey}`,
    );
    expect(() => combineInstructionSets([])).toThrow('no instructions');
  });
});
