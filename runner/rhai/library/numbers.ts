import { Decimal } from '../../../types/values/decimal.ts';
import { chargeComparison } from '../comparing.ts';
import { floatText } from '../display.ts';
import { compareValues, intToDecimal } from '../equality.ts';
import { checkedInt, floatToInt, type Int } from '../integers.ts';
import { NativeSet } from '../native.ts';
import type { Run } from '../run.ts';
import { Float, isInt, isText, type RhaiValue } from '../values.ts';
import { toNumber } from './args.ts';

const MAX_PLACES = 28;

const intOf = (run: Run, value: Int | undefined, text: string): Int =>
  value ?? run.fail('Arithmetic', `Integer overflow: to_int(${text})`);

/**
 * Makes the function for the smaller (-1) or greater (1) of two values. If one of the values is a float or a decimal,
 * an integer result is converted to that type.
 */
const extreme =
  (direction: -1 | 1) => (run: Run, self: RhaiValue, [other]: readonly RhaiValue[]): RhaiValue | undefined => {
    if (other === undefined || (isText(self) && !isText(other))) return undefined;
    chargeComparison(run, self, other);
    const order = compareValues(self, other);
    if (order === undefined) return undefined;
    const result = order * direction >= 0 ? self : other;
    if (!isInt(result)) return result;
    if (self instanceof Float || other instanceof Float) return new Float(Number(result));
    return self instanceof Decimal || other instanceof Decimal ? intToDecimal(result) : result;
  };

/** Adds `min` and `max` to a type whose values can be compared. */
export const withExtremes = <T extends RhaiValue>(set: NativeSet<T>): NativeSet<T> =>
  set.method('min', 1, extreme(-1)).method('max', 1, extreme(1));

/** Makes a function that writes the 64 bits of an integer as an unsigned number in a radix. */
const digits = (radix: number) => (_: Run, self: Int): string => BigInt.asUintN(64, BigInt(self)).toString(radix);

export const intFunctions = withExtremes(new NativeSet<Int>())
  .method(
    'abs',
    0,
    (run, self) =>
      checkedInt(self < 0 ? -BigInt(self) : BigInt(self)) ?? run.fail('Arithmetic', `Negation overflow: -${self}`),
  )
  .method('sign', 0, (_, self) => Math.sign(Number(self)))
  .property('is_zero', (_, self) => self === 0)
  .property('is_odd', (_, self) => BigInt(self) % 2n !== 0n)
  .property('is_even', (_, self) => BigInt(self) % 2n === 0n)
  .method('to_int', 0, (_, self) => self)
  .method('to_float', 0, (_, self) => new Float(Number(self)))
  .method('to_decimal', 0, (_, self) => intToDecimal(self))
  .method('to_hex', 0, digits(16))
  .method('to_octal', 0, digits(8))
  .method('to_binary', 0, digits(2));

/** Rounds half away from zero, like Rust. */
const roundFloat = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

function roundFloatTo(run: Run, value: number, places: number): Float {
  if (places < 0) run.fail('Arithmetic', `Invalid number of digits for rounding: ${places}`);
  // A float has hardly any digits after so many places, so it is not rounded.
  if (places > 300 || !Number.isFinite(value)) return new Float(value);
  const scale = 10 ** places;
  const scaled = value * scale;
  return new Float(Number.isFinite(scaled) ? roundFloat(scaled) / scale : value);
}

type FloatFunction = (value: number) => number;

const floatMath: Record<string, FloatFunction> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asin: Math.asin,
  acos: Math.acos,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  sqrt: Math.sqrt,
  exp: Math.exp,
  ln: Math.log,
  to_degrees: (value) => value * 180 / Math.PI,
  to_radians: (value) => value * Math.PI / 180,
};

const floatRounding: Record<string, FloatFunction> = {
  floor: Math.floor,
  ceiling: Math.ceil,
  int: Math.trunc,
  fraction: (value) => value - Math.trunc(value),
};

