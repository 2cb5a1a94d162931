import type { Node, NodeOf, Variable } from './ast.ts';
import { type CompileNode, type Compiler, type Context } from './compiler.ts';
import type { Position } from './errors.ts';
import { bitPlace, rangeSpan } from './bit_fields.ts';
import {
  BitsRef,
  boundsError,
  ByteRef,
  CharacterRef,
  ElementRef,
  PropertyRef,
  type Ref,
  SlotRef,
  ValueRef,
} from './refs.ts';
import type { Evaluate, Frame, Run } from './run.ts';
import {
  Blob,
  Cell,
  Char,
  countCharacters,
  isInt,
  Range,
  RhaiArray,
  RhaiMap,
  type RhaiValue,
  sliceCharacters,
  typeName,
} from './values.ts';

export type Locate = (frame: Frame) => Ref;

const notFound = (run: Run, name: string, at: Position): never =>
  run.fail('VariableNotFound', `Variable not found: ${name}`, at, { variable: name });

export const compileVariable: CompileNode<'variable'> = (_, { variable: { slot, name }, at }) => (frame) => {
  const value = frame.slots[slot];
  if (value === undefined) return notFound(frame.run, name, at);
  return value instanceof Cell ? value.value : value;
};

export const compileUnknown: CompileNode<'unknown'> = (_, { name, at }) => (frame) => notFound(frame.run, name, at);

export const compileGlobal: CompileNode<'global'> = (_, { name, at }) => ({ run }) => {
  const value = run.globals.get(name);
  return value === undefined ? notFound(run, `global::${name}`, at) : value;
};

const selfOf = (frame: Frame, at: Position): Ref => frame.self ?? frame.run.fail('UnboundThis', `'this' not bound`, at);

export const compileThis: CompileNode<'this'> = (_, { at }) => (frame) => selfOf(frame, at).get();

/** The cell of a variable that a closure captures. */
export function cellOf(frame: Frame, { slot, name }: Variable, at: Position): Cell {
  const cell = frame.slots[slot];
  return cell instanceof Cell ? cell : notFound(frame.run, name, at);
}

/** An index as a position: from the end when it is negative. */
function position(run: Run, kind: 'Array' | 'String', length: number, index: number | bigint): number {
  const offset = Number(index);
  const place = offset < 0 ? length + offset : offset;
  return place >= 0 && place < length ? place : boundsError(run, kind, length, index);
}

/** How many characters a text has, which is paid for: less by those texts whose characters are all of one unit. */
function countPaid(run: Run, text: string): number {
  const count = countCharacters(text);
  run.charge(text.length >> (count === text.length ? 10 : 5));
  return count;
}

/** There are elements, but not by an index of this type. */
function badIndex(run: Run, base: RhaiValue, index: RhaiValue): never {
  if (base instanceof RhaiMap) return run.mismatch('string', typeName(index));
  if (base instanceof RhaiArray || base instanceof Blob || typeof base === 'string' || isInt(base)) {
    return run.mismatch('i64', typeName(index));
  }
  const type = `${typeName(base)} [${typeName(index)}]`;
  return run.fail('IndexingType', `Indexer unavailable: ${type}`, run.at, { type });
}

/** The bits of an integer that an index or a range selects. */
function locateBits(run: Run, ref: Ref, index: RhaiValue): Ref {
  if (index instanceof Range) return new BitsRef(run, ref, rangeSpan(run, index), false);
  if (!isInt(index)) return badIndex(run, ref.get(), index);
  return new BitsRef(run, ref, { start: bitPlace(run, index), count: 1 }, true);
}

function readIndex(run: Run, base: RhaiValue, index: RhaiValue): RhaiValue {
  if (typeof index === 'string') run.chargeText(index.length);
  if (base instanceof RhaiMap && typeof index === 'string') return base.properties.get(index) ?? null;
  if (isInt(base)) return locateBits(run, new ValueRef(base), index).get();
  if (!isInt(index)) return badIndex(run, base, index);
  if (base instanceof RhaiArray) return base.items[position(run, 'Array', base.items.length, index)] ?? null;
  if (typeof base === 'string') {
    const place = position(run, 'String', countPaid(run, base), index);
    return new Char(sliceCharacters(base, place, place + 1));
  }
  if (base instanceof Blob) return base.bytes[position(run, 'Array', base.bytes.length, index)] ?? null;
  return badIndex(run, base, index);
}

