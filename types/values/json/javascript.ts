import { base64 } from '@scure/base';
import { formatFloat, parseDecimalNumber } from '../number_text.ts';
import {
  bytesToValue,
  integerToValue,
  isStorable,
  MAX_VALUE_DEPTH,
  type Value,
  ValueError,
  type ValueMap,
} from '../value.ts';

type Path = (string | number)[];

/** The name of an object's class, for errors. */
const className = (object: object): string => object.constructor?.name || 'object';

function numberValue(number: number): Value {
  const decimal = parseDecimalNumber(String(number));
  return decimal === undefined ? { F: formatFloat(number) } : { D: decimal };
}

function objectValue(object: object, path: Path, depth: number): Value {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== null && prototype !== Object.prototype) {
    throw new ValueError(`an instance of ${className(object)} has no value form`, path);
  }
  // The map has no prototype, because a member may be called __proto__.
  const map: ValueMap = Object.create(null);
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue;
    if (!isStorable(name)) throw new ValueError('a name holds NUL or a lone surrogate', path);
    map[name] = fromJavaScript(member, [...path, name], depth - 1);
  }
  return { M: map };
}

/**
 * Converts a JavaScript value without loss. A number becomes a decimal, or a float if a decimal can't hold it. A bigint
 * becomes the smallest integer type that can hold it. Texts, booleans, null, Uint8Array, arrays and plain objects are
 * converted too; undefined members of objects are dropped. Throws a ValueError with the path of any other value.
 */
export function fromJavaScript(js: unknown, path: Path = [], depth = MAX_VALUE_DEPTH): Value {
  // This check also refuses an object that contains itself.
  if (depth === 0) throw new ValueError(`is nested deeper than ${MAX_VALUE_DEPTH} levels`, path);
  if (js === null) return { N: 0 };
  switch (typeof js) {
    case 'boolean':
      return { B: js };
    case 'number':
      return numberValue(js);
    case 'string':
      if (!isStorable(js)) throw new ValueError('a text holds NUL or a lone surrogate', path);
      return { S: js };
    case 'bigint': {
      const value = integerToValue(String(js));
      if (value === undefined) throw new ValueError('an integer is wider than 128 bits', path);
      return value;
    }
    case 'object':
      if (js instanceof Uint8Array) return bytesToValue(js);
      // Array.from visits the holes of a sparse array as undefined, so that they are refused.
      if (Array.isArray(js)) {
        return { A: Array.from(js, (member, index) => fromJavaScript(member, [...path, index], depth - 1)) };
      }
      return objectValue(js, path, depth);
    default:
      throw new ValueError(`${typeof js} has no value form`, path);
  }
}

/** The form of a value in JavaScript. */
export type JavaScriptValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | JavaScriptValue[]
  | { [name: string]: JavaScriptValue };

/**
 * Converts a value to JavaScript without loss. Integers become bigints, and floats become numbers. Decimals become
 * texts (`'2.20'`), because a JavaScript number can't hold them. Keys and signatures become base58, other bytes a
 * Uint8Array.
 */
export function toJavaScript(value: Value): JavaScriptValue {
  if ('N' in value) return null;
  if ('S' in value) return value.S;
  if ('B' in value) return value.B;
  if ('F' in value) return Number(value.F.replace('inf', 'Infinity'));
  if ('D' in value) return value.D;
  if ('B3' in value) return value.B3;
  if ('B6' in value) return value.B6;
  if ('BY' in value) return base64.decode(value.BY);
  if ('A' in value) return value.A.map(toJavaScript);
  if ('M' in value) return mapToJavaScript(value.M);
  // SAFETY: only the tags of integers are left.
  const [integer] = Object.values(value) as [string];
  return BigInt(integer);
}

/** Converts each value of a map to JavaScript. */
export const mapToJavaScript = (map: ValueMap): { [name: string]: JavaScriptValue } =>
  // With fromEntries, even a name such as __proto__ becomes an own member.
  Object.fromEntries(Object.entries(map).map(([name, member]) => [name, toJavaScript(member)]));

/** Writes the body of a start as JSON. A bigint becomes a number with all its digits. */
export function exactJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactJson(member)}`).join(',')}}`;
}
