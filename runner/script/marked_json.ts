import { hex } from '@scure/base';
import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import { type JavaScriptValue, toJavaScript } from '../../types/values/json/javascript.ts';
import { fromReadableJson } from '../../types/values/json/readable_json.ts';
import { PORT_TYPES } from '../../types/values/port_types.ts';
import {
  bytesOfValue,
  bytesToValue,
  integerToValue,
  type LosslessJson,
  type Value,
  ValueError,
} from '../../types/values/value.ts';

/**
 * Marked JSON carries values into the sandbox and out of it. It is JSON in which an object with one member marks a
 * value that JSON lacks: `{"o": members}` an object, `{"i": digits}` an integer beyond 2^53, `{"b": hex digits}` bytes,
 * `{"f": text}` NaN and infinities. `runner/script/guest/values.js` reads and writes marked JSON inside the sandbox.
 */
export type MarkedJson =
  | null
  | boolean
  | number
  | string
  | MarkedJson[]
  | { o: { [name: string]: MarkedJson } }
  | { i: string }
  | { b: string }
  | { f: string };

const isSafe = (integer: bigint): boolean =>
  BigInt(Number(integer)) === integer && Number.isSafeInteger(Number(integer));

function mark(value: JavaScriptValue): MarkedJson {
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : { i: String(value) };
  if (typeof value === 'number') return Number.isFinite(value) ? value : { f: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return { b: hex.encode(value) };
  if (Array.isArray(value)) return value.map(mark);
  return markMembers(Object.entries(value).map(([name, member]) => [name, mark(member)]));
}

export const markMembers = (members: (readonly [string, MarkedJson])[]): { o: { [name: string]: MarkedJson } } => ({
  // fromEntries makes an own member of a name such as __proto__.
  o: Object.fromEntries(members),
});

const NUMBERS = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'i128', 'f32', 'f64'];

/**
 * Converts a decimal to a number, for a port that declares numbers. Undefined if the decimal is beyond 2^53 and has a
 * fraction, which no number can hold.
 */
function numberOf(decimal: string): number | bigint | undefined {
  const number = Number(decimal);
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  return /^-?\d+$/.test(decimal) ? BigInt(decimal) : undefined;
}

/**
 * Converts the value of an input to marked JSON. If the input declares a type of numbers, a decimal becomes a number,
 * otherwise its text. If the input declares bytes but no keys, 32 or 64 bytes stay bytes, otherwise they become base58.
 */
export function toMarked(value: Value, types: readonly string[] = []): MarkedJson {
  if ('D' in value && types.some((type) => NUMBERS.includes(type))) {
    const number = numberOf(value.D);
    if (number !== undefined) return mark(number);
  }
  const isBytes = types.includes('bytes') && !types.some((type) => ['pubkey', 'keypair', 'signature'].includes(type));
  const bytes = isBytes ? bytesOfValue(value) : undefined;
  return mark(bytes ?? toJavaScript(value));
}

/** A member of parsed marked JSON. */
const member = (json: LosslessJson, name: string): LosslessJson | undefined =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !isLosslessNumber(json) &&
    Object.hasOwn(json, name)
    ? (json as { [name: string]: LosslessJson })[name]
    : undefined;

/**
 * Reads parsed marked JSON as a value for an output of this type. Undefined if the JSON does not fit the type. Every
 * part is checked, because the guest wrote the JSON, and the author's code may have changed the guest.
 */
export function fromMarked(json: LosslessJson, declared: string): Value | undefined {
  // Editors may declare types that the runner does not know.
  const type = Object.hasOwn(PORT_TYPES, declared) ? declared : 'free';
  if (Array.isArray(json)) {
    return holds(type, 'array') ? { A: json.map((each) => required(fromMarked(each, 'free'))) } : undefined;
  }
  const members = member(json, 'o');
  if (members !== undefined) return holds(type, 'object') ? { M: membersOf(members) } : undefined;
  const digits = member(json, 'i');
  if (typeof digits === 'string') return fromInteger(digits, type);
  const bytes = member(json, 'b');
  if (typeof bytes === 'string') return fromBytes(bytes, type);
  const float = member(json, 'f');
  if (typeof float === 'string') return holds(type, 'f64', 'f32') ? { F: float.replace('Infinity', 'inf') } : undefined;
  return fromReadableJson(json, [type], false);
}

/** True if an output of this type may hold a value of one of these types. */
const holds = (type: string, ...types: string[]): boolean => ['free', 'json', ...types].includes(type);

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new ValueError('holds an integer that is wider than 128 bits', []);
  return value;
}

function membersOf(json: LosslessJson): { [name: string]: Value } {
  // The map has no prototype, because a member may be called __proto__.
  const map: { [name: string]: Value } = Object.create(null);
  for (const [name, each] of Object.entries(json as object)) {
    map[name] = required(fromMarked(each as LosslessJson, 'free'));
  }
  return map;
}

function fromInteger(digits: string, type: string): Value | undefined {
  if (!/^-?\d{1,40}$/.test(digits)) return undefined;
  return holds(type) ? integerToValue(digits) : fromReadableJson(new LosslessNumber(digits), [type], false);
}

function fromBytes(digits: string, type: string): Value | undefined {
  const value = bytesToValue(hex.decode(digits));
  const fits = holds(type, 'bytes') || 'B3' in value && type === 'pubkey' ||
    'B6' in value && (type === 'keypair' || type === 'signature');
  return fits ? value : undefined;
}
