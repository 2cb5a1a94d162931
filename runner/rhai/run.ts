import type { Variable } from './parsing/ast.ts';
import { functionKey, methodName } from './parsing/ast.ts';
import { type Call, RhaiError } from './errors.ts';
import { Memory } from './memory.ts';
import { type Ref, ValueRef } from './refs.ts';
import { Cell, Container, type FnPointer, type RhaiValue, tagOf, typeName, type TypeTag } from './values.ts';

/** A compiled part of a script. */
export type Evaluate = (frame: Frame) => RhaiValue;

/** The ways in which a block ends early. */
export const Signal = { none: 0, break: 1, continue: 2, return: 3 } as const;
export type SignalKind = typeof Signal[keyof typeof Signal];

/** A signal that code within an expression throws, because no code there checks the frame for signals. */
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

/** Finds a variable of the calling function by name; undefined if that function does not have it. */
export type Lent = (name: string) => Ref | undefined;

/** One call of a function. */
export class Frame {
  readonly run: Run;
  /**
   * The variables by slot. A slot is undefined if its variable is not defined yet, or if the script's caller did not
   * give the variable.
   */
  readonly slots: (RhaiValue | Cell | undefined)[];
  /** The value of `this`. */
  readonly self: Ref | undefined;
  signal: SignalKind = Signal.none;
  /** True for the frame of the script itself, which holds the variables that its caller gives. */
  readonly isMain: boolean;
  /** The variables of the calling function, if it lends them. */
  readonly lent: Lent | undefined;
  /** True if the chain being evaluated has ended at an optional link whose base was unit. */
  hasEnded = false;
  /** The last error of each catch clause, by the clause's variable, so that it can be thrown again. */
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

/** A compiled function of the script. */
export interface CompiledFunction {
  readonly name: string;
  readonly params: readonly Variable[];
  /** The slots of its captured variables. */
  readonly captureSlots: readonly number[];
  readonly slotCount: number;
  readonly depth: number;
  readonly body: Evaluate;
}

/** Calls a built-in function. Returns undefined if the function does not accept arguments of these types. */
export type NativeCall = (run: Run, self: RhaiValue, args: readonly RhaiValue[], ref: Ref) => RhaiValue | undefined;

export interface Native {
  readonly min: number;
  readonly max: number;
  /** True if scripts can read the function's result like a property. */
  readonly isProperty: boolean;
  /** True if the function changes its subject. The subject must then not be a constant. */
  readonly isWriter: boolean;
  readonly call: NativeCall;
}

/** The functions of one type, by name. */
export type NativeMethods = ReadonlyMap<string, Native>;

/** Built-in functions by the type of their subject: `any` for every type, `none` for functions without a subject. */
export type NativeTable = ReadonlyMap<TypeTag | 'any' | 'none', NativeMethods>;

/**
 * The depth to which the evaluation of nodes may be nested. Each node takes one frame of the JavaScript stack, and some
 * take two or three. With V8's default stack of 984 KiB, the worst recursions would fail beyond a depth of about 4,000.
 */
const MAX_STACK_DEPTH = 3_000;
/** The stack depth that the call of a function itself takes. */
const CALL_DEPTH = 4;

/** Rhai's name for the type of a string in the error about a missing function. */
const STRING_TYPES = '&str | ImmutableString | String';

/** Number of operations that making and catching an error costs. */
const CATCH_COST = 20;

/** One run of a script. It calls the functions of the script and the built-in functions. */
export class Run extends Memory {
  readonly functions: ReadonlyMap<string, CompiledFunction>;
  readonly natives: NativeTable;
  /** The names of the variables that the script's caller gives. */
  readonly given: ReadonlySet<string>;
  /** The given variables that are constants. Functions see them, too. */
  readonly constants: ReadonlyMap<string, RhaiValue>;
  /** The constants of the top level, by name. Functions can use them. */
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
    // Making the slots takes time, because a function may have many. Each variable has its own slot, even if it
    // replaces another variable of the same name.
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

