import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token';
import { readField, readOptionalField, toBoolean, toDecimal, toText } from '../../../types/values/conversion.ts';
import { toSmallestUnits } from '../../solana/tokens/amounts.ts';
import { addressOf, makeInstructionSet, signatureOf, toAddress } from '../../solana/building/instruction_nodes.ts';
import { memoInstruction } from '../../solana/building/memo.ts';
import { makeChainRpc } from '../../solana/rpc/rpc.ts';
import { associatedTokenAddress, readDecimals } from '../../solana/tokens/token_accounts.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import definition from './definition.json' with { type: 'json' };
import { findDestination } from './recipient.ts';

/** Sends tokens to a wallet or a token account. The transaction always has a memo, which may be empty. */
export const transferTokenNode: InstructionModule = {
  definition,
  buildInstructions: async (call) => {
    const { inputs } = call;
    const feePayer = readSigner(call, 'fee_payer');
    const owner = readSigner(call, 'sender_owner');
    const mint = readField(inputs, 'mint_account', toAddress);
    const recipient = readField(inputs, 'recipient', toAddress);
    const amount = readField(inputs, 'amount', toDecimal);
    const source = readOptionalField(inputs, 'sender_token_account', toAddress) ??
      await associatedTokenAddress(addressOf(owner), mint);
    const rules = {
      allowsUnfunded: readOptionalField(inputs, 'allow_unfunded', toBoolean) ?? true,
      funds: readOptionalField(inputs, 'fund_recipient', toBoolean) ?? true,
    };
    // The owner signs the transfer anyway, so the memo needs no further signature.
    const memo = memoInstruction(readOptionalField(inputs, 'memo', toText) ?? '', owner);

    const ata = await associatedTokenAddress(recipient, mint);
    const [mintAccount = null, account = null, ataAccount = null] = await makeChainRpc(call).getMultipleAccounts(
      [mint, recipient, ata],
      'confirmed',
    );
    const decimals = readDecimals(inputs, mint, mintAccount);
    const destination = findDestination(
      { address: recipient, account },
      { address: ata, account: ataAccount },
      mint,
      rules,
    );
    const create = getCreateAssociatedTokenIdempotentInstruction({
      payer: signatureOf(feePayer),
      ata,
      owner: recipient,
      mint,
    });
    const transfer = getTransferCheckedInstruction({
      source,
      mint,
      destination: destination.address,
      authority: signatureOf(owner),
      amount: toSmallestUnits(amount, decimals),
      decimals,
    });
    const instructions = [...(destination.isMissing ? [create] : []), transfer, memo];
    return {
      instructions: makeInstructionSet(feePayer, [owner], instructions),
      outputs: { recipient_token_account: { B3: destination.address } },
    };
  },
};
