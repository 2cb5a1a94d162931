export const INT_MIN = -(2n ** 63n);
export const INT_MAX = 2n ** 63n - 1n;

export type Int = number | bigint;

/**
 * Returns an integer in the form that scripts use: a number if it is safe, otherwise a bigint. The caller has checked
 * that the integer fits 64 bits.
 */
export const toInt = (value: bigint): Int =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

/** Returns the integer; undefined if it does not fit 64 bits. */
export const checkedInt = (value: bigint): Int | undefined =>
  value >= INT_MIN && value <= INT_MAX ? toInt(value) : undefined;

/** Returns the integer part of a float; undefined if it does not fit 64 bits. */
export const floatToInt = (value: number): Int | undefined =>
  Number.isFinite(value) ? checkedInt(BigInt(Math.trunc(value))) : undefined;

/**
 * Reads an integer literal. It has decimal digits, or 0x, 0o or 0b and the digits of an unsigned 64-bit number. The
 * bits of that number become the bits of the signed result. A minus may come first. Undefined if the text is not an
 * integer or does not fit.
 */
export function parseIntegerLiteral(digits: string): Int | undefined {
  if (digits.length > 80) return undefined;
  const isNegative = digits.startsWith('-');
  const size = isNegative ? digits.slice(1) : digits;
  if (/^0[xob][\da-f]+$/i.test(size)) {
    const bits = BigInt(size.toLowerCase());
    if (bits >= 2n ** 64n) return undefined;
    return checkedInt(isNegative ? -BigInt.asIntN(64, bits) : BigInt.asIntN(64, bits));
  }
  return /^\d+$/.test(size) ? checkedInt(BigInt(digits)) : undefined;
}

/** The fault of a text that is not an integer, in Rust's words. */
type IntProblem =
  | 'cannot parse integer from empty string'
  | 'invalid digit found in string'
  | 'number too large to fit in target type'
  | 'number too small to fit in target type';

/**
 * Reads an integer of a radix from 2 to 36, with or without a sign. If the text is not such an integer, returns the
 * fault.
 */
export function parseIntText(text: string, radix: number): Int | IntProblem {
  const isNegative = text.startsWith('-');
  const digits = text.replace(/^[+-]/, '').toLowerCase();
  if (text === '') return 'cannot parse integer from empty string';
  if (digits === '') return 'invalid digit found in string';
  let value = 0n;
  for (const digit of digits) {
    const amount = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(digit);
    if (amount < 0 || amount >= radix) return 'invalid digit found in string';
    // Leading zeros, and digits after the value is too large, don't change the outcome, so they are not computed.
    if (value <= INT_MAX && (amount > 0 || value > 0n)) value = value * BigInt(radix) + BigInt(amount);
  }
  return checkedInt(isNegative ? -value : value) ??
    `number too ${isNegative ? 'small' : 'large'} to fit in target type`;
}
