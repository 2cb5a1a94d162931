import type { Decimal } from '../../../types/values/decimal.ts';
import { NodeError } from '../../engine/node.ts';

const U64_MAX = 2n ** 64n - 1n;

/**
 * Converts an amount of SOL or tokens to its smallest units. One SOL or token has 10^decimals units. Fractions of a
 * unit are cut off. Throws if the amount is negative or exceeds the chain's 64 bits.
 */
export function toSmallestUnits(amount: Decimal, decimals: number): bigint {
  if (amount.isNegative()) throw new NodeError('amount is negative');
  // Moves the point in the text and does not multiply: a mint may have 255 decimals, and Decimal can't hold 10^255.
  const [whole, fraction = ''] = amount.toString().split('.');
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  if (units > U64_MAX) throw new NodeError(`amount is too large: in its smallest units it is more than ${U64_MAX}`);
  return units;
}
