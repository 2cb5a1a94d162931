import { Decimal as BigDecimal } from 'decimal.js';
import { DECIMAL_MAX_MANTISSA, DECIMAL_MAX_SCALE, MAX_NUMBER_CHARACTERS, parseDecimal } from './number_text.ts';

// With this precision, the sum and the product of two decimals are exact. They are rounded to 96 bits afterwards.
const Big = BigDecimal.clone({ precision: 120, rounding: BigDecimal.ROUND_HALF_EVEN, toExpNeg: -200, toExpPos: 200 });

/** Matches a number in decimal notation, with its fraction and its exponent. */
const NUMBER = /^[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?$/i;

/** Computes results that are not exact, such as roots, with more digits than a decimal holds. */
const Approximate = BigDecimal.clone({
  precision: 40,
  rounding: BigDecimal.ROUND_HALF_EVEN,
  toExpNeg: -200,
  toExpPos: 200,
});

const MAX = new Big(String(DECIMAL_MAX_MANTISSA));

/**
 * With a greater exponent, a power of e does not fit a decimal. With an exponent below -67, a power of e is rounded to
 * zero.
 */
const MAX_EXPONENT = 67;

const ROUNDINGS = {
  /** Away from zero. */
  up: BigDecimal.ROUND_UP,
  /** Towards zero. */
  down: BigDecimal.ROUND_DOWN,
  halfUp: BigDecimal.ROUND_HALF_UP,
  halfDown: BigDecimal.ROUND_HALF_DOWN,
} as const;

/**
 * A decimal as a `D` value holds it: an integer mantissa of 96 bits and a scale of 0 to 28 decimal places. Trailing
 * zeros are kept (`1.50` is not `1.5`). Arithmetic follows the rules of the rust_decimal crate, which the reference
 * server uses (a flow server in Rust). A sum has the greater of the two scales, a product has their sum, and a quotient
 * has as many places as it needs. If a result needs more than 96 bits, it is rounded half to even, to fewer places. If
 * the rounded result still does not fit, the operation returns undefined.
 */
export class Decimal {
  readonly #value: BigDecimal;
  /** Decimal places, trailing zeros included. */
  readonly scale: number;

  private constructor(value: BigDecimal, scale: number) {
    this.#value = value;
    this.scale = scale;
  }

  /** Rounds to `wantedScale` places, or to as many of them as fit; undefined if not even the integer part fits. */
  static #fit(value: BigDecimal, wantedScale: number): Decimal | undefined {
    let scale = Math.min(Math.max(wantedScale, 0), DECIMAL_MAX_SCALE);
    // A shortcut for most numbers: 28 digits always fit a decimal. Zero takes the shortcut too, because its exponent is
    // 0.
    if (value.e + scale < 28 && value.decimalPlaces() <= scale) {
      return new Decimal(value.isZero() ? value.abs() : value, scale);
    }
    let rounded = value.toDecimalPlaces(scale);
    while (rounded.abs().times(`1e${scale}`).gt(MAX)) {
      if (scale === 0) return undefined;
      rounded = value.toDecimalPlaces(--scale);
    }
    return new Decimal(rounded.isZero() ? rounded.abs() : rounded, scale);
  }

  /** Reads plain notation without exponent; undefined if the text is anything else or does not fit exactly. */
  static parse(text: string): Decimal | undefined {
    const canonical = parseDecimal(text);
    if (canonical === undefined) return undefined;
    return new Decimal(new Big(canonical), canonical.split('.')[1]?.length ?? 0);
  }

  /** Reads a number with or without exponent, rounded to fit; undefined if the text is anything else or too large. */
  static parseNumber(text: string): Decimal | undefined {
    const match = text.length > MAX_NUMBER_CHARACTERS ? null : NUMBER.exec(text);
    if (match === null) return undefined;
    const [, fraction, bareFraction = '', exponent = '0'] = match;
    return Decimal.#fit(new Big(text), (fraction ?? bareFraction).length - Number(exponent));
  }

  static fromBigInt(value: bigint): Decimal | undefined {
    return Decimal.parse(String(value));
  }

  /**
   * Converts a float: reads its shortest text as a decimal, and rounds the decimal to fit; undefined if the float is
   * not finite or too large.
   */
  static fromNumber(value: number): Decimal | undefined {
    if (!Number.isFinite(value)) return undefined;
    const exact = new Big(value);
    return Decimal.#fit(exact, exact.decimalPlaces());
  }

  plus(other: Decimal): Decimal | undefined {
    return Decimal.#fit(this.#value.plus(other.#value), Math.max(this.scale, other.scale));
  }

  minus(other: Decimal): Decimal | undefined {
    return Decimal.#fit(this.#value.minus(other.#value), Math.max(this.scale, other.scale));
  }

  times(other: Decimal): Decimal | undefined {
    return Decimal.#fit(this.#value.times(other.#value), this.scale + other.scale);
  }

  /** Divides; undefined if the result does not fit, or for a division by zero. */
  dividedBy(other: Decimal): Decimal | undefined {
    if (other.isZero()) return undefined;
    const quotient = this.#value.dividedBy(other.#value);
    return Decimal.#fit(quotient, Math.max(quotient.decimalPlaces(), this.scale - other.scale));
  }

  /** Returns the remainder, with the sign of the dividend; undefined for a division by zero. */
  modulo(other: Decimal): Decimal | undefined {
    if (other.isZero()) return undefined;
    return Decimal.#fit(this.#value.modulo(other.#value), Math.max(this.scale, other.scale));
  }

  negated(): Decimal {
    return new Decimal(this.#value.isZero() ? this.#value : this.#value.negated(), this.scale);
  }

  abs(): Decimal {
    return new Decimal(this.#value.abs(), this.scale);
  }

  floor(): Decimal {
    return new Decimal(this.#value.floor(), 0);
  }

  ceil(): Decimal {
    // Without abs(), ceil(-0.5) would be a negative zero.
    const value = this.#value.ceil();
    return new Decimal(value.isZero() ? value.abs() : value, 0);
  }

  /** Cuts off the decimal places. */
  truncated(): Decimal {
    return this.isNegative() ? this.ceil() : this.floor();
  }

  /** Rounds half to even to at most `places` decimal places. */
  rounded(places = 0): Decimal {
    return places >= this.scale ? this : Decimal.#fit(this.#value, places) ?? this;
  }

  /**
   * Rounds to at most `places` decimal places. `up` rounds away from zero and `down` towards zero. `halfUp` and
   * `halfDown` round to the nearest decimal; a half is rounded away from zero by `halfUp`, and towards zero by
   * `halfDown`.
   */
  roundedBy(places: number, rounding: keyof typeof ROUNDINGS): Decimal {
    if (places >= this.scale) return this;
    return Decimal.#fit(this.#value.toDecimalPlaces(places, ROUNDINGS[rounding]), places) ?? this;
  }

  /**
   * Raises to a power; undefined if the result does not fit or is not a real number. If the exponent is 0, 1, 2 or so
   * on, the result is exact unless it must be rounded to fit.
   */
  power(exponent: Decimal): Decimal | undefined {
    const isWhole = exponent.isInteger() && !exponent.isNegative();
    const scale = isWhole ? Math.min(this.scale * exponent.toNumber(), DECIMAL_MAX_SCALE) : undefined;
    return Decimal.#approximate((isWhole ? this.#value : new Approximate(this.#value)).pow(exponent.#value), scale);
  }

  /** Returns the square root; undefined for a negative number. */
  squareRoot(): Decimal | undefined {
    return Decimal.#approximate(new Approximate(this.#value).sqrt());
  }

  /** Raises e to this power; undefined if the result does not fit. */
  exp(): Decimal | undefined {
    if (this.#value.gt(MAX_EXPONENT)) return undefined;
    return Decimal.#approximate(this.#value.lt(-MAX_EXPONENT) ? new Big(0) : new Approximate(this.#value).exp());
  }

  /** Returns the logarithm to base e or 10; undefined if this number is not positive. */
  log(base: 'e' | 10): Decimal | undefined {
    if (!this.#value.gt(0)) return undefined;
    const value = new Approximate(this.#value);
    return Decimal.#approximate(base === 10 ? value.log(10) : value.ln());
  }

  /** Returns a trigonometric function of an angle in radians. */
  trigonometric(name: 'sin' | 'cos' | 'tan'): Decimal | undefined {
    return Decimal.#approximate(new Approximate(this.#value)[name]());
  }

  static #approximate(value: BigDecimal, scale = value.decimalPlaces()): Decimal | undefined {
    return value.isFinite() ? Decimal.#fit(new Big(value), scale) : undefined;
  }

  /** Returns -1, 0 or 1. Trailing zeros make no difference. */
  compare(other: Decimal): number {
    return this.#value.comparedTo(other.#value);
  }

  isZero(): boolean {
    return this.#value.isZero();
  }

  isNegative(): boolean {
    return this.#value.isNegative() && !this.#value.isZero();
  }

  isInteger(): boolean {
    return this.#value.isInteger();
  }

  /** Returns the exact integer part. */
  toBigInt(): bigint {
    return BigInt(this.#value.truncated().toFixed(0));
  }

  /** Returns the nearest float. */
  toNumber(): number {
    return this.#value.toNumber();
  }

  /** Writes plain notation with all places, as in a `D` value. */
  toString(): string {
    return this.#value.toFixed(this.scale);
  }
}
