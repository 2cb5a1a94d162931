import type { Node, NodeOf, Variable } from '../parsing/ast.ts';
import { type CompileNode, type Compiler, type Context } from './compiler.ts';
import { locateIndex, readIndex } from '../elements.ts';
import type { Position } from '../errors.ts';
import { PropertyRef, type Ref, SlotRef, ValueRef } from '../refs.ts';
import type { Evaluate, Frame, Run } from '../run.ts';
import { Cell, FnPointer, RhaiArray, RhaiMap, type RhaiValue, typeName } from '../values.ts';

export type Locate = (frame: Frame) => Ref;

const notFound = (run: Run, name: string, at: Position): never =>
  run.fail('VariableNotFound', `Variable not found: ${name}`, at, { variable: name });

/** Returns the cell of a variable. Fails while a running function uses the variable as its `this`. */
export function freeCell(run: Run, cell: Cell, name: string, at: Position): Cell {
  return cell.isLocked ? run.fail('DataRace', `Data race detected when accessing variable '${name}'`, at) : cell;
}

export const compileVariable: CompileNode<'variable'> = (compiler, { variable, at }) => {
  const { slot, name } = variable;
  const isFunction = variable.isGiven && compiler.functionNames.has(name);
  return (frame) => {
    const value = frame.slots[slot];
    if (value === undefined) return isFunction ? new FnPointer(name) : notFound(frame.run, name, at);
    return value instanceof Cell ? freeCell(frame.run, value, name, at).value : value;
  };
};

/**
 * Compiles a name that a function does not define. The name may stand for a variable that the caller lends, a constant
 * of the run, or a function.
 */
export const compileUnknown: CompileNode<'unknown'> = (compiler, { name, at }) => {
  const isFunction = compiler.functionNames.has(name);
  return (frame) => {
    const lent = frame.lent?.(name);
    const value = lent === undefined ? frame.run.constants.get(name) : lent.get();
    if (value !== undefined) return value;
    return isFunction ? new FnPointer(name) : notFound(frame.run, name, at);
  };
};

export const compileGlobal: CompileNode<'global'> = (_, { name, at }) => ({ run }) => {
  const value = run.globals.get(name);
  return value === undefined ? notFound(run, `global::${name}`, at) : value;
};

export const selfOf = (frame: Frame, at: Position): Ref =>
  frame.self ?? frame.run.fail('UnboundThis', `'this' not bound`, at);

export const compileThis: CompileNode<'this'> = (_, { at }) => (frame) => selfOf(frame, at).get();

/**
 * Returns the cell of a variable that a closure captures. For a function's name, makes a cell with a pointer to that
 * function.
 */
export function cellOf(frame: Frame, { slot, name }: Variable, isFunction: boolean, at: Position): Cell {
  const cell = frame.slots[slot];
  if (cell === undefined && isFunction) return new Cell(new FnPointer(name));
  return cell instanceof Cell ? cell : notFound(frame.run, name, at);
}

/**
 * True if a chain ends before this link. The frame remembers the end for the later links, until the whole chain is
 * evaluated.
 */
export function isEnded(frame: Frame, isOptional: boolean, subject: RhaiValue): boolean {
  if (isOptional && subject === null) frame.hasEnded = true;
  return frame.hasEnded;
}

export const compileChain: CompileNode<'chain'> = (compiler, { body }, context) => {
  const value = compiler.operand(body, context);
  return (frame) => {
    const result = value(frame);
    frame.hasEnded = false;
    return result;
  };
};

export const compileIndex: CompileNode<'index'> = (compiler, node, context) => {
  const base = compiler.operand(node.base, context);
  const index = compiler.operand(node.index, context);
  const { isOptional, mayEnd, at } = node;
  return (frame) => {
    const { run } = frame;
    const subject = base(frame);
    if (mayEnd && isEnded(frame, isOptional, subject)) return null;
    const key = index(frame);
    run.tick(at);
    if (typeof key === 'number' && key >= 0 && subject instanceof RhaiArray) {
      const value = subject.items[key];
      if (value !== undefined) return value;
    }
    run.at = node.index.at;
    return readIndex(run, subject, key);
  };
};

const badProperty = (run: Run, property: string, at: Position): never =>
  run.fail('DotExpr', property, at, { property });

export const compileProperty: CompileNode<'property'> = (
  compiler,
  { base: baseNode, name, isOptional, mayEnd, at },
  context,
) => {
  const base = compiler.operand(baseNode, context);
  return (frame) => {
    const { run } = frame;
    const subject = base(frame);
    run.tick(at);
    if (subject instanceof RhaiMap) return subject.properties.get(name) ?? null;
    if (mayEnd && isEnded(frame, isOptional, subject)) return null;
    return readProperty(run, subject, name, at);
  };
};

