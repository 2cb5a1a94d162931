import { base58, base64 } from '@scure/base';
import { isSafeNumber, LosslessNumber } from 'lossless-json';
import { decodeBase58 } from '../base58.ts';
import { formatFloat, MAX_NUMBER_CHARACTERS, parseDecimalNumber } from '../number_text.ts';
import { integerRange, type IntegerType, PORT_TYPES, type PortTypeName } from '../port_types.ts';
import { bytesOfValue, bytesToValue, integerToValue, isStorable, type LosslessJson, type Value } from '../value.ts';
import { type JavaScriptValue, toJavaScript } from './javascript.ts';
import { fromWireJson } from './wire_json.ts';

/**
 * Readable JSON is JSON without tags, for people and programs that call flows. `values` of a start has this form.
 * Integers within 2^53 are numbers, and longer integers are texts of their digits. Decimals are texts, keys and
 * signatures are base58, and other bytes base64. A text or a number can stand for several values: the types of the port
 * determine which.
 */
export type ReadableJson = null | boolean | number | string | ReadableJson[] | { [name: string]: ReadableJson };

const isSafe = (integer: bigint): boolean => BigInt.asIntN(54, integer) === integer && integer !== -(2n ** 53n);

function readableOf(value: JavaScriptValue): ReadableJson {
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : String(value);
  // JSON has neither infinities nor NaN.
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return base64.encode(value);
  if (Array.isArray(value)) return value.map(readableOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readableOf(member)]));
}

/**
 * Writes a value of a port of these types as readable JSON. Without types, 32 bytes are written as a key, and 64 bytes
 * as a signature. Infinities and NaN, which JSON lacks, are null.
 */
export function toReadableJson(value: Value, types: readonly string[] = []): ReadableJson {
  const isBytes = types.includes('bytes') && !types.some((type) => ['pubkey', 'keypair', 'signature'].includes(type));
  const bytes = isBytes ? bytesOfValue(value) : undefined;
  return bytes === undefined ? readableOf(toJavaScript(value)) : base64.encode(bytes);
}

/** Returns the integer of a JSON number; undefined for a number with a fraction, or with too many digits. */
function wholeOf(text: string): bigint | undefined {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  if (text.length > MAX_NUMBER_CHARACTERS || Math.abs(places) > MAX_NUMBER_CHARACTERS) return undefined;
  const scaled = BigInt(whole + fraction) * 10n ** BigInt(Math.max(-places, 0));
  const unit = 10n ** BigInt(Math.max(places, 0));
  return scaled % unit === 0n ? scaled / unit : undefined;
}

const isInteger = (type: string): type is IntegerType =>
  Object.hasOwn(PORT_TYPES, type) && PORT_TYPES[type as PortTypeName].field === 'integer';

const [I64_MIN, I64_MAX] = integerRange('i64');

function integerOf(integer: bigint, type: IntegerType): Value | undefined {
  const [min, max] = integerRange(type);
  if (integer < min || integer > max) return undefined;
  if (min === 0n) return integerToValue(String(integer));
  return integer >= I64_MIN && integer <= I64_MAX ? { I: String(integer) } : { I1: String(integer) };
}

/** Numbers above this one do not round to a float of 32 bits. The bound is itself rounded up. */
const F32_END = 3.4028236e38;

/** Converts a JSON number to a value of the first of these types that can hold it. */
function fromNumber(text: string, types: readonly string[]): Value | undefined {
  const whole = wholeOf(text);
  for (const type of types) {
    if (isInteger(type)) {
      const value = whole === undefined ? undefined : integerOf(whole, type);
      if (value !== undefined) return value;
    } else if (type === 'decimal') {
      const decimal = parseDecimalNumber(text);
      if (decimal !== undefined) return { D: decimal };
    } else if (type === 'f64' || type === 'f32' && Math.abs(Number(text)) < F32_END) {
      return { F: formatFloat(Number(text)) };
    }
  }
  return undefined;
}

function bytesOf(text: string): Value | undefined {
  try {
    return bytesToValue(base64.decode(text));
  } catch {
    return undefined;
  }
}

const DIGITS = /^-?\d{1,39}(?:\.\d{1,28})?$/;

/**
 * Reads a text as a value of one of these types. If the types include `string` and a type of keys or signatures, base58
 * of the right length is read as a key or a signature.
 */
function fromText(text: string, types: readonly string[]): Value | undefined {
  const has = (...names: PortTypeName[]) => names.some((name) => types.includes(name));
  if (has('pubkey', 'keypair', 'address') && decodeBase58(text, 32) !== undefined) {
    if (has('pubkey')) return { B3: text };
    // For the type keypair, a public key stands for a wallet without a stored key. The holder of the key is asked to
    // sign.
    return has('keypair') ? { M: { public_key: { B3: text } } } : { S: text };
  }
  const pair = has('keypair', 'signature') ? decodeBase58(text, 64) : undefined;
  if (pair !== undefined) return { B6: base58.encode(pair) };
  if (has('string')) return isStorable(text) ? { S: text } : undefined;
  const bytes = has('bytes') ? bytesOf(text) : undefined;
  if (bytes !== undefined) return bytes;
  // `toReadableJson` writes no float as a text. So a text of digits is read as an integer or a decimal, never as a
  // float.
  return DIGITS.test(text) ? fromNumber(text, types.filter((type) => type !== 'f32' && type !== 'f64')) : undefined;
}

/**
 * Converts readable JSON to a value for a port of these types. The database converts `values` of a start in the same
 * way. Undefined when the JSON fits none of the types. Throws a ValueError when the JSON is nested too deep.
 */
export function fromReadableJson(json: LosslessJson, types: readonly string[], isRequired: boolean): Value | undefined {
  if (types.includes('free') || types.includes('json')) return fromWireJson(json);
  if (json === null) return isRequired ? undefined : { N: 0 };
  if (typeof json === 'boolean') return types.includes('bool') ? { B: json } : undefined;
  if (typeof json === 'string') return fromText(json, types);
  if (json instanceof LosslessNumber) return fromNumber(String(json), types);
  return types.includes(Array.isArray(json) ? 'array' : 'object') ? fromWireJson(json) : undefined;
}

/** Converts parsed JSON to JavaScript values. Throws for a number with more digits than a JavaScript number holds. */
export function javaScriptOfJson(json: LosslessJson): JavaScriptValue {
  if (json instanceof LosslessNumber) {
    const text = String(json);
    if (isSafeNumber(text)) return Number(text);
    if (/^-?\d+$/.test(text)) return BigInt(text);
    throw new Error(`${text} has more digits than a number holds. Send it as a text`);
  }
  if (Array.isArray(json)) return json.map(javaScriptOfJson);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, javaScriptOfJson(member)]));
}
