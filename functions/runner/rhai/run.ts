import type { Variable } from './ast.ts';
import { functionKey } from './ast.ts';
import { type Position, RhaiError, type RhaiErrorKind } from './errors.ts';
import type { RhaiLimits } from './limits.ts';
import type { Native, NativeTable } from './native.ts';
import { type Ref, ValueRef } from './refs.ts';
import {
  Blob,
  Cell,
  Container,
  countCharacters,
  FnPointer,
  RhaiArray,
  RhaiMap,
  type RhaiValue,
  tagOf,
  typeName,
} from './values.ts';

/** A part of a script, compiled. */
export type Evaluate = (frame: Frame) => RhaiValue;

/** How the rest of a block is left. */
export const Signal = { none: 0, break: 1, continue: 2, return: 3 } as const;
export type SignalKind = typeof Signal[keyof typeof Signal];

/** As a signal, from the middle of an expression: thrown, as what is around it can't look for signals. */
export class ControlTransfer {
  readonly kind: SignalKind;
  readonly value: RhaiValue;
  constructor(kind: SignalKind, value: RhaiValue) {
    this.kind = kind;
    this.value = value;
  }
}

/** Thrown by `exit`. */
export class ScriptExit {
  readonly value: RhaiValue;
  constructor(value: RhaiValue) {
    this.value = value;
  }
}

/** One call of a function. */
export class Frame {
  readonly run: Run;
  /** Undefined: not defined yet, or not given. */
  readonly slots: (RhaiValue | Cell | undefined)[];
  /** What `this` stands for. */
  readonly self: Ref | undefined;
  signal: SignalKind = Signal.none;
  /** The script itself, whose variables the caller's are among. */
  readonly isMain: boolean;
  /** By the variable of each catch clause, what it caught last: for throwing it again. */
  caught: Map<Variable, RhaiError> | undefined;
  constructor(run: Run, slotCount: number, self: Ref | undefined, isMain = false) {
    this.isMain = isMain;
    this.run = run;
    this.slots = Array.from({ length: slotCount });
    this.self = self;
  }

  define(variable: Variable, value: RhaiValue): void {
    this.slots[variable.slot] = variable.isCaptured ? new Cell(value) : value;
  }
}

/** A function of the script, compiled. */
export interface CompiledFunction {
  readonly name: string;
  readonly params: readonly Variable[];
  /** Where its captured variables go. */
  readonly captureSlots: readonly number[];
  readonly slotCount: number;
  readonly depth: number;
  readonly body: Evaluate;
}

/** What a script reaches of its surroundings. */
export interface RunHooks {
  onPrint: (text: string) => void;
  onDebug: (text: string, at: Position) => void;
  /** Called every few thousand operations; what it throws ends the script. */
  onProgress: (operations: number) => void;
  /** Milliseconds since 1970. */
  now: () => number;
  /** From 0 to below 1. */
  random: () => number;
}

const PROGRESS_INTERVAL = 4_096;

/**
 * Nodes that may be evaluated within each other. Each takes one frame of the JavaScript stack, some two or three: the worst
 * shapes of recursion fail beyond some 4,000, with the stack of 984 KiB that V8 has by default.
 */
const MAX_STACK_DEPTH = 3_000;
/** What calling a function takes itself. */
const CALL_DEPTH = 4;

/** Characters that a function may go through for one operation. */
const CHARACTERS_PER_OPERATION = 64;

/** One run of a script: its budget, its functions, and the place where it is. */
export class Run {
  readonly limits: RhaiLimits;
  readonly hooks: RunHooks;
  readonly functions: ReadonlyMap<string, CompiledFunction>;
  readonly natives: NativeTable;
  /** Names of the variables that the caller gives, and of those among them that are constants. */
  readonly given: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  /** Constants of the top level by name, for functions. */
  readonly globals = new Map<string, RhaiValue>();
  operations = 0;
  #nextStop = PROGRESS_INTERVAL;
  #callDepth = 0;
  #stackDepth = 0;
  /** Where the script is, for errors of functions that have no place themselves. */
  at: Position;

  constructor(init: Pick<Run, 'limits' | 'hooks' | 'functions' | 'natives' | 'given' | 'constants' | 'at'>) {
    this.limits = init.limits;
    this.hooks = init.hooks;
    this.functions = init.functions;
    this.natives = init.natives;
    this.given = init.given;
    this.constants = init.constants;
    this.at = init.at;
    this.#nextStop = Math.min(PROGRESS_INTERVAL, this.limits.operations);
  }

