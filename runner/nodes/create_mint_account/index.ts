import { getInitializeMint2Instruction, getMintSize } from '@solana-program/token';
import { readField, readOptionalField, toInteger, toText } from '../../../types/values/conversion.ts';
import { addressOf, makeInstructionSet, toAddress } from '../../solana/instruction_nodes.ts';
import { memoInstruction } from '../../solana/memo.ts';
import { createTokenProgramAccount } from '../../solana/token_accounts.ts';
import { readSigner } from '../../solana/read_signer.ts';
import type { InstructionModule } from '../../solana/instruction_module.ts';
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
