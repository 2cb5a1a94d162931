import { NodeError } from '../engine/node.ts';
import type { InstructionSet } from '../engine/transaction.ts';

export function combineInstructions(sets: InstructionSet[]): InstructionSet {
  const [first] = sets;
  if (first === undefined) throw new NodeError('no instructions');
  return { ...first, instructions: sets.flatMap(({ instructions }) => instructions) };
}
