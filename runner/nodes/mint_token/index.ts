import { type Address, isOffCurveAddress } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { getMintToCheckedInstruction } from '@solana-program/token';
import { readField, toDecimal } from '../../../types/values/conversion.ts';
import { toSmallestUnits } from '../../solana/tokens/amounts.ts';
import { makeInstructionSet, signatureOf, toAddress } from '../../solana/building/instruction_nodes.ts';
import { type ChainAccount, makeChainRpc } from '../../solana/rpc/rpc.ts';
import { assertTokenOf, asTokenAccount, readDecimals } from '../../solana/tokens/token_accounts.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import { NodeError } from '../../engine/node.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Throws if an account can't receive tokens of the mint. A missing account passes, because the same transaction may
 * create it.
 */
function assertReceives(recipient: Address, account: ChainAccount | null, mint: Address): void {
  if (account === null) return;
  const token = asTokenAccount(account);
  if (token !== undefined) return assertTokenOf(mint, token, 'recipient');
  const isUnowned = account.owner === SYSTEM_PROGRAM_ADDRESS;
  // An address off the curve has no secret key, so it is no wallet. It may be the address of an associated token
  // account that received SOL before it was created.
  if (isUnowned && isOffCurveAddress(recipient)) return;
  throw new NodeError(
    `recipient: ${recipient} must be a token account` +
      (isUnowned ? ', and is a wallet; the node associated_token_account gives the token account of a wallet' : ''),
  );
}

/** Mints tokens into a token account. */
export const mintTokenNode: InstructionModule = {
  definition,
  buildInstructions: async (call) => {
    const { inputs } = call;
    const feePayer = readSigner(call, 'fee_payer');
    const mintAuthority = readSigner(call, 'mint_authority');
    const mint = readField(inputs, 'mint_account', toAddress);
    const token = readField(inputs, 'recipient', toAddress);
    const amount = readField(inputs, 'amount', toDecimal);
    const [mintAccount, account] = await makeChainRpc(call).getMultipleAccounts([mint, token], 'confirmed');
    const decimals = readDecimals(inputs, mint, mintAccount ?? null);
    assertReceives(token, account ?? null, mint);
    const instruction = getMintToCheckedInstruction({
      mint,
      token,
      mintAuthority: signatureOf(mintAuthority),
      amount: toSmallestUnits(amount, decimals),
      decimals,
    });
    return { instructions: makeInstructionSet(feePayer, [mintAuthority], [instruction]), outputs: {} };
  },
};
