import { readField, toText } from '../../../types/values/conversion.ts';
import { makeInstructionSet } from '../../solana/building/instruction_nodes.ts';
import { memoInstruction } from '../../solana/building/memo.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import definition from './definition.json' with { type: 'json' };

/** Writes a text into the log of a transaction, signed by the fee payer. */
export const memoNode: InstructionModule = {
  definition,
  buildInstructions: (call) => {
    const feePayer = readSigner(call, 'fee_payer');
    const instruction = memoInstruction(readField(call.inputs, 'memo', toText), feePayer);
    return { instructions: makeInstructionSet(feePayer, [], [instruction]), outputs: {} };
  },
};
