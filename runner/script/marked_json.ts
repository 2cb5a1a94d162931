import { base64, hex } from '@scure/base';
import { isLosslessNumber, LosslessNumber } from 'lossless-json';
import { fromReadableJson } from '../../types/values/json/readable_json.ts';
import { numberOfDigits, plainDigits } from '../../types/values/number_text.ts';
import { PORT_TYPES } from '../../types/values/port_types.ts';
import { bytesOfValue, bytesToValue, type LosslessJson, type Value, ValueError } from '../../types/values/value.ts';
import type { SandboxCode } from '../engine/node.ts';
import type { FormOf } from './number_forms.ts';

/**
 * Marked JSON carries values into the sandbox and out of it. It is JSON in which an object with one member marks a
 * value that JSON lacks: `{"o": members}` an object, `{"i": digits}` a bigint, `{"d": digits}` a number that keeps its
 * digits, `{"b": hex digits}` bytes, `{"f": text}` NaN and infinities. `runner/script/guest/values.js` reads and writes
 * marked JSON inside the sandbox.
 */
type MarkedJson =
  | null
  | boolean
  | number
  | string
  | MarkedJson[]
  | { o: { [name: string]: MarkedJson } }
  | { i: string }
  | { d: string }
  | { b: string }
  | { f: string };

/** The kinds of code by the way in which they read numbers. */
type Library = SandboxCode['library'];

const markFloat = (number: number): MarkedJson => Number.isFinite(number) ? number : { f: String(number) };

/** Marks an integer beyond 2^53: JavaScript has bigints, and the libraries do not know them. */
function markInteger(digits: string, library: Library): MarkedJson {
  return numberOfDigits(digits) ?? (library === 'javascript' ? { i: digits } : { d: digits });
}

/** Marks a decimal. The libraries that write texts write its own text. */
function markDecimal(text: string, library: Library): MarkedJson {
  if (library === 'mustache' || library === 'csv') return { d: text };
  const digits = plainDigits(text);
  return digits.includes('.') ? numberOfDigits(digits) ?? { d: digits } : markInteger(digits, library);
}

function mark(value: Value, library: Library): MarkedJson {
  if ('N' in value) return null;
  if ('S' in value) return value.S;
  if ('B' in value) return value.B;
  if ('F' in value) return markFloat(Number(value.F.replace('inf', 'Infinity')));
  if ('D' in value) return markDecimal(value.D, library);
  if ('B3' in value) return value.B3;
  if ('B6' in value) return value.B6;
  if ('BY' in value) return markBytes(base64.decode(value.BY));
  if ('A' in value) return value.A.map((member) => mark(member, library));
  if ('M' in value) return markMembers(Object.entries(value.M).map(([name, member]) => [name, mark(member, library)]));
  // SAFETY: only the tags of integers are left.
  const [digits] = Object.values(value) as [string];
  return markInteger(digits, library);
}

const markBytes = (bytes: Uint8Array): MarkedJson => ({ b: hex.encode(bytes) });

export const markMembers = (members: (readonly [string, MarkedJson])[]): { o: { [name: string]: MarkedJson } } => ({
  // fromEntries makes an own member of a name such as __proto__.
  o: Object.fromEntries(members),
});

/** True if the input declares floats, but no type that keeps all digits of a decimal. */
const isFloat = (types: readonly string[]): boolean =>
  types.some((type) => type === 'f64' || type === 'f32') &&
  !types.some((type) => type === 'decimal' || type === 'free' || type === 'json');

/**
 * Converts the value of an input to marked JSON. If the input declares floats, a decimal becomes the nearest number. If
 * the input declares bytes but no keys, 32 or 64 bytes stay bytes, otherwise they become base58.
 */
export function toMarked(value: Value, types: readonly string[], library: Library): MarkedJson {
  if ('D' in value && isFloat(types)) return Number(value.D);
  const isBytes = types.includes('bytes') && !types.some((type) => ['pubkey', 'keypair', 'signature'].includes(type));
  const bytes = isBytes ? bytesOfValue(value) : undefined;
  return bytes === undefined ? mark(value, library) : markBytes(bytes);
}

/** A member of parsed marked JSON. */
const member = (json: LosslessJson, name: string): LosslessJson | undefined =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !isLosslessNumber(json) &&
    Object.hasOwn(json, name)
    ? (json as { [name: string]: LosslessJson })[name]
    : undefined;

/**
 * Reads parsed marked JSON as a value for an output of this type. `formOf` gives the tags of numbers that no type
 * decides. Undefined if the JSON does not fit the type. Every part is checked, because the guest wrote the JSON, and the
 * author's code may have changed the guest.
 */
export function fromMarked(json: LosslessJson, declared: string, formOf: FormOf): Value | undefined {
  // Editors may declare types that the runner does not know.
  const type = Object.hasOwn(PORT_TYPES, declared) ? declared : 'free';
  const members = (each: LosslessJson): Value => required(fromMarked(each, 'free', formOf));
  if (Array.isArray(json)) return holds(type, 'array') ? { A: json.map(members) } : undefined;
  const map = member(json, 'o');
  if (map !== undefined) return holds(type, 'object') ? { M: mapOf(map, members) } : undefined;
  const number = numberIn(json);
  if (number !== undefined) return fromNumber(number, type, formOf);
  const bytes = member(json, 'b');
  if (typeof bytes === 'string') return fromBytes(bytes, type);
  const float = member(json, 'f');
  if (typeof float === 'string') return holds(type, 'f64', 'f32') ? { F: float.replace('Infinity', 'inf') } : undefined;
  return fromReadableJson(json, [type], false);
}

const tagOf = (value: Value): string => Object.keys(value)[0]!;

/** Reads a number for an output of this type. If the type decides only the tag, an input's text stays. */
function fromNumber(number: string, type: string, formOf: FormOf): Value | undefined {
  const form = formOf(number);
  if (holds(type)) return form;
  const typed = fromReadableJson(new LosslessNumber(number), [type], false);
  return typed !== undefined && tagOf(typed) === tagOf(form) ? form : typed;
}

/** Matches the digits of a number that the guest has marked. */
const DIGITS = /^-?\d{1,400}(?:\.\d{1,400})?$/;

/** Returns the text of a number, marked or not. Undefined for anything else. */
function numberIn(json: LosslessJson): string | undefined {
  if (isLosslessNumber(json)) return String(json);
  const digits = member(json, 'i') ?? member(json, 'd');
  return typeof digits === 'string' && DIGITS.test(digits) ? digits : undefined;
}

/** True if an output of this type may hold a value of one of these types. */
const holds = (type: string, ...types: string[]): boolean => ['free', 'json', ...types].includes(type);

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new ValueError('holds a part that is no value', []);
  return value;
}

function mapOf(json: LosslessJson, toValue: (member: LosslessJson) => Value): { [name: string]: Value } {
  // The map has no prototype, because a member may be called __proto__.
  const map: { [name: string]: Value } = Object.create(null);
  for (const [name, each] of Object.entries(json as object)) map[name] = toValue(each as LosslessJson);
  return map;
}

function fromBytes(digits: string, type: string): Value | undefined {
  const value = bytesToValue(hex.decode(digits));
  const fits = holds(type, 'bytes') || 'B3' in value && type === 'pubkey' ||
    'B6' in value && (type === 'keypair' || type === 'signature');
  return fits ? value : undefined;
}
