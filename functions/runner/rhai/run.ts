import type { Variable } from './ast.ts';
import { functionKey, methodName } from './ast.ts';
import { type Call, RhaiError } from './errors.ts';
import { Memory } from './memory.ts';
import { type Ref, ValueRef } from './refs.ts';
import { Cell, Container, type FnPointer, type RhaiValue, tagOf, typeName, type TypeTag } from './values.ts';

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

/** The place of a caller's variable by name; undefined when it has none. */
export type Lent = (name: string) => Ref | undefined;

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
  /** The variables of the caller, when it lends them. */
  readonly lent: Lent | undefined;
  /** An optional link of the chain that is being evaluated had nothing to go on from. */
  hasEnded = false;
  /** By the variable of each catch clause, what it caught last: for throwing it again. */
  caught: Map<Variable, RhaiError> | undefined;
  constructor(run: Run, slotCount: number, self: Ref | undefined, isMain = false, lent?: Lent) {
    this.isMain = isMain;
    this.lent = lent;
    this.run = run;
    // Array.from would take ten times as long.
    this.slots = Array<undefined>(slotCount).fill(undefined);
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

/** A built-in function: undefined means that there is none for arguments of these types. */
export type NativeCall = (run: Run, self: RhaiValue, args: readonly RhaiValue[], ref: Ref) => RhaiValue | undefined;

export interface Native {
  readonly min: number;
  readonly max: number;
  /** It may be read like a property. */
  readonly isProperty: boolean;
  /** It changes what it is called on, which must not be a constant. */
  readonly isWriter: boolean;
  readonly call: NativeCall;
}

/** Functions of one type by name. */
export type NativeMethods = ReadonlyMap<string, Native>;

/** By the type that they belong to; `any` for every type, `none` for those without a subject. */
export type NativeTable = ReadonlyMap<TypeTag | 'any' | 'none', NativeMethods>;

/**
 * Nodes that may be evaluated within each other. Each takes one frame of the JavaScript stack, some two or three: the worst
 * shapes of recursion fail beyond some 4,000, with the stack of 984 KiB that V8 has by default.
 */
const MAX_STACK_DEPTH = 3_000;
/** What calling a function takes itself. */
const CALL_DEPTH = 4;

/** How Rhai calls a string among the arguments of a function that there is none for. */
const STRING_TYPES = '&str | ImmutableString | String';

/** What making and catching an error costs, counted in operations. */
const CATCH_COST = 20;

/** One run of a script: how its functions and the built-in ones are called. */
export class Run extends Memory {
  readonly functions: ReadonlyMap<string, CompiledFunction>;
  readonly natives: NativeTable;
  /** Names of the variables that the caller gives, and of those among them that are constants. */
  readonly given: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  /** Constants of the top level by name, for functions. */
  readonly globals = new Map<string, RhaiValue>();
  readonly #calls: Call[] = [];
  #stackDepth = 0;

  constructor(init: Pick<Run, 'limits' | 'hooks' | 'functions' | 'natives' | 'given' | 'constants' | 'at'>) {
    super(init.limits, init.hooks, init.at);
    this.functions = init.functions;
    this.natives = init.natives;
    this.given = init.given;
    this.constants = init.constants;
  }

  invoke(
    callee: CompiledFunction,
    args: readonly RhaiValue[],
    captured: readonly Cell[],
    self: Ref | undefined,
    lent?: Lent,
  ): RhaiValue {
    const depth = callee.depth + CALL_DEPTH;
    this.#calls.push({ name: callee.name, at: this.at });
    this.#stackDepth += depth;
    if (this.#calls.length > this.limits.callDepth || this.#stackDepth > MAX_STACK_DEPTH) {
      this.fail('StackOverflow', 'Stack overflow: too many calls within each other');
    }
    if (callee.params.length > this.limits.variables) {
      this.fail('TooManyVariables', `Too many variables defined: more than ${this.limits.variables}`);
    }
    // Each variable has a place, those too that take the place of another of their name.
    this.charge(callee.slotCount >> 4);
    const frame = new Frame(this, callee.slotCount, self, false, lent);
    callee.captureSlots.forEach((slot, index) => frame.slots[slot] = captured[index]);
    callee.params.forEach((param, index) => frame.define(param, args[index] ?? null));
    const cell = self?.cell;
    const value = cell === undefined ? callee.body(frame) : this.#locked(cell, callee, frame);
    this.#calls.pop();
    this.#stackDepth -= depth;
    return value;
  }

  /** Runs a function whose `this` is a captured variable, which closures can't use meanwhile. */
  #locked(cell: Cell, callee: CompiledFunction, frame: Frame): RhaiValue {
    const wasLocked = cell.isLocked;
    cell.isLocked = true;
    try {
      return callee.body(frame);
    } finally {
      cell.isLocked = wasLocked;
    }
  }

  /** Runs `action`; when it fails with an error that scripts may catch, `recover` goes on in its place. */
  attempt(action: () => RhaiValue, recover: (error: RhaiError) => RhaiValue): RhaiValue {
    const [callDepth, stackDepth] = [this.#calls.length, this.#stackDepth];
    try {
      return action();
    } catch (error) {
      if (!(error instanceof RhaiError) || !error.isCatchable) throw error;
      const traced = this.traced(error, callDepth);
      this.#calls.length = callDepth;
      this.charge(CATCH_COST + traced.calls.length);
      this.#stackDepth = stackDepth;
      return recover(traced);
    }
  }

  /** An error with the calls that it came out of, beyond so many; one that ends the script for good goes without. */
  traced(error: RhaiError, depth = 0): RhaiError {
    return error.isCatchable ? error.within(this.#calls.slice(depth).toReversed()) : error;
  }

  noFunction(name: string, args: readonly RhaiValue[]): never {
    this.charge(args.length);
    const types = args.map((arg) => typeof arg === 'string' ? STRING_TYPES : typeName(arg));
    const signature = `${name} (${types.join(', ')})`;
    return this.fail('FunctionNotFound', `Function not found: ${signature}`, this.at, { function: signature });
  }

  /** A function of the script for a subject: that of the subject's type comes first. */
  findMethod(name: string, arity: number, self: RhaiValue): CompiledFunction | undefined {
    return this.functions.get(functionKey(methodName(typeName(self), name), arity)) ??
      this.functions.get(functionKey(name, arity));
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
      this.fail('NonPureMethodCallOnConstant', `Non-pure method '${name}' cannot be called on constant`, this.at, {
        function: name,
      });
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
  callPointer(pointer: FnPointer, given: readonly RhaiValue[], self?: Ref, lent?: Lent): RhaiValue {
    const at = this.at;
    const { items: curried } = pointer.curried;
    this.charge(curried.length >> 2);
    const args = [...curried.map((value) => this.copy(value)), ...given];
    // SAFETY: closures are made of compiled functions only.
    const closure = pointer.closure as CompiledFunction | undefined;
    const callee = closure ??
      (self === undefined
        ? this.functions.get(functionKey(pointer.name, args.length))
        : this.findMethod(pointer.name, args.length, self.get()));
    let value: RhaiValue;
    if (callee !== undefined) {
      if (callee.params.length !== args.length) this.noFunction(pointer.name, args);
      value = this.invoke(callee, args, pointer.captured, self, lent);
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
    if (callee !== undefined) return callee.params.length - curried.items.length;
    return counts.find((count) => this.functions.has(functionKey(name, count + curried.items.length))) ?? counts[0] ??
      0;
  }
}

const NO_SELF = new ValueRef(null);
