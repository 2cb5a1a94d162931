// Converts values on their way into the sandbox and out of it. They travel as JSON, in which an object with one member
// marks a value that JSON lacks: {"o": members} an object, {"i": digits} a bigint, {"d": digits} an Exact, {"b": hex
// digits} bytes, {"f": text} NaN or an infinity.

import { digitsOf, exact } from './exact.js';

// The author's code may change the functions of the realm. So this file keeps those that it needs before that code runs.
const { isArray } = Array;
const { parse, stringify } = JSON;
const { defineProperty, getPrototypeOf, keys, prototype: objectPrototype } = Object;
const { apply } = Reflect;
const { isFinite } = Number;
const bytesPrototype = Uint8Array.prototype;
const toBigInt = BigInt;
const toText = String;
const toNumber = Number;
const Bytes = Uint8Array;
const GuestError = TypeError;
const { charCodeAt, isWellFormed, includes } = String.prototype;
const bytesLength = Object.getOwnPropertyDescriptor(getPrototypeOf(bytesPrototype), 'length').get;

const HEX = '0123456789abcdef';

const digitOf = (text, at) => {
  const code = apply(charCodeAt, text, [at]);
  return code < 58 ? code - 48 : code - 87;
};

function bytesOf(hex) {
  const bytes = new Bytes(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = digitOf(hex, 2 * at) * 16 + digitOf(hex, 2 * at + 1);
  return bytes;
}

function fromMarked(marked) {
  if (typeof marked !== 'object' || marked === null) return marked;
  if (isArray(marked)) {
    for (let index = 0; index < marked.length; index++) marked[index] = fromMarked(marked[index]);
    return marked;
  }
  if (marked.o !== undefined) {
    const names = keys(marked.o);
    for (let index = 0; index < names.length; index++) {
      // Defines an own member even for a name such as __proto__.
      defineProperty(marked.o, names[index], {
        value: fromMarked(marked.o[names[index]]),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
    return marked.o;
  }
  if (marked.i !== undefined) return toBigInt(marked.i);
  if (marked.d !== undefined) return exact(marked.d);
  if (marked.b !== undefined) return bytesOf(marked.b);
  return toNumber(marked.f);
}

/** Reads the JSON of the host. Only the host writes it. */
export const readMarked = (text) => fromMarked(parse(text));

/** Formats the path of a value for an error. It names only the first members. */
function place(path) {
  let text = path.name;
  let names = 0;
  for (let at = path.before; at !== undefined; at = at.before) {
    names += 1;
    text = names > 8 && at.before !== undefined ? text : `${at.name}.${names > 8 ? '…' : text}`;
  }
  return text;
}

const fail = (path, reason) => {
  throw new GuestError(`${place(path)}: ${reason}`);
};

/** The name of an object's class, for errors. */
function className(object) {
  const { constructor } = object;
  const name = typeof constructor === 'function' ? constructor.name : undefined;
  return typeof name === 'string' && name !== '' && name.length < 100 ? name : 'class';
}

/** Writes values as JSON, and ends at its limit of characters. */
export function makeWriter(maxCharacters) {
  let text = '';
  const refuse = () => {
    throw new GuestError(`the outputs take more than ${maxCharacters} characters`);
  };
  const add = (part) => {
    text += part;
    if (text.length > maxCharacters) refuse();
  };

  function writeText(value, path) {
    if (text.length + value.length > maxCharacters) refuse();
    if (!apply(isWellFormed, value, []) || apply(includes, value, ['\0'])) {
      fail(path, 'a text holds NUL or a lone surrogate');
    }
    add(stringify(value));
  }

  function writeArray(value, path, depth) {
    const { length } = value;
    add('[');
    for (let index = 0; index < length; index++) {
      if (index > 0) add(',');
      write(value[index], { before: path, name: index }, depth - 1);
    }
    add(']');
  }

  function writeObject(value, path, depth) {
    const prototype = getPrototypeOf(value);
    if (prototype !== null && prototype !== objectPrototype) {
      fail(path, `an instance of ${className(value)} can't be an output`);
    }
    const names = keys(value);
    let isFirst = true;
    add('{"o":{');
    for (let index = 0; index < names.length; index++) {
      const member = value[names[index]];
      if (member === undefined) continue;
      const inner = { before: path, name: names[index] };
      if (!isFirst) add(',');
      isFirst = false;
      writeText(names[index], inner);
      add(':');
      write(member, inner, depth - 1);
    }
    add('}}');
  }

  function writeBytes(value) {
    add('{"b":"');
    const length = apply(bytesLength, value, []);
    if (length * 2 > maxCharacters) refuse();
    let hex = '';
    for (let index = 0; index < length; index++) hex += HEX[value[index] >> 4] + HEX[value[index] & 15];
    add(`${hex}"}`);
  }

  function write(value, path, depth = MAX_DEPTH) {
    // This also ends a cycle.
    if (depth === 0) fail(path, `is nested deeper than ${MAX_DEPTH} levels`);
    if (value === null || typeof value === 'boolean') return add(`${value}`);
    if (typeof value === 'number') return add(isFinite(value) ? `${value}` : `{"f":"${value}"}`);
    if (typeof value === 'bigint') return add(`{"i":"${toText(value)}"}`);
    if (typeof value === 'string') return writeText(value, path);
    if (typeof value !== 'object') return fail(path, `a value of type ${typeof value} can't be an output`);
    if (isArray(value)) return writeArray(value, path, depth);
    const digits = digitsOf(value);
    if (digits !== undefined) return add(`{"d":"${digits}"}`);
    return getPrototypeOf(value) === bytesPrototype ? writeBytes(value) : writeObject(value, path, depth);
  }

  return { add, write, text: () => text };
}
