import { LosslessNumber } from 'lossless-json';
import { JsonLimitError, type JsonLimits, parseLosslessJson } from '../json_text.ts';
import { formatFloat, integerOfDecimal, parseDecimalNumber, trimTrailingZeros } from '../number_text.ts';
import {
  bytesOfValue,
  integerToValue,
  type LosslessJson,
  MAX_VALUE_DEPTH,
  type Value,
  ValueError,
  type ValueMap,
} from '../value.ts';

/**
 * Wire JSON is JSON without tags, as other servers and stored flows use it. Bodies of requests and responses, form data
 * and constants have this form. Numbers are JSON numbers of any length, and bytes are an array of numbers from 0 to
 * 255. Wire JSON names no types, so some values change when they are written and read again. For the form of `values`
 * in a start, see `readable_json.ts`.
 */

/**
 * Writes a number that has a fraction, or needs more than 64 bits, as a float. All digits stay, except trailing zeros
 * of the fraction.
 */
function floatText(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole}.${trimTrailingZeros(fraction) || '0'}`;
}

const integerOrFloat = (text: string): string => integerOfDecimal(text)?.toString() ?? floatText(text);

/**
 * Writes a value as wire JSON. The result is text, so that no digit is lost. Integers of up to 64 bits, and decimals
 * that are such integers, are written as integers. Other decimals and wider integers are written as floats. Infinities
 * and NaN, which JSON lacks, are null. Bytes become an array of numbers.
 */
export function toWireJson(value: Value): string {
  if ('N' in value) return 'null';
  if ('S' in value) return JSON.stringify(value.S);
  if ('B' in value) return String(value.B);
  if ('U' in value) return value.U;
  if ('I' in value) return value.I;
  if ('U1' in value) return integerOrFloat(value.U1);
  if ('I1' in value) return integerOrFloat(value.I1);
  if ('D' in value) return integerOrFloat(value.D);
  if ('F' in value) return /\d/.test(value.F) ? value.F : 'null';
  if ('A' in value) return `[${value.A.map(toWireJson).join(',')}]`;
  if ('M' in value) {
    const members = Object.entries(value.M).map(([name, member]) => `${JSON.stringify(name)}:${toWireJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return `[${bytesOfValue(value)?.join(',') ?? ''}]`;
}

/** The fewest bytes that a tagged value takes, with the comma after it: `{"N":0}` and `,`. */
const SMALLEST_VALUE_BYTES = 8;

/**
 * Returns the limits for a JSON text whose value may take `maxBytes` bytes as tagged JSON. The text itself may have at
 * most `maxBytes` characters, because tagged JSON is longer than the same value without tags.
 */
const jsonLimitsFor = (maxBytes: number): JsonLimits => ({
  characters: maxBytes,
  depth: MAX_VALUE_DEPTH,
  members: Math.ceil(maxBytes / SMALLEST_VALUE_BYTES),
});

/**
 * Reads a JSON number. An integer stays an integer. Any other number becomes a decimal, or a float if a decimal can't
 * hold it.
 */
function numberToValue(text: string): Value {
  if (/^-?\d+$/.test(text)) return integerToValue(text) ?? { F: formatFloat(Number(text)) };
  const decimal = parseDecimalNumber(text);
  return decimal === undefined ? { F: formatFloat(Number(text)) } : { D: decimal };
}

/**
 * Reads a value from wire JSON: an object becomes a map, a number becomes the result of `numberToValue`, and a string
 * stays a string. Throws a ValueError when the JSON is nested too deep.
 */
export function fromWireJson(
  json: LosslessJson | number,
  path: (string | number)[] = [],
  depth = MAX_VALUE_DEPTH,
): Value {
  if (depth === 0) throw new ValueError(`is nested deeper than ${MAX_VALUE_DEPTH} levels`, path);
  if (json === null) return { N: 0 };
  if (typeof json === 'boolean') return { B: json };
  if (typeof json === 'string') return { S: json };
  if (typeof json === 'number' || json instanceof LosslessNumber) return numberToValue(String(json));
  if (Array.isArray(json)) return { A: json.map((member, index) => fromWireJson(member, [...path, index], depth - 1)) };
  const map: ValueMap = Object.create(null);
  for (const [name, member] of Object.entries(json)) map[name] = fromWireJson(member, [...path, name], depth - 1);
  return { M: map };
}

/**
 * Reads a value from the text of wire JSON, without loss. Throws a ValueError when the text is not JSON, is nested too
 * deep, or its value would take more than `maxBytes` as tagged JSON.
 */
export function fromWireJsonText(text: string, maxBytes: number): Value {
  let json: LosslessJson;
  try {
    json = parseLosslessJson(text, jsonLimitsFor(maxBytes));
  } catch (error) {
    if (error instanceof JsonLimitError) throw new ValueError(`the JSON text ${error.message}`, []);
    throw new ValueError(`the text is not JSON: ${error instanceof Error ? error.message : error}`, []);
  }
  return fromWireJson(json);
}
