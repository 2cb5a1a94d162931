import { Decimal } from './decimal.ts';
import { integerOfDecimal } from './number_text.ts';
import { type Conversion, conversionOf, integerRange, type IntegerType, type PortTypeName } from './port_types.ts';
import type { Value, ValueMap } from './value.ts';

/**
 * The error of a value that a node can't use. The message names the input, and never quotes text or bytes, which may be
 * a secret.
 */
export class ConversionError extends Error {
  override name = 'ConversionError';
  reason: string;
  /** The name of the input that had the value; undefined until `convertField` adds the name. */
  input: string | undefined;
  constructor(reason: string, input?: string) {
    super(input === undefined ? reason : `${input}: ${reason}`);
    this.reason = reason;
    this.input = input;
  }
}

/** Converts a value to the form that a node needs; throws a ConversionError. */
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

/** The error for a value of a tag that the type refuses. */
export const invalidType = (value: Value, expected: string): ConversionError =>
  new ConversionError(`invalid type: ${describe(value)}, expected ${expected}`);

/** The error for a value of a tag that the type accepts, if the value is out of range or malformed. */
export const invalidValue = (value: Value, expected: string): ConversionError =>
  new ConversionError(`invalid value: ${describe(value)}, expected ${expected}`);

/** Returns the way in which a type converts a value. Throws a ConversionError if the type refuses the value's tag. */
export function wayOf(type: PortTypeName, value: Value, expected: string): Conversion {
  const way = conversionOf(type, value);
  if (way === undefined) throw invalidType(value, expected);
  return way;
}

// SAFETY: callers pass only values of tags whose payload is a string.
const textOf = (value: Value): string => Object.values(value)[0] as string;

/**
 * Makes the conversion to an integer type. The conversion refuses floats and texts. Types of up to 64 bits also refuse
 * integers of 128 bits.
 */
export function toInteger(type: IntegerType): Convert<bigint> {
  const [min, max] = integerRange(type);
  return (value) => {
    const isDecimal = wayOf(type, value, type) === 'wholeDecimal';
    const integer = isDecimal ? integerOfDecimal(textOf(value)) : BigInt(textOf(value));
    if (integer === undefined || integer < min || integer > max) throw invalidValue(value, type);
    return integer;
  };
}

/** The nearest float. */
export function toF64(value: Value): number {
  wayOf('f64', value, 'f64');
  return Number(textOf(value).replace('inf', 'Infinity'));
}

/** Converts to the 32-bit float that is nearest to the result of `toF64`. */
export const toF32 = (value: Value): number => Math.fround(toF64(value));

/** A decimal. A text may have an exponent, and white space at both ends. A number with too many places is rounded. */
export function toDecimal(value: Value): Decimal {
  const read: { [way in Conversion]?: () => Decimal | undefined } = {
    same: () => Decimal.parse(textOf(value)),
    nearestDecimal: () => Decimal.fromNumber(toF64(value)),
    numberText: () => Decimal.parseNumber(textOf(value).trim()),
  };
  const decimal = read[wayOf('decimal', value, 'a decimal')]?.();
  if (decimal === undefined) throw invalidValue(value, 'a decimal');
  return decimal;
}

/** Makes a conversion that returns the payload of the tag unchanged. */
const toPayload = <T>(type: PortTypeName, expected: string): Convert<T> => (value) => {
  wayOf(type, value, expected);
  // SAFETY: the type takes only the tag with this payload.
  return Object.values(value)[0] as T;
};

export const toBoolean = toPayload<boolean>('bool', 'a boolean');

/** Converts to a text. Refuses numbers and keys, which the node to_string converts. */
export const toText = toPayload<string>('string', 'a string');

/** Makes a conversion from a name to the member of `known` with this name. */
export function toMember<Member>(known: { readonly [name: string]: Member }, separator = ', '): Convert<Member> {
  return (value) => {
    const name = toText(value);
    if (!Object.hasOwn(known, name)) {
      throw new ConversionError(`must be one of ${Object.keys(known).join(separator)}`);
    }
    // SAFETY: `name` is an own member of `known`.
    return known[name] as Member;
  };
}

/** Converts an array; refuses every other value. */
export const toArray = toPayload<Value[]>('array', 'a sequence');

/** Converts a map; refuses every other value. */
export const toMap = toPayload<ValueMap>('object', 'a map');

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

/**
 * Converts a required field of a map of values, such as a node's inputs. Throws a ConversionError with the field's
 * name.
 */
export function readField<T>(fields: ValueMap, name: string, convert: Convert<T>): T {
  const value = fields[name];
  if (value === undefined) throw missingField(name);
  return convertField(name, value, convert);
}

/** Converts an optional field; undefined if the field is absent or null. */
export function readOptionalField<T>(fields: ValueMap, name: string, convert: Convert<T>): T | undefined {
  const value = fields[name];
  return value === undefined || 'N' in value ? undefined : convertField(name, value, convert);
}

/**
 * Converts a field, or returns a default if the field is absent. Null does not count as absent, and most types refuse
 * it.
 */
export function readFieldOr<T>(fields: ValueMap, name: string, fallback: T, convert: Convert<T>): T {
  const value = fields[name];
  return value === undefined ? fallback : convertField(name, value, convert);
}
