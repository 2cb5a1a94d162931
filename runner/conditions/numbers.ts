import type { Value } from '../../types/values/value.ts';

/**
 * A finite number, as an integer divided by a power of ten. In this form, numbers of all tags compare without rounding.
 */
interface ExactNumber {
  mantissa: bigint;
  scale: number;
}

/** A number of any tag. Infinities have no exact form. */
export type ComparedNumber = ExactNumber | 'NaN' | 'inf' | '-inf';

/** Matches the canonical texts of all number tags: a sign, digits, a fraction, and the exponent of a float. */
const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:e(-?\d+))?$/;

/**
 * Returns the number that a value holds; undefined for values that are not numbers. A float counts as the decimal
 * number of its text, which is the shortest text that reads back as the same float. So the float 0.1 equals the decimal
 * 0.1.
 */
export function numberOf(value: Value): ComparedNumber | undefined {
  const text = 'U' in value
    ? value.U
    : 'I' in value
    ? value.I
    : 'U1' in value
    ? value.U1
    : 'I1' in value
    ? value.I1
    : 'D' in value
    ? value.D
    : 'F' in value
    ? value.F
    : undefined;
  if (text === undefined || text === 'NaN' || text === 'inf' || text === '-inf') return text;
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  return { mantissa: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
}

const compareBigInts = (a: bigint, b: bigint): number => a < b ? -1 : a > b ? 1 : 0;

const sign = ({ mantissa }: ExactNumber): number => mantissa > 0n ? 1 : mantissa < 0n ? -1 : 0;

/**
 * Counts the digits before the point. For a number like 0.001, the count is negative: minus the zeros after the point.
 */
const wholeDigits = ({ mantissa, scale }: ExactNumber): number =>
  String(mantissa < 0n ? -mantissa : mantissa).length - scale;

const orderOfInfinity = (number: ComparedNumber): number => number === 'inf' ? 1 : number === '-inf' ? -1 : 0;

/** Returns -1, 0 or 1; undefined if one of the numbers is NaN, which can't be compared. */
export function compareNumbers(a: ComparedNumber, b: ComparedNumber): number | undefined {
  if (a === 'NaN' || b === 'NaN') return undefined;
  if (typeof a === 'string' || typeof b === 'string') return Math.sign(orderOfInfinity(a) - orderOfInfinity(b));
  const [signA, signB] = [sign(a), sign(b)];
  if (signA !== signB || signA === 0) return Math.sign(signA - signB);
  // If the numbers have different counts of digits before the point, the counts decide. Scaling such numbers to the
  // same power of ten could need long integers.
  const [sizeA, sizeB] = [wholeDigits(a), wholeDigits(b)];
  if (sizeA !== sizeB) return Math.sign(sizeA - sizeB) * signA;
  const scale = Math.max(a.scale, b.scale);
  const scaled = ({ mantissa, scale: own }: ExactNumber): bigint => mantissa * 10n ** BigInt(scale - own);
  return compareBigInts(scaled(a), scaled(b));
}

/** Returns a text that two numbers share if and only if they are equal. */
export function canonicalNumber(number: ComparedNumber): string {
  if (typeof number === 'string') return number;
  let { mantissa, scale } = number;
  if (mantissa === 0n) return '0';
  for (; mantissa % 10n === 0n; mantissa /= 10n) scale--;
  return `${mantissa}e${-scale}`;
}