  fail(kind: RhaiErrorKind, reason: string, at = this.at): never {
    throw new RhaiError(kind, reason, at);
  }

  /** Counts one operation. */
  tick(at: Position): void {
    if (++this.operations > this.#nextStop) this.#stop(at);
  }

  /** Counts as many operations. */
  charge(operations: number): void {
    this.operations += operations;
    if (this.operations > this.#nextStop) this.#stop(this.at);
  }

  chargeText(length: number): void {
    this.charge(Math.floor(length / CHARACTERS_PER_OPERATION));
  }

  #stop(at: Position): void {
    if (this.operations > this.limits.operations) {
      this.fail('TooManyOperations', `Too many operations: more than ${this.limits.operations}`, at);
    }
    this.hooks.onProgress(this.operations);
    this.#nextStop = Math.min(this.operations + PROGRESS_INTERVAL, this.limits.operations);
  }

  // Calls

  invoke(
    callee: CompiledFunction,
    args: readonly RhaiValue[],
    captured: readonly Cell[],
    self: Ref | undefined,
  ): RhaiValue {
    const depth = callee.depth + CALL_DEPTH;
    this.#callDepth++;
    this.#stackDepth += depth;
    if (this.#callDepth > this.limits.callDepth || this.#stackDepth > MAX_STACK_DEPTH) {
      this.fail('StackOverflow', 'Stack overflow: too many calls within each other');
    }
    const frame = new Frame(this, callee.slotCount, self);
    callee.captureSlots.forEach((slot, index) => frame.slots[slot] = captured[index]);
    callee.params.forEach((param, index) => frame.define(param, args[index] ?? null));
    const value = callee.body(frame);
    this.#callDepth--;
    this.#stackDepth -= depth;
    return value;
  }

  /** Runs `action`; when it fails with an error that scripts may catch, `recover` goes on in its place. */
  attempt(action: () => RhaiValue, recover: (error: RhaiError) => RhaiValue): RhaiValue {
    const [callDepth, stackDepth] = [this.#callDepth, this.#stackDepth];
    try {
      return action();
    } catch (error) {
      if (!(error instanceof RhaiError) || !error.isCatchable) throw error;
      this.#callDepth = callDepth;
      this.#stackDepth = stackDepth;
      return recover(error);
    }
  }

  noFunction(name: string, args: readonly RhaiValue[]): never {
    return this.fail('FunctionNotFound', `Function not found: ${name} (${args.map(typeName).join(', ')})`);
  }

  findNative(name: string, self: RhaiValue): Native | undefined {
    return this.natives.get(tagOf(self))?.get(name) ?? this.natives.get('any')?.get(name);
  }

  /** Calls a built-in function as a method. */
  callNative(name: string, ref: Ref, args: readonly RhaiValue[]): RhaiValue {
    const self = ref.get();
    const native = this.findNative(name, self);
    if (native === undefined || args.length < native.min || args.length > native.max) {
      return this.noFunction(name, [self, ...args]);
    }
    if (native.isWriter && ref.constant !== undefined) {
      this.fail('AssignmentToConstant', `Cannot call '${name}' on constant ${ref.constant}: it would modify it`);
    }
    if (native.isWriter && self instanceof Container) this.checkFree(self);
    return this.#finish(name, native.call(this, self, args, ref), [self, ...args]);
  }

  /** Calls a built-in function; one of a type takes its subject as the first argument, by reference when `first` is given. */
  callPlain(name: string, args: readonly RhaiValue[], first?: Ref): RhaiValue {
    const native = this.natives.get('none')?.get(name);
    if (native !== undefined && args.length >= native.min && args.length <= native.max) {
      return this.#finish(name, native.call(this, null, args, NO_SELF), args);
    }
    const [self, ...rest] = args;
    return self === undefined ? this.noFunction(name, args) : this.callNative(name, first ?? new ValueRef(self), rest);
  }

  #finish(name: string, value: RhaiValue | undefined, args: readonly RhaiValue[]): RhaiValue {
    return value === undefined ? this.noFunction(name, args) : value;
  }

  /** Calls what a function pointer points to, as a method of `self` when that is given. */
  callPointer(pointer: FnPointer, given: readonly RhaiValue[], self?: Ref): RhaiValue {
    const at = this.at;
    const args = [...pointer.curried.map((value) => this.copy(value)), ...given];
    // SAFETY: closures are made of compiled functions only.
    const closure = pointer.closure as CompiledFunction | undefined;
    const callee = closure ?? this.functions.get(functionKey(pointer.name, args.length));
    let value: RhaiValue;
    if (callee !== undefined) {
      if (callee.params.length !== args.length) this.noFunction(pointer.name, args);
      value = this.invoke(callee, args, pointer.captured, self);
    } else {
      value = self === undefined ? this.callPlain(pointer.name, args) : this.callNative(pointer.name, self, args);
    }
    // An error after the call belongs to the caller.
    this.at = at;
    return value;
  }

  /**
   * Calls a function for an element, with as many of the arguments as it takes; the one at `selfIndex` is `this` instead when
   * it takes one fewer than all that come before the optional last one.
   */
  callFor(pointer: FnPointer, args: readonly RhaiValue[], self: Ref, selfIndex: number): RhaiValue {
    this.tick(this.at);
    const most = args.length;
    const count = this.countParams(pointer, [most - 1, most, most - 2]);
    if (count === args.length - 2) {
      return this.callPointer(pointer, args.toSpliced(selfIndex, 1).slice(0, count), self);
    }
    return this.callPointer(pointer, args.slice(0, count));
  }

  /** How many arguments a function pointer takes; of a function that is looked up, the first of the counts that there is one for. */
  countParams({ name, curried, closure }: FnPointer, counts: readonly number[]): number {
    // SAFETY: as in callPointer.
    const callee = closure as CompiledFunction | undefined;
    if (callee !== undefined) return callee.params.length - curried.length;
    return counts.find((count) => this.functions.has(functionKey(name, count + curried.length))) ?? counts[0] ?? 0;
  }

  // Data

  /** A copy of what is stored somewhere, as every value is copied when it goes elsewhere. */
  copy(value: RhaiValue): RhaiValue {
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof RhaiArray) {
      this.charge(value.items.length);
      const copy = new RhaiArray(value.items.map((item) => this.#copyInto(item)));
      return this.#likeOriginal(copy, value, copy.items);
    }
    if (value instanceof RhaiMap) {
      this.charge(value.properties.size);
      const copy = new RhaiMap(new Map([...value.properties].map(([key, member]) => [key, this.#copyInto(member)])));
      return this.#likeOriginal(copy, value, copy.properties.values());
    }
    if (value instanceof Blob) {
      this.chargeText(value.bytes.length);
      return new Blob(value.bytes.slice());
    }
    return value;
  }

  #copyInto(value: RhaiValue): RhaiValue {
    return typeof value === 'object' ? this.copy(value) : value;
  }

  #likeOriginal<C extends Container>(copy: C, original: Container, members: Iterable<RhaiValue>): C {
    copy.elements = original.elements;
    copy.entries = original.entries;
    copy.text = original.text;
    for (const member of members) if (member instanceof Container) member.owner = copy;
    return copy;
  }

  newArray(items: RhaiValue[]): RhaiArray {
    const array = new RhaiArray(items);
    this.adopt(array, items);
    return array;
  }

  newMap(properties: Map<string, RhaiValue>): RhaiMap {
    const map = new RhaiMap(properties);
    let keyLength = 0;
    for (const key of properties.keys()) keyLength += key.length;
    this.adopt(map, [...properties.values()], keyLength);
    return map;
  }

  newText(text: string): string {
    if (text.length > this.limits.stringLength && countCharacters(text) > this.limits.stringLength) {
      this.fail('DataTooLarge', `Length of string too large: more than ${this.limits.stringLength} characters`);
    }
    return text;
  }

  newBlob(bytes: Uint8Array): Blob {
    this.checkLength(bytes.length);
    this.chargeText(bytes.length);
    return new Blob(bytes);
  }

  /** To be called before so many elements are made. */
  checkLength(length: number): void {
    if (length > this.limits.elements) {
      this.fail('DataTooLarge', `Size of array/BLOB too large: more than ${this.limits.elements} elements`);
    }
  }

  /** Accounts for values that have become members of a container, and the length of their keys when it is a map. */
  adopt(container: Container, members: readonly RhaiValue[], keyLength = 0): void {
    const weight = new Weight();
    weight.text = keyLength;
    let height = 0;
    for (const member of members) {
      if (member instanceof Container) {
        member.owner = container;
        height = Math.max(height, this.#heightOf(member));
        weight.add(member);
      } else if (typeof member === 'string') {
        weight.text += member.length;
      } else if (member instanceof FnPointer) {
        weight.text += this.#capturedText(member);
      } else if (member instanceof Blob) {
        weight.elements += member.bytes.length;
      }
    }
    weight[container instanceof RhaiArray ? 'elements' : 'entries'] += members.length;
    this.#grow(container, weight, height);
  }

  /** Fails while a function goes through the container, which would see it change under its hands. */
  checkFree(container: Container): void {
    if (container.isBorrowed) {
      this.fail('DataRace', 'Data race detected: a function is going through the array or object map');
    }
  }

  /** Runs `action`, during which the container can't be changed. */
  borrow<T>(container: Container, action: () => T): T {
    const wasBorrowed = container.isBorrowed;
    container.isBorrowed = true;
    try {
      return action();
    } finally {
      container.isBorrowed = wasBorrowed;
    }
  }

  /** Values that have left their container. */
  release<V extends RhaiValue>(value: V): V {
    if (value instanceof Container) value.owner = undefined;
    return value;
  }

  /** The opposite of `adopt` for members that left: of arrays and maps among them only themselves, as their weight may be old. */
  forget(container: Container, members: readonly RhaiValue[]): void {
    const kind = container instanceof RhaiArray ? 'elements' : 'entries';
    const text = members.reduce<number>((sum, member) => sum + (typeof member === 'string' ? member.length : 0), 0);
    for (let current: Container | undefined = container; current !== undefined; current = current.owner) {
      current[kind] -= members.length;
      current.text -= text;
    }
  }

  #grow(container: Container, weight: Weight, height: number): void {
    let depth = height;
    for (let current: Container | undefined = container; current !== undefined; current = current.owner) {
      if (++depth > this.limits.dataDepth) {
        this.fail(
          'DataTooLarge',
          `Data too deep: more than ${this.limits.dataDepth} arrays and maps within each other`,
        );
      }
      current.elements += weight.elements;
      current.entries += weight.entries;
      current.text += weight.text;
      const { elements, stringLength } = this.limits;
      if (current.elements > elements || current.entries > elements || current.text > stringLength) {
        this.#weigh(current);
      }
    }
  }

  /** Makes the weight of a container exact; fails when it is really too much. */
  #weigh(container: Container): void {
    const weight = this.#exactWeight(container);
    container.elements = weight.elements;
    container.entries = weight.entries;
    container.text = weight.text;
    const { elements, stringLength } = this.limits;
    const kind = weight.elements > elements
      ? `array/BLOB too large: more than ${elements} elements`
      : weight.entries > elements
      ? `object map too large: more than ${elements} properties`
      : weight.text > stringLength
      ? `strings in an array or object map too large: more than ${stringLength} characters`
      : undefined;
    if (kind !== undefined) this.fail('DataTooLarge', `Size of ${kind}`);
  }

  #exactWeight(container: Container): Weight {
    const weight = new Weight();
    const members = container instanceof RhaiArray ? container.items : (container as RhaiMap).properties.values();
    let count = 0;
    if (container instanceof RhaiMap) { for (const key of container.properties.keys()) weight.text += key.length; }
    for (const member of members) {
      count++;
      if (member instanceof Container) weight.add(this.#exactWeight(member));
      else if (typeof member === 'string') weight.text += member.length;
      else if (member instanceof FnPointer) weight.text += this.#capturedText(member);
      else if (member instanceof Blob) weight.elements += member.bytes.length;
    }
    this.charge(count);
    weight[container instanceof RhaiArray ? 'elements' : 'entries'] += count;
    return weight;
  }

  #capturedText({ captured, curried }: FnPointer): number {
    let length = 0;
    for (const value of [...captured.map((cell) => cell.value), ...curried]) {
      if (typeof value === 'string') length += value.length;
      else if (value instanceof Container) length += value.text;
    }
    return length;
  }

  #heightOf(container: Container): number {
    const members = container instanceof RhaiArray ? container.items : (container as RhaiMap).properties.values();
    let [height, count] = [0, 0];
    for (const member of members) {
      count++;
      if (member instanceof Container) height = Math.max(height, this.#heightOf(member));
    }
    this.chargeText(count);
    return height + 1;
  }
}

/** What containers hold at any depth. */
class Weight {
  elements = 0;
  entries = 0;
  text = 0;

  add(other: { elements: number; entries: number; text: number }): void {
    this.elements += other.elements;
    this.entries += other.entries;
    this.text += other.text;
  }
}

const NO_SELF = new ValueRef(null);
