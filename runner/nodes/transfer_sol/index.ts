import { getTransferSolInstruction } from '@solana-program/system';
import { readField, toDecimal } from '../../../types/values/conversion.ts';
import { toSmallestUnits } from '../../solana/tokens/amounts.ts';
import { makeInstructionSet, signatureOf, toAddress } from '../../solana/building/instruction_nodes.ts';
import { readOptionalSigner, readSigner } from '../../solana/tokens/read_signer.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import definition from './definition.json' with { type: 'json' };

/** Decimal places of an amount of SOL: a lamport is 0.000000001 SOL. */
const SOL_DECIMALS = 9;

/** Sends SOL. The sender pays the fee unless a fee payer is given. */
export const transferSolNode: InstructionModule = {
  definition,
  buildInstructions: (call) => {
    const sender = readSigner(call, 'sender');
    const instruction = getTransferSolInstruction({
      source: signatureOf(sender),
      destination: readField(call.inputs, 'recipient', toAddress),
      amount: toSmallestUnits(readField(call.inputs, 'amount', toDecimal), SOL_DECIMALS),
    });
    const feePayer = readOptionalSigner(call, 'fee_payer') ?? sender;
    return { instructions: makeInstructionSet(feePayer, [sender], [instruction]), outputs: {} };
  },
};
