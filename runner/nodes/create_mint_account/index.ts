import { getInitializeMint2Instruction, getMintSize } from '@solana-program/token';
import { readField, readOptionalField, toInteger, toText } from '../../../types/values/conversion.ts';
import { addressOf, makeInstructionSet, toAddress } from '../../solana/building/instruction_nodes.ts';
import { memoInstruction } from '../../solana/building/memo.ts';
import { createTokenProgramAccount } from '../../solana/tokens/token_accounts.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import definition from './definition.json' with { type: 'json' };

/** Creates a mint. The transaction always has a memo, which may be empty. */
export const createMintAccountNode: InstructionModule = {
  definition,
  buildInstructions: async (call) => {
    const { inputs } = call;
    const feePayer = readSigner(call, 'fee_payer');
    const mint = readSigner(call, 'mint_account');
    const initialize = getInitializeMint2Instruction({
      mint: addressOf(mint),
      decimals: Number(readField(inputs, 'decimals', toInteger('u8'))),
      mintAuthority: readField(inputs, 'mint_authority', toAddress),
      freezeAuthority: readOptionalField(inputs, 'freeze_authority', toAddress) ?? null,
    });
    const memo = memoInstruction(readOptionalField(inputs, 'memo', toText) ?? '', feePayer);
    const create = await createTokenProgramAccount(call, 'mint_account', {
      feePayer,
      account: mint,
      size: getMintSize(),
    });
    return { instructions: makeInstructionSet(feePayer, [mint], [create, initialize, memo]), outputs: {} };
  },
};
