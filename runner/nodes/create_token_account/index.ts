import { getInitializeAccount3Instruction, getTokenSize } from '@solana-program/token';
import { readField } from '../../../types/values/conversion.ts';
import { addressOf, makeInstructionSet, toAddress } from '../../solana/building/instruction_nodes.ts';
import { createTokenProgramAccount } from '../../solana/tokens/token_accounts.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import definition from './definition.json' with { type: 'json' };

/** Creates a token account at the address of a new key. */
export const createTokenAccountNode: InstructionModule = {
  definition,
  buildInstructions: async (call) => {
    const feePayer = readSigner(call, 'fee_payer');
    const account = readSigner(call, 'token_account');
    const initialize = getInitializeAccount3Instruction({
      account: addressOf(account),
      mint: readField(call.inputs, 'mint_account', toAddress),
      owner: readField(call.inputs, 'owner', toAddress),
    });
    const create = await createTokenProgramAccount(call, 'token_account', { feePayer, account, size: getTokenSize() });
    return { instructions: makeInstructionSet(feePayer, [account], [create, initialize]), outputs: {} };
  },
};
