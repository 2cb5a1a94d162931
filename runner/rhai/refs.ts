import { type BitSpan, readBits, writeBits } from './bit_fields.ts';
import type { Memory } from './memory.ts';
import {
  type Blob,
  Cell,
  Char,
  type Container,
  isInt,
  replaceCharacter,
  type RhaiArray,
  type RhaiMap,
  type RhaiValue,
  sliceCharacters,
  typeName,
} from './values.ts';

/** The place of a value. Code that stores the value in another place must copy it first. */
export abstract class Ref {
  /** The name of the constant to which this place belongs. */
  readonly constant: string | undefined;
  constructor(constant?: string) {
    this.constant = constant;
  }
  /** If the place is a variable that a closure captured, the cell of that variable. */
  get cell(): Cell | undefined {
    return undefined;
  }
  abstract get(): RhaiValue;
  abstract set(value: RhaiValue): void;
}

/** A temporary value without a place. Changes to it are lost. */
export class ValueRef extends Ref {
  #value: RhaiValue;
  constructor(value: RhaiValue, constant?: string) {
    super(constant);
    this.#value = value;
  }
  get(): RhaiValue {
    return this.#value;
  }
  set(value: RhaiValue): void {
    this.#value = value;
  }
}

/** A variable in a frame. The caller has checked that it is defined. */
export class SlotRef extends Ref {
  readonly #slots: (RhaiValue | Cell | undefined)[];
  readonly #slot: number;
  constructor(slots: (RhaiValue | Cell | undefined)[], slot: number, constant: string | undefined) {
    super(constant);
    this.#slots = slots;
    this.#slot = slot;
  }
  override get cell(): Cell | undefined {
    const current = this.#slots[this.#slot];
    return current instanceof Cell ? current : undefined;
  }
  get(): RhaiValue {
    const value = this.#slots[this.#slot];
    return value instanceof Cell ? value.value : value ?? null;
  }
  set(value: RhaiValue): void {
    const current = this.#slots[this.#slot];
    if (current instanceof Cell) current.value = value;
    else this.#slots[this.#slot] = value;
  }
}

/**
 * Counts a member that replaced another member. Values such as numbers have no weight: if neither member has one,
 * nothing changes.
 */
function replaceMember(run: Memory, container: Container, previous: RhaiValue, value: RhaiValue): void {
  const isLight = (member: RhaiValue) => typeof member !== 'object' && typeof member !== 'string';
  if (isLight(previous) && isLight(value)) return;
  run.forget(container, [previous]);
  run.adopt(container, [value]);
}

export class ElementRef extends Ref {
  readonly #run: Memory;
  readonly #array: RhaiArray;
  readonly #index: number;
  constructor(run: Memory, array: RhaiArray, index: number, constant?: string) {
    super(constant);
    this.#run = run;
    this.#array = array;
    this.#index = index;
  }
  get(): RhaiValue {
    const value = this.#array.items[this.#index];
    // Code that ran in the meantime may have made the array shorter.
    return value === undefined ? boundsError(this.#run, 'Array', this.#array.items.length, this.#index) : value;
  }
  set(value: RhaiValue): void {
    const previous = this.get();
    this.#run.checkFree(this.#array);
    this.#array.items[this.#index] = value;
    replaceMember(this.#run, this.#array, previous, value);
  }
}

export class PropertyRef extends Ref {
  readonly #run: Memory;
  readonly #map: RhaiMap;
  readonly #key: string;
  constructor(run: Memory, map: RhaiMap, key: string, constant: string | undefined) {
    super(constant);
    this.#run = run;
    this.#map = map;
    this.#key = key;
  }
  get(): RhaiValue {
    return this.#map.properties.get(this.#key) ?? null;
  }
  set(value: RhaiValue): void {
    this.#run.checkFree(this.#map);
    const previous = this.#map.properties.get(this.#key);
    this.#map.properties.set(this.#key, value);
    if (previous === undefined) this.#run.adopt(this.#map, [value], this.#key.length);
    else replaceMember(this.#run, this.#map, previous, value);
  }
}

export class CharacterRef extends Ref {
  readonly #run: Memory;
  readonly #text: Ref;
  readonly #index: number;
  constructor(run: Memory, text: Ref, index: number) {
    super(text.constant);
    this.#run = run;
    this.#text = text;
    this.#index = index;
  }
  get(): RhaiValue {
    return new Char(sliceCharacters(String(this.#text.get()), this.#index, this.#index + 1));
  }
  set(value: RhaiValue): void {
    if (!(value instanceof Char)) return this.#run.mismatch('char', typeName(value));
    const text = String(this.#text.get());
    this.#run.chargeText(text.length);
    this.#text.set(replaceCharacter(text, this.#index, value.text));
  }
}

export class ByteRef extends Ref {
  readonly #run: Memory;
  readonly #blob: Blob;
  readonly #index: number;
  constructor(run: Memory, blob: Blob, index: number, constant: string | undefined) {
    super(constant);
    this.#run = run;
    this.#blob = blob;
    this.#index = index;
  }
  get(): RhaiValue {
    return this.#blob.bytes[this.#index] ?? boundsError(this.#run, 'Array', this.#blob.bytes.length, this.#index);
  }
  set(value: RhaiValue): void {
    if (typeof value !== 'number' && typeof value !== 'bigint') {
      return this.#run.mismatch('i64', typeName(value));
    }
    this.#blob.bytes[this.#index] = Number(BigInt.asUintN(8, BigInt(value)));
  }
}

/** Bits of an integer. One bit is a bool, several bits are an integer. */
export class BitsRef extends Ref {
  readonly #run: Memory;
  readonly #integer: Ref;
  readonly #span: BitSpan;
  readonly #isSingle: boolean;
  constructor(run: Memory, integer: Ref, span: BitSpan, isSingle: boolean) {
    super(integer.constant);
    this.#run = run;
    this.#integer = integer;
    this.#span = span;
    this.#isSingle = isSingle;
  }
  #current(): number | bigint {
    const value = this.#integer.get();
    return isInt(value) ? value : this.#run.mismatch('i64', typeName(value));
  }
  get(): RhaiValue {
    const bits = readBits(this.#current(), this.#span);
    return this.#isSingle ? bits === 1 : bits;
  }
  set(value: RhaiValue): void {
    const bits = this.#isSingle
      ? typeof value === 'boolean' ? Number(value) : undefined
      : isInt(value)
      ? value
      : undefined;
    if (bits === undefined) return this.#run.mismatch(this.#isSingle ? 'bool' : 'i64', typeName(value));
    this.#integer.set(writeBits(this.#current(), this.#span, bits));
  }
}

export function boundsError(run: Memory, kind: 'Array' | 'String', length: number, index: number | bigint): never {
  const unit = kind === 'Array' ? 'element' : 'character';
  const rest = length === 0
    ? `${kind.toLowerCase()} is empty`
    : `only ${length} ${unit}${length === 1 ? '' : 's'} in ${kind.toLowerCase()}`;
  return run.fail(`${kind}Bounds`, `${kind} index ${index} out of bounds: ${rest}`, run.at, { length, index });
}
