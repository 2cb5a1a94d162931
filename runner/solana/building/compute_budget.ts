import type { Instruction } from '@solana/kit';
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
  SET_COMPUTE_UNIT_LIMIT_DISCRIMINATOR,
  SET_COMPUTE_UNIT_PRICE_DISCRIMINATOR,
} from '@solana-program/compute-budget';
import type { TransactionSettings } from '../read_transaction_settings.ts';

/** The most compute units that a transaction may have. Source: Agave, `MAX_COMPUTE_UNIT_LIMIT`. */
const MAX_UNITS = 1_400_000n;
/**
 * Compute units of each instruction in a transaction without a limit. Source: Agave,
 * `DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT`.
 */
const UNITS_PER_INSTRUCTION = 200_000n;

/** The network's answers that a compute budget depends on. */
export interface BudgetSources {
  /** Returns the units that the instructions use, or undefined if they can't be simulated. */
  simulateUnits: (instructions: readonly Instruction[]) => Promise<bigint | undefined>;
  /** Returns the price in micro-lamports for a compute unit. */
  estimatePrice: () => Promise<bigint>;
}

/**
 * True for an instruction of the compute budget. Such instructions concern the whole transaction, and wallets may
 * change them.
 */
export const isOfComputeBudget = ({ programAddress }: Instruction): boolean =>
  programAddress === COMPUTE_BUDGET_PROGRAM_ADDRESS;

const has = (instructions: readonly Instruction[], discriminator: number): boolean =>
  instructions.some((one) => isOfComputeBudget(one) && one.data?.[0] === discriminator);

const setLimit = (units: bigint): Instruction =>
  getSetComputeUnitLimitInstruction({ units: Number(units < MAX_UNITS ? units : MAX_UNITS) });

/**
 * Puts an instruction for the price of compute units, and then one for their limit, before all other instructions. If
 * the flow already has one of the two, its instruction is kept instead.
 */
export async function withComputeBudget(
  instructions: readonly Instruction[],
  settings: TransactionSettings,
  { simulateUnits, estimatePrice }: BudgetSources,
): Promise<Instruction[]> {
  const { computeBudget, priorityFee, fallbackComputeBudget } = settings;
  const rest: Instruction[] = [...instructions];
  if (priorityFee !== 'no' && !has(instructions, SET_COMPUTE_UNIT_PRICE_DISCRIMINATOR)) {
    const microLamports = priorityFee === 'auto' ? await estimatePrice() : priorityFee;
    rest.unshift(getSetComputeUnitPriceInstruction({ microLamports }));
  }
  if (computeBudget === 'no' || has(instructions, SET_COMPUTE_UNIT_LIMIT_DISCRIMINATOR)) return rest;

  const price = rest.slice(0, rest.length - instructions.length);
  const withLimit = (units: bigint) => [...price, setLimit(units), ...instructions];
  if (computeBudget !== 'auto') return withLimit(computeBudget);
  const units = await simulateUnits(withLimit(MAX_UNITS));
  return withLimit(
    units === undefined
      ? fallbackComputeBudget ?? UNITS_PER_INSTRUCTION * BigInt(instructions.length)
      : units * 3n / 2n + 1_000n,
  );
}
