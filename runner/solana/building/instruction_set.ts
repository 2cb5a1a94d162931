import { NodeError } from '../../engine/node.ts';
import type { ChainSigner, InstructionSet } from '../transaction_order.ts';

/**
 * Merges signers to one entry for each key. A key pair is preferred to an adapter wallet. One signature is valid for
 * the whole transaction, so a key counts as named by the flow only if the flow names it in all places.
 */
export function uniteSigners(signers: Iterable<ChainSigner>): Map<string, ChainSigner> {
  const united = new Map<string, ChainSigner>();
  for (const signer of signers) {
    const other = united.get(signer.publicKey) ?? signer;
    const kept = other.type === 'keypair' ? other : signer;
    united.set(signer.publicKey, { ...kept, isNamedByFlow: signer.isNamedByFlow && other.isNamedByFlow });
  }
  return united;
}

/** Combines the instructions of all sets, in order, for one transaction. Throws if their fee payers differ. */
export function combineInstructionSets(sets: readonly InstructionSet[]): InstructionSet {
  const feePayers = new Set(sets.map(({ feePayer }) => feePayer.publicKey));
  if (feePayers.size > 1) {
    throw new NodeError(
      `instructions with different fee payers can't share a transaction: ${[...feePayers].join(', ')}`,
    );
  }
  const united = uniteSigners(sets.flatMap(({ feePayer, signers }) => [feePayer, ...signers]));
  const signing = new Set(sets.flatMap(({ signers }) => signers.map(({ publicKey }) => publicKey)));
  const [feePayer] = [...feePayers].map((key) => united.get(key));
  if (feePayer === undefined) throw new NodeError('no instructions');
  return {
    feePayer,
    signers: [...united.values()].filter(({ publicKey }) => signing.has(publicKey)),
    instructions: sets.flatMap(({ instructions }) => instructions),
  };
}