function readProperty(run: Run, subject: RhaiValue, name: string, at: Position): RhaiValue {
  const native = run.findNative(name, subject);
  if (native === undefined || !native.isProperty) {
    return badProperty(
      run,
      `Unknown property '${name}' - a getter is not registered for type '${typeName(subject)}'`,
      at,
    );
  }
  run.at = at;
  return native.call(run, subject, [], new ValueRef(subject)) ?? null;
}

function locateVariable(compiler: Compiler, { variable, at }: NodeOf<'variable'>): Locate {
  const { slot, name, isConstant, isGiven } = variable;
  const isFunction = isGiven && compiler.functionNames.has(name);
  return ({ run, slots }) => {
    const value = slots[slot];
    if (value === undefined) return isFunction ? new ValueRef(new FnPointer(name)) : notFound(run, name, at);
    if (value instanceof Cell) freeCell(run, value, name, at);
    return new SlotRef(slots, slot, isConstant || (isGiven && run.constants.has(name)) ? name : undefined);
  };
}

function locateUnknown(compiler: Compiler, node: NodeOf<'unknown'>, context: Context): Locate {
  const value = compiler.compile(node, context);
  const { name } = node;
  return (frame) => frame.lent?.(name) ?? new ValueRef(value(frame), frame.run.constants.has(name) ? name : undefined);
}

/**
 * Locates the end of a chain. If the chain has ended early, the place is that of a temporary unit value.
 * `compileTarget` does not use this function, because it must know this case.
 */
function locateChain(compiler: Compiler, { body }: NodeOf<'chain'>, context: Context): Locate {
  const locate = compileRef(compiler, body, context);
  return (frame) => {
    const ref = locate(frame);
    frame.hasEnded = false;
    return ref;
  };
}

function locateElement(compiler: Compiler, node: NodeOf<'index'>, context: Context): Locate {
  const base = compileRef(compiler, node.base, context);
  const index = compiler.operand(node.index, context);
  return (frame) => {
    const { run } = frame;
    const ref = base(frame);
    if (node.mayEnd && isEnded(frame, node.isOptional, ref.get())) return new ValueRef(null);
    const key = index(frame);
    run.tick(node.at);
    run.at = node.index.at;
    return locateIndex(run, ref, key);
  };
}

function locateProperty(
  compiler: Compiler,
  { base: baseNode, name, isOptional, mayEnd, at }: NodeOf<'property'>,
  context: Context,
): Locate {
  const base = compileRef(compiler, baseNode, context);
  return (frame) => {
    const { run } = frame;
    const ref = base(frame);
    const subject = ref.get();
    run.tick(at);
    if (subject instanceof RhaiMap) return new PropertyRef(run, subject, name, ref.constant);
    if (mayEnd && isEnded(frame, isOptional, subject)) return new ValueRef(null);
    return new ValueRef(readProperty(run, subject, name, at));
  };
}

/**
 * Compiles the place of a node's value, so that it can be changed there. A value without a place gets a temporary
 * place.
 */
export function compileRef(compiler: Compiler, node: Node, context: Context): Locate {
  switch (node.kind) {
    case 'variable':
      return locateVariable(compiler, node);
    case 'unknown':
      return locateUnknown(compiler, node, context);
    case 'chain':
      return locateChain(compiler, node, context);
    case 'this':
      return (frame) => selfOf(frame, node.at);
    case 'index':
      return locateElement(compiler, node, context);
    case 'property':
      return locateProperty(compiler, node, context);
    default: {
      const value: Evaluate = compiler.owned(node, context);
      return (frame) => new ValueRef(value(frame));
    }
  }
}

/** Returns the first node of a chain. */
function rootOf(node: Node): Node {
  let root = node;
  while (root.kind === 'chain' || root.kind === 'index' || root.kind === 'property') {
    root = root.kind === 'chain' ? root.body : root.base;
  }
  return root;
}

/**
 * Compiles the place to which an assignment writes. The compiled code returns undefined if the target's chain has ended
 * early.
 */
export function compileTarget(compiler: Compiler, target: Node, context: Context): (frame: Frame) => Ref | undefined {
  const node = target.kind === 'chain' ? target.body : target;
  const locate = compileRef(compiler, node, context);
  const root = rootOf(node);
  return (frame) => {
    const ref = locate(frame);
    if (frame.hasEnded) {
      frame.hasEnded = false;
      return undefined;
    }
    if (ref.constant !== undefined) {
      frame.run.fail('AssignmentToConstant', `Cannot modify constant ${ref.constant}`, root.at, {
        variable: ref.constant,
      });
    }
    // No value can be assigned to a property that is computed from its subject.
    if (node.kind === 'property' && ref instanceof ValueRef) {
      badProperty(frame.run, `Property '${node.name}' can't be assigned to`, node.at);
    }
    return ref;
  };
}