function locateIndex(run: Run, ref: Ref, index: RhaiValue): Ref {
  const base = ref.get();
  if (typeof index === 'string') run.chargeText(index.length);
  if (base instanceof RhaiMap && typeof index === 'string') return new PropertyRef(run, base, index, ref.constant);
  if (isInt(base)) return locateBits(run, ref, index);
  if (!isInt(index)) return badIndex(run, base, index);
  if (base instanceof RhaiArray) {
    return new ElementRef(run, base, position(run, 'Array', base.items.length, index), ref.constant);
  }
  if (typeof base === 'string') {
    return new CharacterRef(run, ref, position(run, 'String', countPaid(run, base), index));
  }
  if (base instanceof Blob) {
    return new ByteRef(run, base, position(run, 'Array', base.bytes.length, index), ref.constant);
  }
  return badIndex(run, base, index);
}

export const compileIndex: CompileNode<'index'> = (compiler, node, context) => {
  const base = compiler.operand(node.base, context);
  const index = compiler.operand(node.index, context);
  const { isOptional, at } = node;
  return (frame) => {
    const { run } = frame;
    const subject = base(frame);
    if (isOptional && subject === null) return null;
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
  { base: baseNode, name, isOptional, at },
  context,
) => {
  const base = compiler.operand(baseNode, context);
  return (frame) => {
    const { run } = frame;
    const subject = base(frame);
    run.tick(at);
    if (subject instanceof RhaiMap) return subject.properties.get(name) ?? null;
    if (isOptional && subject === null) return null;
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

function locateVariable({ variable: { slot, name, isConstant, isGiven }, at }: NodeOf<'variable'>): Locate {
  return ({ run, slots }) => {
    if (slots[slot] === undefined) notFound(run, name, at);
    return new SlotRef(slots, slot, isConstant || (isGiven && run.constants.has(name)) ? name : undefined);
  };
}

function locateElement(compiler: Compiler, node: NodeOf<'index'>, context: Context): Locate {
  const base = compileRef(compiler, node.base, context);
  const index = compiler.operand(node.index, context);
  return (frame) => {
    const { run } = frame;
    const ref = base(frame);
    if (node.isOptional && ref.get() === null) return new ValueRef(null);
    const key = index(frame);
    run.tick(node.at);
    run.at = node.index.at;
    return locateIndex(run, ref, key);
  };
}

function locateProperty(
  compiler: Compiler,
  { base: baseNode, name, isOptional, at }: NodeOf<'property'>,
  context: Context,
): Locate {
  const base = compileRef(compiler, baseNode, context);
  return (frame) => {
    const { run } = frame;
    const ref = base(frame);
    const subject = ref.get();
    run.tick(at);
    if (subject instanceof RhaiMap) return new PropertyRef(run, subject, name, ref.constant);
    if (isOptional && subject === null) return new ValueRef(null);
    return new ValueRef(readProperty(run, subject, name, at));
  };
}

/** Where a node's value is, so that it can be changed there; the value of what is nowhere is a place of its own. */
export function compileRef(compiler: Compiler, node: Node, context: Context): Locate {
  switch (node.kind) {
    case 'variable':
      return locateVariable(node);
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

/** As `compileRef`, for something that is going to be assigned. */
export function compileTarget(compiler: Compiler, node: Node, context: Context): Locate {
  const locate = compileRef(compiler, node, context);
  const { at } = node;
  return (frame) => {
    const ref = locate(frame);
    if (ref.constant !== undefined) {
      frame.run.fail('AssignmentToConstant', `Cannot modify constant ${ref.constant}`, at, { variable: ref.constant });
    }
    // A property that is only computed from its subject is no place.
    if (node.kind === 'property' && ref instanceof ValueRef) {
      badProperty(frame.run, `No writable property '${node.name}'`, at);
    }
    return ref;
  };
}
