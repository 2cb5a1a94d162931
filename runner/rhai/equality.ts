import { Decimal } from '../../types/values/decimal.ts';
import {
  Blob,
  compareText,
  Float,
  FnPointer,
  isInt,
  isText,
  Range,
  RhaiArray,
  RhaiMap,
  type RhaiValue,
  textOf,
} from './values.ts';

/** Converts an integer to a decimal. Every integer of 64 bits fits a decimal. */
export function intToDecimal(value: number | bigint): Decimal {
  const decimal = Decimal.fromBigInt(BigInt(value));
  if (decimal === undefined) throw new TypeError(`${value} is not a 64-bit integer`);
  return decimal;
}

/**
 * Compares two values: negative, zero or positive, and NaN if a float is NaN. Undefined if their types can't be
 * compared, such as a float and a decimal.
 */
export function compareValues(left: RhaiValue, right: RhaiValue): number | undefined {
  if (isInt(left) && isInt(right)) return left < right ? -1 : left > right ? 1 : 0;
  if (isText(left) && isText(right)) return compareText(textOf(left), textOf(right));
  if (left instanceof Float || right instanceof Float) {
    const [a, b] = [asFloat(left), asFloat(right)];
    return a === undefined || b === undefined ? undefined : a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN;
  }
  if (left instanceof Decimal || right instanceof Decimal) {
    const a = left instanceof Decimal ? left : isInt(left) ? intToDecimal(left) : undefined;
    const b = right instanceof Decimal ? right : isInt(right) ? intToDecimal(right) : undefined;
    return a === undefined || b === undefined ? undefined : a.compare(b);
  }
  return typeof left === 'boolean' && typeof right === 'boolean' ? Number(left) - Number(right) : undefined;
}

/** Two floats count as equal if their difference, divided by the greater one, is below this limit. */
const EPSILON = Number.EPSILON;

/**
 * Compares two floats for operators. As in Rhai, floats are equal if they differ by less than the precision of the
 * greater one, so 0.1 + 0.2 equals 0.3. If one of the floats is zero, the difference itself must be below the limit.
 */
function compareFloats(a: number, b: number): number {
  if (a === b) return 0;
  const scale = a === 0 || b === 0 ? 1 : Math.max(Math.abs(a), Math.abs(b));
  if (scale !== Infinity && Math.abs(a - b) < scale * EPSILON) return 0;
  return a < b ? -1 : a > b ? 1 : NaN;
}

const asFloat = (value: RhaiValue): number | undefined =>
  value instanceof Float ? value.value : isInt(value) ? Number(value) : undefined;

/** Compares like `compareValues`, but for operators, which ignore the last digits of floats. */
export function compareOperands(left: RhaiValue, right: RhaiValue): number | undefined {
  if (!(left instanceof Float) && !(right instanceof Float)) return compareValues(left, right);
  const [a, b] = [asFloat(left), asFloat(right)];
  return a === undefined || b === undefined ? undefined : compareFloats(a, b);
}

/**
 * True if two values are equal. Values of different types are equal only if both are numbers, or a character and a
 * string.
 */
export function equalValues(left: RhaiValue, right: RhaiValue): boolean {
  if (left === right) return !(left instanceof Float && Number.isNaN(left.value));
  if (typeof left === 'string' && typeof right === 'string') return false;
  const order = compareOperands(left, right);
  if (order !== undefined) return order === 0;
  if (left instanceof RhaiArray && right instanceof RhaiArray) {
    const { items } = right;
    return left.items.length === items.length &&
      left.items.every((item, index) => equalValues(item, items[index] ?? null));
  }
  if (left instanceof RhaiMap && right instanceof RhaiMap) {
    const { properties } = right;
    return left.properties.size === properties.size &&
      [...left.properties].every(([key, value]) =>
        properties.has(key) && equalValues(value, properties.get(key) ?? null)
      );
  }
  if (left instanceof Blob && right instanceof Blob) {
    const { bytes } = right;
    return left.bytes.length === bytes.length && left.bytes.every((byte, index) => byte === bytes[index]);
  }
  if (left instanceof Range && right instanceof Range) {
    return left.start === right.start && left.end === right.end && left.isInclusive === right.isInclusive;
  }
  return left instanceof FnPointer && right instanceof FnPointer && left.name === right.name;
}

/** True if a value equals a literal and has the same type, because `switch` distinguishes 1 from 1.0. */
export const matchesLiteral = (value: RhaiValue, literal: RhaiValue): boolean => {
  if (literal instanceof Range && isNumber(value)) return spans(literal, value);
  if (literal instanceof RhaiArray) {
    return value instanceof RhaiArray && value.items.length === literal.items.length &&
      literal.items.every((item, index) => matchesLiteral(value.items[index] ?? null, item));
  }
  if (literal instanceof RhaiMap) {
    return value instanceof RhaiMap && value.properties.size === literal.properties.size &&
      [...literal.properties].every(([key, item]) =>
        value.properties.has(key) && matchesLiteral(value.properties.get(key) ?? null, item)
      );
  }
  if (literal instanceof Float) return value instanceof Float && value.value === literal.value;
  if (typeof literal === 'object' && literal !== null && literal.constructor !== value?.constructor) return false;
  return typeof literal === typeof value || (isInt(literal) && isInt(value)) ? equalValues(value, literal) : false;
};

const isNumber = (value: RhaiValue): value is number | bigint | Float | Decimal =>
  isInt(value) || value instanceof Float || value instanceof Decimal;

/** True if a range includes a number of any type. */
function spans({ start, end, isInclusive }: Range, value: RhaiValue): boolean {
  const [fromStart, toEnd] = [compareValues(value, start) ?? NaN, compareValues(value, end) ?? NaN];
  return fromStart >= 0 && (isInclusive ? toEnd <= 0 : toEnd < 0);
}

export const rangeContains = ({ start, end, isInclusive }: Range, value: number | bigint): boolean =>
  value >= start && (isInclusive ? value <= end : value < end);
