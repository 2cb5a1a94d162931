import { Decimal } from '../../types/values/decimal.ts';

/**
 * A value of a script. Integers have 64 bits and a sign. A safe integer (at most 2^53 - 1) is a number, which is fast.
 * Any other integer is a bigint, which is exact. The unit value is null.
 */
export type RhaiValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Decimal
  | Char
  | RhaiArray
  | RhaiMap
  | Blob
  | Range
  | Sequence
  | FnPointer;

/** A 64-bit float. Plain numbers are integers. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** One Unicode character. */
export class Char {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The size of a container's contents at any depth: elements of arrays, entries of maps, and UTF-16 units of text. */
export class Weight {
  elements = 0;
  entries = 0;
  text = 0;

  add(other: Readonly<{ elements: number; entries: number; text: number }>): void {
    this.elements += other.elements;
    this.entries += other.entries;
    this.text += other.text;
  }

  /** Adds the contents of a container's member. The caller counts the member itself. */
  addMember(member: RhaiValue): void {
    if (typeof member === 'string') this.text += member.length;
    else if (typeof member !== 'object') return;
    else if (member instanceof Container) this.add(member);
    else if (member instanceof FnPointer) {
      this.add(member.curried);
      this.text += capturedText(member);
    } else if (member instanceof Blob) this.elements += member.bytes.length;
  }
}

function capturedText({ captured }: FnPointer): number {
  let length = 0;
  for (const { value } of captured) {
    if (typeof value === 'string') length += value.length;
    else if (value instanceof Container) length += value.text;
  }
  return length;
}

/**
 * An array or map. Scripts copy data by value, so each container is in at most one other container, its owner. A change
 * updates the weights of all owners above the changed container. The weights are upper bounds of the contents at any
 * depth. When a weight reaches its limit, the weights are computed exactly.
 */
export abstract class Container {
  owner: Container | undefined;
  elements = 0;
  entries = 0;
  text = 0;
  /**
   * Weight of the contents that the script got from outside. The limits of the container are greater by this weight.
   */
  given: Readonly<Weight> | undefined;
  /** True while a function visits the container. */
  isBorrowed = false;
}

export class RhaiArray extends Container {
  items: RhaiValue[];
  constructor(items: RhaiValue[] = []) {
    super();
    this.items = items;
  }
}

/** An object map. Its properties are in the order in which they were added. */
export class RhaiMap extends Container {
  readonly properties: Map<string, RhaiValue>;
  constructor(properties: Map<string, RhaiValue> = new Map()) {
    super();
    this.properties = properties;
  }
}

/** Bytes. They can grow and shrink. */
export class Blob {
  bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** The integers from `start` to `end`. They include `end` if the range is inclusive. */
export class Range {
  readonly start: number | bigint;
  readonly end: number | bigint;
  readonly isInclusive: boolean;
  constructor(start: number | bigint, end: number | bigint, isInclusive: boolean) {
    this.start = start;
    this.end = end;
    this.isInclusive = isInclusive;
  }
}

/** Values for a `for` loop only, such as the characters of a string. */
export class Sequence {
  readonly typeName: string;
  readonly iterate: () => Iterable<RhaiValue>;
  constructor(typeName: string, iterate: () => Iterable<RhaiValue>) {
    this.typeName = typeName;
    this.iterate = iterate;
  }
}

/** A captured variable, which a closure shares with the function around it. */
export class Cell {
  value: RhaiValue;
  /** True if a closure that shares the variable has been made. */
  isShared = false;
  /** True while the variable is the `this` of a running function. No other code may then use it. */
  isLocked = false;
  constructor(value: RhaiValue) {
    this.value = value;
  }
}

const NOTHING_CURRIED: Readonly<RhaiArray> = Object.freeze(new RhaiArray());

/** A function pointer: the name of a function or a closure, with curried arguments. */
export class FnPointer {
  readonly name: string;
  /** The curried arguments. These arguments never change, so several pointers can share them. */
  readonly curried: Readonly<RhaiArray>;
  /** The depth to which arrays, maps and lists of curried arguments are nested in the pointer. */
  readonly height: number;
  /** The variables that a closure captured. */
  readonly captured: readonly Cell[];
  /** The closure's compiled function. If undefined, the name is looked up when the pointer is called. */
  readonly closure: object | undefined;
  constructor(
    name: string,
    captured: readonly Cell[] = [],
    closure: object | undefined = undefined,
    curried: Readonly<RhaiArray> = NOTHING_CURRIED,
    height = 0,
  ) {
    this.name = name;
    this.curried = curried;
    this.height = height;
    this.captured = captured;
    for (const cell of captured) cell.isShared = true;
    this.closure = closure;
  }
}

/** The types that have functions of their own. */
export type TypeTag =
  | 'unit'
  | 'bool'
  | 'int'
  | 'float'
  | 'decimal'
  | 'char'
  | 'string'
  | 'array'
  | 'map'
  | 'blob'
  | 'range'
  | 'sequence'
  | 'fn';

export function tagOf(value: RhaiValue): TypeTag {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'int';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
  }
  if (value === null) return 'unit';
  if (value instanceof Float) return 'float';
  if (value instanceof RhaiArray) return 'array';
  if (value instanceof RhaiMap) return 'map';
  if (value instanceof Decimal) return 'decimal';
  if (value instanceof Char) return 'char';
  if (value instanceof Blob) return 'blob';
  if (value instanceof Range) return 'range';
  if (value instanceof Sequence) return 'sequence';
  return 'fn';
}

const TYPE_NAMES: Record<TypeTag, string> = {
  unit: '()',
  bool: 'bool',
  int: 'i64',
  float: 'f64',
  decimal: 'decimal',
  char: 'char',
  string: 'string',
  array: 'array',
  map: 'map',
  blob: 'blob',
  range: 'range',
  sequence: 'iterator',
  fn: 'Fn',
};

/** Returns the name of a value's type, as `type_of` does. */
export function typeName(value: RhaiValue): string {
  if (value instanceof Range && value.isInclusive) return 'range=';
  if (value instanceof Sequence) return value.typeName;
  return TYPE_NAMES[tagOf(value)];
}

export const isInt = (value: RhaiValue): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

export const isText = (value: RhaiValue): value is string | Char => typeof value === 'string' || value instanceof Char;

/** Returns the text of a string or character. */
export const textOf = (value: string | Char): string => typeof value === 'string' ? value : value.text;

const SURROGATE = /[\ud800-\udfff]/;

/** Splits a text into its characters. If the text has no surrogates, its characters are its UTF-16 units. */
export const charactersOf = (text: string): string[] => SURROGATE.test(text) ? Array.from(text) : text.split('');

/** True if a character of two UTF-16 units begins here. */
const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;

export function countCharacters(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at += isPair(text, at) ? 2 : 1) count++;
  return count;
}