export const floatFunctions = withExtremes(new NativeSet<Float>())
  .method('abs', 0, (_, self) => new Float(Math.abs(self.value)))
  .method(
    'sign',
    0,
    (run, self) =>
      Number.isNaN(self.value) ? run.fail('Arithmetic', 'Sign of NaN is undefined') : Math.sign(self.value) + 0,
  )
  .property('is_zero', (_, self) => self.value === 0)
  .property('is_nan', (_, self) => Number.isNaN(self.value))
  .property('is_finite', (_, self) => Number.isFinite(self.value))
  .property('is_infinite', (_, self) => Math.abs(self.value) === Infinity)
  .property('round', (run, self, args) => {
    const places = args.length === 0 ? 0 : toNumber(args[0]);
    return places === undefined ? undefined : roundFloatTo(run, self.value, places);
  }, 1)
  .method('to_int', 0, (run, self) => intOf(run, floatToInt(self.value), floatText(self.value)))
  .method('to_float', 0, (_, self) => self)
  .method(
    'to_decimal',
    0,
    (run, self) =>
      Decimal.fromNumber(self.value) ??
        run.fail('Arithmetic', `Cannot convert to Decimal: to_decimal(${floatText(self.value)})`),
  )
  .method('log', [0, 1], (_, self, [base]) => {
    if (base === undefined) return new Float(Math.log10(self.value));
    return base instanceof Float ? new Float(Math.log(self.value) / Math.log(base.value)) : undefined;
  })
  .method('atan', [0, 1], (_, self, [other]) => {
    if (other === undefined) return new Float(Math.atan(self.value));
    return other instanceof Float ? new Float(Math.atan2(self.value, other.value)) : undefined;
  })
  .method(
    'hypot',
    1,
    (_, self, [other]) => other instanceof Float ? new Float(Math.hypot(self.value, other.value)) : undefined,
  );

for (const [name, compute] of Object.entries(floatMath)) {
  floatFunctions.method(name, 0, (_, self) => new Float(compute(self.value)));
}
for (const [name, compute] of Object.entries(floatRounding)) {
  floatFunctions.property(name, (_, self) => new Float(compute(self.value)));
}

/** Number of operations that a function with an inexact result costs. */
const APPROXIMATION_COST = 500;

/** Functions with inexact results. Each has a text for the error about a value for which the function has no result. */
const decimalMath: Record<string, [compute: (value: Decimal) => Decimal | undefined, failure: string]> = {
  sin: [(value) => value.trigonometric('sin'), 'Error taking the sine of '],
  cos: [(value) => value.trigonometric('cos'), 'Error taking the cosine of '],
  tan: [(value) => value.trigonometric('tan'), 'Error taking the tangent of '],
  sqrt: [(value) => value.squareRoot(), 'Error taking the square root of '],
  exp: [(value) => value.exp(), 'Exponential overflow: e ** '],
  ln: [(value) => value.log('e'), 'Error taking the natural log of '],
  log: [(value) => value.log(10), 'Error taking the log of '],
};

const decimalRounding = {
  round_up: 'up',
  round_down: 'down',
  round_half_up: 'halfUp',
  round_half_down: 'halfDown',
} as const;

function roundDecimal(
  run: Run,
  self: Decimal,
  args: readonly RhaiValue[],
  round: (value: Decimal, places: number) => Decimal,
): Decimal | undefined {
  const places = args.length === 0 ? 0 : toNumber(args[0]);
  if (places === undefined) return undefined;
  if (places < 0) run.fail('Arithmetic', `Invalid number of digits for rounding: ${places}`);
  return round(self, Math.min(places, MAX_PLACES));
}

export const decimalFunctions = withExtremes(new NativeSet<Decimal>())
  .method('abs', 0, (_, self) => self.abs())
  .method('sign', 0, (_, self) => self.isZero() ? 0 : self.isNegative() ? -1 : 1)
  .property('is_zero', (_, self) => self.isZero())
  .property('floor', (_, self) => self.floor())
  .property('ceiling', (_, self) => self.ceil())
  .property('int', (_, self) => self.truncated())
  .property('fraction', (_, self) => self.minus(self.truncated()))
  .property('round', (run, self, args) => roundDecimal(run, self, args, (value, places) => value.rounded(places)), 1)
  .method('to_int', 0, (run, self) => intOf(run, checkedInt(self.toBigInt()), String(self)))
  .method('to_float', 0, (_, self) => new Float(self.toNumber()))
  .method('to_decimal', 0, (_, self) => self);

for (const [name, [compute, failure]] of Object.entries(decimalMath)) {
  decimalFunctions.method(name, 0, (run, self) => {
    run.charge(APPROXIMATION_COST);
    return compute(self) ?? run.fail('Arithmetic', `${failure}${self}`);
  });
}
for (const [name, rounding] of Object.entries(decimalRounding)) {
  decimalFunctions.method(
    name,
    1,
    (run, self, args) => roundDecimal(run, self, args, (value, places) => value.roundedBy(places, rounding)),
  );
}
