import { valueLimits } from '../limits/values.ts';

/** The greatest mantissa of a `D` value, 2^96 - 1. */
export const DECIMAL_MAX_MANTISSA = 2n ** 96n - 1n;
export const DECIMAL_MAX_SCALE = 28;

/**
 * The most characters of a number's text. No number in the range of a tag needs more, and the time to read digits may
 * grow with the square of their number.
 */
export const MAX_NUMBER_CHARACTERS = valueLimits.number_characters.value;

const INTEGER = /^[+-]?\d+$/;
const PLAIN_DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?$/;
const FLOAT = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;

/** True if a text is short enough to be read. The length is checked before any regular expression reads the text. */
const isBounded = (text: string): boolean => text.length <= MAX_NUMBER_CHARACTERS;

/** Removes the zeros at the end of digits. A pattern would take quadratic time on long rows of zeros. */
export function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/**
 * Reads an integer in canonical form (no `+`, no leading zeros); undefined if the text is anything else or out of
 * range.
 */
export function parseInteger(text: string, min: bigint, max: bigint): string | undefined {
  if (!isBounded(text) || !INTEGER.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value >= min && value <= max ? String(value) : undefined;
}

/**
 * Formats a decimal from its sign, digits and scale in canonical form (trailing zeros kept); undefined if it does not
 * fit.
 */
function formatDecimal(isNegative: boolean, digits: string, scale: number): string | undefined {
  let mantissa = BigInt(digits || '0');
  for (; scale > DECIMAL_MAX_SCALE && mantissa % 10n === 0n; scale--) mantissa /= 10n;
  if (mantissa > DECIMAL_MAX_MANTISSA || scale > DECIMAL_MAX_SCALE) return undefined;
  const padded = String(mantissa).padStart(scale + 1, '0');
  const whole = padded.slice(0, padded.length - scale);
  const sign = isNegative && mantissa !== 0n ? '-' : '';
  return scale === 0 ? sign + whole : `${sign}${whole}.${padded.slice(-scale)}`;
}

/**
 * Reads a plain decimal (no exponent) in canonical form; undefined if the text is anything else or not exactly a 96-bit
 * decimal.
 */
export function parseDecimal(text: string): string | undefined {
  const match = isBounded(text) ? PLAIN_DECIMAL.exec(text) : null;
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  return formatDecimal(sign === '-', whole + fraction, fraction.length);
}

const I64_MIN = -(2n ** 63n);
const U64_MAX = 2n ** 64n - 1n;

/** Returns a decimal's integer; undefined if the decimal has a fraction other than 0 or needs more than 64 bits. */
export function integerOfDecimal(text: string): bigint | undefined {
  const whole = /^(-?\d+)(?:\.0*)?$/.exec(text)?.[1];
  const integer = whole === undefined ? undefined : BigInt(whole);
  return integer === undefined || integer < I64_MIN || integer > U64_MAX ? undefined : integer;
}

/** Reads a decimal like `parseDecimal`, but from a JSON number, which may have an exponent. No digit is lost. */
export function parseDecimalNumber(text: string): string | undefined {
  if (!isBounded(text)) return undefined;
  const [mantissa = '', exponentText = '0'] = text.toLowerCase().split('e');
  const exponent = Number(exponentText);
  const match = PLAIN_DECIMAL.exec(mantissa);
  if (match === null || Math.abs(exponent) > MAX_NUMBER_CHARACTERS) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const scale = fraction.length - exponent;
  const digits = whole + fraction + (scale < 0 ? '0'.repeat(-scale) : '');
  return formatDecimal(sign === '-', digits, Math.max(scale, 0));
}

/** Writes a float as the reference server (a flow server in Rust) does: `5.0`, `1e16`, `1e-7`, `NaN`, `inf`, `-inf`. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  // The number of digits before the decimal point. If it is above 16 or below -4, Rust's float printing (ryu) writes an
  // exponent.
  const point = Number(exponentText) + 1;
  if (point > 16 || point <= -5) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}e${point - 1}`;
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (digits.length <= point) return `${sign}${digits.padEnd(point, '0')}.0`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Reads a float's text in canonical form; undefined for any other text. */
export function parseFloatText(text: string): string | undefined {
  if (!isBounded(text) || !FLOAT.test(text)) return undefined;
  const lower = text.toLowerCase().replace(/^\+/, '');
  if (lower.endsWith('nan')) return 'NaN';
  if (lower.startsWith('inf')) return 'inf';
  if (lower.startsWith('-inf')) return '-inf';
  return formatFloat(Number(text));
}

/** Writes a float in plain decimal notation, without exponent: `1e21` becomes its 22 digits. */
export function floatToPlainText(text: string): string {
  const match = isBounded(text) ? /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) : null;
  if (match === null) return text;
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  // No float has an exponent this large.
  if (Math.abs(exponent) > MAX_NUMBER_CHARACTERS) return text;
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const split = Math.max(point, 1);
  const rest = trimTrailingZeros(padded.slice(split));
  return rest === '' ? `${sign}${padded.slice(0, split)}` : `${sign}${padded.slice(0, split)}.${rest}`;
}

/** Returns the digits of a plain decimal without the zeros at the end of its fraction, and without leading zeros. */
export function plainDigits(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  let begin = 0;
  while (whole[begin] === '0' && begin < whole.length - 1) begin++;
  const rest = trimTrailingZeros(fraction);
  const digits = whole.slice(begin) + (rest === '' ? '' : `.${rest}`);
  return digits === '0' ? '0' : sign + digits;
}

/**
 * Returns the JavaScript number that stands for digits of `plainDigits`. Undefined for an integer beyond 2^53, and for a
 * fraction that differs from the shortest text of the nearest number.
 */
export function numberOfDigits(digits: string): number | undefined {
  const number = Number(digits);
  if (!digits.includes('.')) return Number.isSafeInteger(number) ? number : undefined;
  const text = String(number);
  return text === digits || floatToPlainText(text) === digits ? number : undefined;
}
