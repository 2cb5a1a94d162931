import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import { readField } from '../../../types/values/conversion.ts';
import { makeInstructionSet, signatureOf, toAddress } from '../../solana/building/instruction_nodes.ts';
import { associatedTokenAddress } from '../../solana/tokens/token_accounts.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import definition from './definition.json' with { type: 'json' };

/** Creates the associated token account of an owner, unless it exists. */
export const associatedTokenAccountNode: InstructionModule = {
  definition,
  buildInstructions: async (call) => {
    const feePayer = readSigner(call, 'fee_payer');
    const owner = readField(call.inputs, 'owner', toAddress);
    const mint = readField(call.inputs, 'mint_account', toAddress);
    const ata = await associatedTokenAddress(owner, mint);
    // The idempotent instruction does not fail if the account exists, so a second run for the same owner succeeds.
    const create = getCreateAssociatedTokenIdempotentInstruction({ payer: signatureOf(feePayer), ata, owner, mint });
    return {
      instructions: makeInstructionSet(feePayer, [], [create]),
      outputs: { associated_token_account: { B3: ata } },
    };
  },
};
