import { base58, base64 } from '@scure/base';
import type { LosslessNumber } from 'lossless-json';
import { decodeBase58 } from './base58.ts';
import { floatToPlainText, parseDecimal, parseFloatText, parseInteger } from './number_text.ts';
import { valueLimits } from '../limits/values.ts';

/**
 * A value of the flow runtime: a JSON object with exactly one key, its tag. Numbers are written as strings.
 *
 * `N` null · `S` string · `B` boolean · `U`/`I` 64-bit and `U1`/`I1` 128-bit integers (U: unsigned) · `F` float · `D`
 * decimal · `B3`/`B6` 32 and 64 bytes in base58 · `BY` other bytes in base64 · `A` array · `M` map.
 */
export type Value =
  | { N: 0 }
  | { S: string }
  | { B: boolean }
  | { U: string }
  | { I: string }
  | { U1: string }
  | { I1: string }
  | { F: string }
  | { D: string }
  | { B3: string }
  | { B6: string }
  | { BY: string }
  | { A: Value[] }
  | { M: ValueMap };

/** Values by name: inputs and outputs of a flow or a node. */
export type ValueMap = { [name: string]: Value };

/** The most levels of `A` and `M` in a value. */
export const MAX_VALUE_DEPTH = valueLimits.value_levels.value;

const U64_MAX = 2n ** 64n - 1n;
const I64_MIN = -(2n ** 63n);
const U128_MAX = 2n ** 128n - 1n;
const I128_MIN = -(2n ** 127n);

/** The error of an invalid value. Its message contains the path. */
export class ValueError extends Error {
  override name = 'ValueError';
  reason: string;
  path: (string | number)[];
  constructor(reason: string, path: (string | number)[]) {
    super(path.length === 0 ? reason : `${path.join('.')}: ${reason}`);
    this.reason = reason;
    this.path = path;
  }
}

/** True for a JSON object: neither a list nor null. */
export const isObject = (json: unknown): json is Record<string, unknown> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** True for text that Postgres can store and JSON can carry: no NUL, no lone surrogate (RFC 7493, section 2.1). */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Decodes base64, whose padding may be missing; undefined for any other text. */
function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return base64.decode(text.padEnd(Math.ceil(text.length / 4) * 4, '='));
  } catch {
    return undefined;
  }
}

/** Makes the value of bytes: 32 and 64 bytes have tags of their own. */
export function bytesToValue(bytes: Uint8Array): Value {
  if (bytes.length === 32) return { B3: base58.encode(bytes) };
  if (bytes.length === 64) return { B6: base58.encode(bytes) };
  return { BY: base64.encode(bytes) };
}

/** Returns the bytes that a value holds; undefined if its tag is not B3, B6 or BY. */
export function bytesOfValue(value: Value): Uint8Array | undefined {
  if ('B3' in value) return decodeBase58(value.B3, 32);
  if ('B6' in value) return decodeBase58(value.B6, 64);
  return 'BY' in value ? base64.decode(value.BY) : undefined;
}

/**
 * For each tag with a string payload: a description of valid texts, and a decoder. The decoder returns the canonical
 * value, or undefined for an invalid text.
 */
const textTags: Record<string, { expected: string; decode: (text: string) => Value | undefined }> = {
  S: {
    expected: 'a string without NUL and lone surrogates',
    decode: (text) => isStorable(text) ? { S: text } : undefined,
  },
  U: {
    expected: 'an integer from 0 to 2^64-1, as a string',
    decode: (text) => wrap('U', parseInteger(text, 0n, U64_MAX)),
  },
  I: {
    expected: 'an integer from -2^63 to 2^63-1, as a string',
    decode: (text) => wrap('I', parseInteger(text, I64_MIN, -I64_MIN - 1n)),
  },
  U1: {
    expected: 'an integer from 0 to 2^128-1, as a string',
    decode: (text) => wrap('U1', parseInteger(text, 0n, U128_MAX)),
  },
  I1: {
    expected: 'an integer from -2^127 to 2^127-1, as a string',
    decode: (text) => wrap('I1', parseInteger(text, I128_MIN, -I128_MIN - 1n)),
  },
  F: { expected: 'a float, as a string', decode: (text) => wrap('F', parseFloatText(text)) },
  D: {
    expected: 'a plain decimal of 96 bits and at most 28 places, as a string',
    decode: (text) => wrap('D', parseDecimal(text)),
  },
  B3: {
    expected: 'base58 of 32 bytes',
    decode: (text) => decodeBase58(text, 32) ? { B3: text } : undefined,
  },
  B6: {
    expected: 'base58 of 64 bytes',
    decode: (text) => decodeBase58(text, 64) ? { B6: text } : undefined,
  },
  BY: {
    expected: 'bytes in base64',
    decode: (text) => {
      const bytes = decodeBase64(text);
      return bytes && bytesToValue(bytes);
    },
  },
};