  /** Runs a function whose `this` is a captured variable. Closures can't use the variable meanwhile. */
  #locked(cell: Cell, callee: CompiledFunction, frame: Frame): RhaiValue {
    const wasLocked = cell.isLocked;
    cell.isLocked = true;
    try {
      return callee.body(frame);
    } finally {
      cell.isLocked = wasLocked;
    }
  }

  /** Runs `action`, and `recover` if it fails with an error that scripts may catch. */
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

  /**
   * Adds to an error the calls through which it passed, except the outermost `depth` calls. Uncatchable errors don't
   * name calls.
   */
  traced(error: RhaiError, depth = 0): RhaiError {
    return error.isCatchable ? error.within(this.#calls.slice(depth).toReversed()) : error;
  }

  noFunction(name: string, args: readonly RhaiValue[]): never {
    this.charge(args.length);
    const types = args.map((arg) => typeof arg === 'string' ? STRING_TYPES : typeName(arg));
    const signature = `${name} (${types.join(', ')})`;
    return this.fail('FunctionNotFound', `Function not found: ${signature}`, this.at, { function: signature });
  }

  /**
   * Finds a function of the script for a subject. A method of the subject's type takes precedence over a function for
   * all types.
   */
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

  /**
   * Calls a built-in function by its name, without a subject before a point. If the function belongs to a type, its
   * first argument is the subject. `first` is the place of that argument, if it has one.
   */
  callPlain(name: string, args: readonly RhaiValue[], first?: Ref): RhaiValue {
    const native = this.natives.get('none')?.get(name);
    if (native !== undefined && args.length >= native.min && args.length <= native.max) {
      return this.#finish(name, native.call(this, null, args, NO_SELF), args);
    }
    const [self, ...rest] = args;
    return self === undefined
      ? this.noFunction(name, args)
      : this.callNative(name, this.#subject(name, self, first), rest);
  }

  /**
   * Returns the subject. As in Rhai, a function may change its first argument. If this argument is a constant or is
   * shared with a closure, the function changes a copy.
   */
  #subject(name: string, self: RhaiValue, first: Ref | undefined): Ref {
    if (first === undefined) return new ValueRef(self);
    const isKept = first.constant !== undefined || first.cell !== undefined;
    return isKept && this.findNative(name, self)?.isWriter === true ? new ValueRef(this.copy(self)) : first;
  }

  #finish(name: string, value: RhaiValue | undefined, args: readonly RhaiValue[]): RhaiValue {
    return value === undefined ? this.noFunction(name, args) : value;
  }

  /**
   * Calls the function of a function pointer. If `self` is given, calls it as a method of `self`. `first` is the place
   * of the first argument, which a built-in function may change.
   */
  callPointer(pointer: FnPointer, given: readonly RhaiValue[], self?: Ref, lent?: Lent, first?: Ref): RhaiValue {
    const at = this.at;
    const { items: curried } = pointer.curried;
    this.charge(curried.length >> 2);
    const args = [...curried.map((value) => this.copy(value)), ...given];
    // SAFETY: the functions of closures are always compiled functions.
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
      const place = curried.length === 0 ? first : undefined;
      value = self === undefined
        ? this.callPlain(pointer.name, args, place)
        : this.callNative(pointer.name, self, args);
    }
    // An error after the call must be reported at the position of the call.
    this.at = at;
    return value;
  }

  /**
   * Calls a function for an element, with as many of `args` as the function accepts. The last argument is optional. If
   * the function also lacks a parameter for a required argument, it gets the argument at `selfIndex` as its `this`.
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

  /**
   * Counts the arguments with which a function pointer must be called. If the function is looked up by name, the script
   * may have several functions of this name. Returns the first of `counts` for which there is one.
   */
  countParams({ name, curried, closure }: FnPointer, counts: readonly number[]): number {
    // SAFETY: as in callPointer, the functions of closures are always compiled functions.
    const callee = closure as CompiledFunction | undefined;
    if (callee !== undefined) return callee.params.length - curried.items.length;
    return counts.find((count) => this.functions.has(functionKey(name, count + curried.items.length))) ?? counts[0] ??
      0;
  }
}

const NO_SELF = new ValueRef(null);
