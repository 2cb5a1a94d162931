import { expect, it } from 'vitest';
import { Decimal } from '../../../types/values/decimal.ts';
import { toSmallestUnits } from './amounts.ts';

const units = (amount: string, decimals: number) => toSmallestUnits(Decimal.parse(amount)!, decimals);

it.each<[string, number, bigint]>([
  ['0', 0, 0n],
  ['0.000', 255, 0n],
  ['1.50', 1, 15n],
  ['1.99', 0, 1n],
  ['0.0000000000000000000000000001', 28, 1n],
  ['0.0000000000000000000000000001', 27, 0n],
  ['0.0000000000000000000000000001', 40, 1_000_000_000_000n],
  ['18446744073709551615.999999999', 0, 2n ** 64n - 1n],
])(
  '%s with %i decimals converts exactly, not through a float',
  (amount, decimals, expected) => {
    expect(units(amount, decimals)).toBe(expected);
  },
);

it('an amount below zero, or wider than 64 bits, is refused', () => {
  expect(() => units('-0.0000000000000000000000000001', 0)).toThrow('amount is negative');
  const tooLarge = 'amount is too large: in its smallest units it is more than 18446744073709551615';
  expect(() => units('18446744073709551616', 0)).toThrow(tooLarge);
  expect(() => units('79228162514264337593543950335', 255)).toThrow(tooLarge);
});