/** Returns the UTF-16 unit at which a character begins; the text's length if there are fewer characters. */
function unitOf(text: string, character: number): number {
  let at = 0;
  for (let count = 0; count < character && at < text.length; count++) at += isPair(text, at) ? 2 : 1;
  return at;
}

/** Returns the characters from `start` to `end`, exclusive, as scripts count them. Both positions must be 0 or more. */
export function sliceCharacters(text: string, start: number, end: number): string {
  if (!SURROGATE.test(text)) return text.slice(start, end);
  const rest = text.slice(unitOf(text, start));
  return end <= start ? '' : rest.slice(0, unitOf(rest, end - start));
}

/** Replaces the character at a position, which must exist. */
export function replaceCharacter(text: string, place: number, character: string): string {
  const before = sliceCharacters(text, 0, place);
  const after = text.slice(before.length + (isPair(text, before.length) ? 2 : 1));
  return before + character + after;
}

/** Compares texts by code points, as Rust does. JavaScript itself compares UTF-16 units. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    let a = left.charCodeAt(index);
    let b = right.charCodeAt(index);
    if (a === b) continue;
    if (a >= 0xd800 && b >= 0xd800) {
      // Surrogates encode greater code points than the units from 0xe000 on, so all of them must count as greater.
      if (a < 0xe000) a += 0x2000;
      if (b < 0xe000) b += 0x2000;
    }
    return a - b;
  }
  return left.length - right.length;
}

export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
