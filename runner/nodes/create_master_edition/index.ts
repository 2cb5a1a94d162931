import { readField, readOptionalField, toInteger } from '../../../types/values/conversion.ts';
import { addressOf, makeInstructionSet, toAddress } from '../../solana/building/instruction_nodes.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import { createMasterEdition, masterEditionAddress, metadataAddress } from '../../solana/tokens/token_metadata.ts';
import definition from './definition.json' with { type: 'json' };

/** Creates the master edition of a token, which makes the token an NFT. */
export const createMasterEditionNode: InstructionModule = {
  definition,
  buildInstructions: async (call) => {
    const feePayer = readSigner(call, 'fee_payer');
    const mintAuthority = readSigner(call, 'mint_authority');
    const updateAuthority = readSigner(call, 'update_authority');
    const mint = readField(call.inputs, 'mint_account', toAddress);
    const maxSupply = readOptionalField(call.inputs, 'max_supply', toInteger('u64')) ?? null;
    const instruction = await createMasterEdition({
      mint,
      mintAuthority: addressOf(mintAuthority),
      payer: addressOf(feePayer),
      updateAuthority: addressOf(updateAuthority),
    }, maxSupply);
    return {
      instructions: makeInstructionSet(feePayer, [mintAuthority, updateAuthority], [instruction]),
      outputs: {
        metadata_account: { B3: await metadataAddress(mint) },
        master_edition_account: { B3: await masterEditionAddress(mint) },
      },
    };
  },
};
