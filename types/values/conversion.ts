import { Decimal } from './decimal.ts';
import type { Value, ValueMap } from './value.ts';

/**
 * Says that a value is not what a node wants. The message names the input, and never quotes text or bytes, which may be
 * a secret.
 */
export class ConversionError extends Error {
  override name = 'ConversionError';
  reason: string;
  /** The input's name; undefined until the conversion knows whose value it is. */
  input: string | undefined;
  constructor(reason: string, input?: string) {
    super(input === undefined ? reason : `${input}: ${reason}`);
    this.reason = reason;
    this.input = input;
  }
}

/** Turns a value into what a node wants; throws a ConversionError. */
export type Convert<T> = (value: Value) => T;

function describe(value: Value): string {
  if ('N' in value) return 'unit value';
  if ('B' in value) return `boolean \`${value.B}\``;
  if ('U' in value) return `integer \`${value.U}\``;
  if ('I' in value) return `integer \`${value.I}\``;
  if ('U1' in value) return `integer \`${value.U1}\` as u128`;
  if ('I1' in value) return `integer \`${value.I1}\` as i128`;
  if ('F' in value) return `floating point \`${value.F}\``;
  if ('D' in value) return `decimal \`${value.D}\``;
  if ('S' in value) return 'string';
  if ('A' in value) return 'sequence';
  if ('M' in value) return 'map';
  return 'byte array';
}

/** The error for a value whose tag can't be converted. */
export const invalidType = (value: Value, expected: string): ConversionError =>
  new ConversionError(`invalid type: ${describe(value)}, expected ${expected}`);

/** The error for a value whose tag can be converted, but which is out of range or malformed. */
export const invalidValue = (value: Value, expected: string): ConversionError =>
  new ConversionError(`invalid value: ${describe(value)}, expected ${expected}`);

export type IntegerType = `${'u' | 'i'}${8 | 16 | 32 | 64 | 128}`;

const rangeOf = (type: IntegerType): [min: bigint, max: bigint] => {
  const bits = BigInt(type.slice(1));
  return type.startsWith('u') ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
};

const [I64_MIN] = rangeOf('i64');
const [, U64_MAX] = rangeOf('u64');

/** The integer that a decimal stands for; undefined when it has a fraction other than 0 or is wider than 64 bits. */
export function integerOfDecimal(text: string): bigint | undefined {
  const whole = /^(-?\d+)(?:\.0*)?$/.exec(text)?.[1];
  const integer = whole === undefined ? undefined : BigInt(whole);
  return integer === undefined || integer < I64_MIN || integer > U64_MAX ? undefined : integer;
}

/**
 * Makes the conversion to an integer type. Only the 128-bit types accept integers of 128 bits. Floats and texts are
 * refused.
 */
export function toInteger(type: IntegerType): Convert<bigint> {
  const [min, max] = rangeOf(type);
  const isWide = type.endsWith('128');
  const read = (value: Value): bigint | undefined => {
    if ('U' in value) return BigInt(value.U);
    if ('I' in value) return BigInt(value.I);
    if ('D' in value) return integerOfDecimal(value.D);
    if (isWide && 'U1' in value) return BigInt(value.U1);
    if (isWide && 'I1' in value) return BigInt(value.I1);
    throw invalidType(value, type);
  };
  return (value) => {
    const integer = read(value);
    if (integer === undefined || integer < min || integer > max) throw invalidValue(value, type);
    return integer;
  };
}

/** The nearest float. */
export function toF64(value: Value): number {
  if ('U' in value) return Number(value.U);
  if ('I' in value) return Number(value.I);
  if ('D' in value) return Number(value.D);
  if ('F' in value) return Number(value.F.replace('inf', 'Infinity'));
  throw invalidType(value, 'f64');
}

/** The float of 32 bits that is nearest to the value's `toF64`. */
export const toF32 = (value: Value): number => Math.fround(toF64(value));

/** A decimal. A text may have an exponent and white space around it. A number with too many places is rounded. */
export function toDecimal(value: Value): Decimal {
  const read = (): Decimal | undefined => {
    if ('D' in value) return Decimal.parse(value.D);
    if ('U' in value) return Decimal.parse(value.U);
    if ('I' in value) return Decimal.parse(value.I);
    if ('F' in value) return Decimal.fromNumber(toF64(value));
    if ('S' in value) return Decimal.parseNumber(value.S.trim());
    throw invalidType(value, 'a decimal');
  };
  const decimal = read();
  if (decimal === undefined) throw invalidValue(value, 'a decimal');
  return decimal;
}

export function toBoolean(value: Value): boolean {
  if ('B' in value) return value.B;
  throw invalidType(value, 'a boolean');
}

/** A text. Numbers and keys are refused; the node to_string makes texts of them. */
export function toText(value: Value): string {
  if ('S' in value) return value.S;
  throw invalidType(value, 'a string');
}

/** An array. No other value is converted to one. */
export function toArray(value: Value): Value[] {
  if ('A' in value) return value.A;
  throw invalidType(value, 'a sequence');
}

function missingField(name: string): ConversionError {
  const error = new ConversionError(`missing field \`${name}\``);
  error.input = name;
  return error;
}

function convertField<T>(name: string, value: Value, convert: Convert<T>): T {
  try {
    return convert(value);
  } catch (error) {
    throw error instanceof ConversionError ? new ConversionError(error.reason, name) : error;
  }
}

/** A required field of a map of values, such as a node's inputs. Throws a ConversionError that names it. */
export function readField<T>(fields: ValueMap, name: string, convert: Convert<T>): T {
  const value = fields[name];
  if (value === undefined) throw missingField(name);
  return convertField(name, value, convert);
}

/** An optional field: undefined when it is absent or null. */
export function readOptionalField<T>(fields: ValueMap, name: string, convert: Convert<T>): T | undefined {
  const value = fields[name];
  return value === undefined || 'N' in value ? undefined : convertField(name, value, convert);
}

/** A field with a default for when it is absent. It is not optional: null is converted like any value, which most types refuse. */
export function readFieldOr<T>(fields: ValueMap, name: string, fallback: T, convert: Convert<T>): T {
  const value = fields[name];
  return value === undefined ? fallback : convertField(name, value, convert);
}