const TAGS = 'S, N, B, U, I, U1, I1, F, D, B3, B6, BY, A and M';

const wrap = (tag: 'U' | 'I' | 'U1' | 'I1' | 'F' | 'D', text: string | undefined): Value | undefined =>
  // SAFETY: each of these tags holds a string.
  text === undefined ? undefined : { [tag]: text } as Value;

/**
 * Reads a value from its JSON and returns its canonical form. In canonical form, numbers have no `+` and no leading
 * zeros, floats have their shortest form, and 32 and 64 bytes have their own tags. Throws a ValueError that names the
 * path of an invalid value.
 */
export function decodeValue(json: unknown, path: (string | number)[] = [], depth = MAX_VALUE_DEPTH): Value {
  if (depth === 0) throw new ValueError(`is nested deeper than ${MAX_VALUE_DEPTH} levels`, path);
  const tags = isObject(json) ? Object.keys(json) : [];
  const [tag] = tags;
  if (!isObject(json) || tag === undefined || tags.length !== 1) {
    throw new ValueError('must be an object with exactly one tag, such as {"S": "text"}', path);
  }
  const payload = json[tag];
  const inner = [...path, tag];
  const text = Object.hasOwn(textTags, tag) ? textTags[tag] : undefined;
  if (text !== undefined) {
    const value = typeof payload === 'string' ? text.decode(payload) : undefined;
    if (value === undefined) throw new ValueError(`must be ${text.expected}`, inner);
    return value;
  }
  switch (tag) {
    case 'N':
      if (payload !== 0) throw new ValueError('must be 0', inner);
      return { N: 0 };
    case 'B':
      if (typeof payload !== 'boolean') throw new ValueError('must be true or false', inner);
      return { B: payload };
    case 'A':
      if (!Array.isArray(payload)) throw new ValueError('must be an array', inner);
      return { A: payload.map((member, index) => decodeValue(member, [...inner, index], depth - 1)) };
    case 'M':
      return { M: decodeValueMap(payload, inner, depth - 1) };
    default:
      throw new ValueError(`there is no tag ${JSON.stringify(tag)}; the tags are ${TAGS}`, path);
  }
}

/** Reads values by name from their JSON. Throws a ValueError that names the path of an invalid value. */
export function decodeValueMap(json: unknown, path: (string | number)[] = [], depth = MAX_VALUE_DEPTH): ValueMap {
  if (!isObject(json)) throw new ValueError('must be an object of values', path);
  // The map has no prototype, because a member may be called __proto__.
  const map: ValueMap = Object.create(null);
  for (const [name, member] of Object.entries(json)) {
    if (!isStorable(name)) throw new ValueError('a name holds NUL or a lone surrogate', path);
    map[name] = decodeValue(member, [...path, name], depth);
  }
  return map;
}

/** An integer as the value of the smallest tag that holds it; undefined beyond 128 bits. */
export function integerToValue(text: string): Value | undefined {
  return wrap('U', parseInteger(text, 0n, U64_MAX)) ?? wrap('I', parseInteger(text, I64_MIN, -1n)) ??
    wrap('U1', parseInteger(text, 0n, U128_MAX)) ?? wrap('I1', parseInteger(text, I128_MIN, -1n));
}

/** JSON as parsed without loss: numbers keep their source text. */
export type LosslessJson = null | boolean | string | LosslessNumber | LosslessJson[] | {
  [name: string]: LosslessJson;
};

/**
 * Formats a value as the nodes `print` and `to_string` do. Texts and numbers have no tags, 32 and 64 bytes are base58,
 * and other values are tagged JSON.
 */
export function valueToText(value: Value): string {
  if ('S' in value) return value.S;
  if ('F' in value) return floatToPlainText(value.F);
  for (const tag of ['U', 'I', 'U1', 'I1', 'D', 'B3', 'B6'] as const) {
    if (tag in value) return (value as Record<string, string>)[tag] ?? '';
  }
  return JSON.stringify(value, null, 2);
}
