import { address, createNoopSigner, type Instruction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { RunSettings } from '../run_settings.ts';
import type { StoredTransaction } from '../transaction_order.ts';

/**
 * Makes the instructions that pay a run's fees, in the order of its settings. Each transaction of the run carries these
 * instructions until one transaction that carries them is confirmed. `buildTransaction` adds them;
 * `settle_instructions.ts` decides which transaction carries them.
 */
export const feeInstructions = (feePayer: string, fees: RunSettings['fees']): Instruction[] =>
  fees.map(([recipient, lamports]) =>
    getTransferSolInstruction({
      source: createNoopSigner(address(feePayer)),
      destination: address(recipient),
      amount: BigInt(lamports),
    })
  );

/**
 * True if one of a run's transactions has paid its fees. A failed transaction has paid nothing, so the next transaction
 * carries the fees again.
 */
export const areFeesPaid = (transactions: readonly Pick<StoredTransaction, 'has_fees' | 'outcome'>[]): boolean =>
  transactions.some(({ has_fees, outcome }) => has_fees && outcome === 'confirmed');
