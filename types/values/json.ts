import { JsonLimitError, type JsonLimits, parseLosslessJson } from './json_text.ts';
import { trimTrailingZeros } from './number_text.ts';
import { jsonToValue, type LosslessJson, MAX_VALUE_DEPTH, type Value, ValueError } from './value.ts';
import { integerOfDecimal } from './conversion.ts';
import { toBytes } from './keys.ts';

/** Writes a number beyond 64 bits or with a fraction as a float: with all its digits, but without trailing zeros. */
function floatText(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole}.${trimTrailingZeros(fraction) || '0'}`;
}

const integerOrFloat = (text: string): string => integerOfDecimal(text)?.toString() ?? floatText(text);

/**
 * A value as plain (untagged) JSON text, as request bodies carry it. It is text, so that no digit is lost on the way: integers of up
 * to 64 bits are integers, also those of a decimal; other decimals and wider integers are floats; infinities and NaN, which JSON
 * lacks, null; bytes an array of their numbers.
 */
export function valueToJson(value: Value): string {
  if ('N' in value) return 'null';
  if ('S' in value) return JSON.stringify(value.S);
  if ('B' in value) return String(value.B);
  if ('U' in value) return value.U;
  if ('I' in value) return value.I;
  if ('U1' in value) return integerOrFloat(value.U1);
  if ('I1' in value) return integerOrFloat(value.I1);
  if ('D' in value) return integerOrFloat(value.D);
  if ('F' in value) return /\d/.test(value.F) ? value.F : 'null';
  if ('A' in value) return `[${value.A.map(valueToJson).join(',')}]`;
  if ('M' in value) {
    const members = Object.entries(value.M).map(([name, member]) => `${JSON.stringify(name)}:${valueToJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return `[${toBytes(value).join(',')}]`;
}

/** The fewest bytes that a tagged value takes, with the comma after it: `{"N":0}` and `,`. */
const SMALLEST_VALUE_BYTES = 8;

/** The limits for a JSON text whose value may take `maxBytes` as tagged JSON, which is longer than the text itself. */
export const jsonLimitsFor = (maxBytes: number): JsonLimits => ({
  characters: maxBytes,
  depth: MAX_VALUE_DEPTH,
  members: Math.ceil(maxBytes / SMALLEST_VALUE_BYTES),
});

/**
 * A value from plain (untagged) JSON text, without loss, that takes at most so many bytes as tagged JSON. Throws a
 * ValueError when the text is not JSON, is nested too deep, or its value would take more bytes.
 */
export function jsonTextToValue(text: string, maxBytes: number): Value {
  let json: LosslessJson;
  try {
    json = parseLosslessJson(text, jsonLimitsFor(maxBytes));
  } catch (error) {
    if (error instanceof JsonLimitError) throw new ValueError(`the JSON text ${error.message}`, []);
    throw new ValueError(`the text is not JSON: ${error instanceof Error ? error.message : error}`, []);
  }
  return jsonToValue(json);
}
