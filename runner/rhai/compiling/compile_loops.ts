import { compileTest } from './compile_expressions.ts';
import { catchControl } from './compile_statements.ts';
import type { Node } from '../parsing/ast.ts';
import { type CompileNode, type Compiler, type Context } from './compiler.ts';
import { toInt } from '../integers.ts';
import { type Evaluate, type Frame, type Run, Signal } from '../run.ts';
import { Blob, Cell, Char, charactersOf, Range, RhaiArray, type RhaiValue, Sequence, typeName } from '../values.ts';

/** Compiles the body of a loop, where break and continue are signals. */
function compileBody(compiler: Compiler, node: Node, context: Context): Evaluate {
  const loop = { throwsControl: false };
  const body = compiler.compile(node, { ...context, signalsLoop: true, loop });
  return loop.throwsControl ? catchControl(body, [Signal.break, Signal.continue]) : body;
}

/** True if the loop ends after this round. Clears break and continue, but not return. */
function isLeft(frame: Frame): boolean {
  const { signal } = frame;
  if (signal !== Signal.return) frame.signal = Signal.none;
  return signal === Signal.break || signal === Signal.return;
}

export const compileWhile: CompileNode<'while'> = (compiler, { test, body, at }, context) => {
  const condition = test === undefined ? undefined : compileTest(compiler, test, context);
  const round = compileBody(compiler, body, context);
  return (frame) => {
    while (condition === undefined || condition(frame)) {
      frame.run.tick(at);
      const value = round(frame);
      if (frame.signal !== Signal.none && isLeft(frame)) return value;
    }
    return null;
  };
};

export const compileDo: CompileNode<'do'> = (compiler, { body, test, isUntil, at }, context) => {
  const condition = compileTest(compiler, test, context);
  const round = compileBody(compiler, body, context);
  return (frame) => {
    do {
      frame.run.tick(at);
      const value = round(frame);
      if (frame.signal !== Signal.none && isLeft(frame)) return value;
    } while (condition(frame) !== isUntil);
    return null;
  };
};

/** Yields the integers of a range one by one. */
function* rangeValues({ start, end, isInclusive }: Range): Iterable<RhaiValue> {
  if (typeof start === 'number' && typeof end === 'number') {
    const last = isInclusive ? end : end - 1;
    for (let value = start; value <= last; value++) yield value;
  } else {
    const last = isInclusive ? BigInt(end) : BigInt(end) - 1n;
    for (let value = BigInt(start); value <= last; value++) yield toInt(value);
  }
}

function valuesOf(run: Run, source: RhaiValue): Iterable<RhaiValue> {
  if (source instanceof Range) return rangeValues(source);
  if (source instanceof RhaiArray) return source.items.map((item) => run.detach(item));
  if (source instanceof Sequence) return source.iterate();
  if (source instanceof Blob) return source.bytes;
  if (typeof source === 'string') {
    run.charge(source.length >> 3);
    return charactersOf(source).map((character) => new Char(character));
  }
  return run.fail('For', `For loop expects iterable type, not ${typeName(source)}`);
}

export const compileFor: CompileNode<'for'> = (compiler, { variable, counter, source, body, at }, context) => {
  const iterated = compiler.owned(source, context);
  const round = compileBody(compiler, body, context);
  return (frame) => {
    const { run, slots } = frame;
    const values = iterated(frame);
    run.at = source.at;
    const count = variable.count + (counter === undefined ? 0 : 1) + (frame.isMain ? run.given.size : 0);
    if (count > run.limits.variables) {
      run.fail('TooManyVariables', `Too many variables defined: more than ${run.limits.variables}`, at);
    }
    // As in Rhai, closures that are made in different rounds share one variable.
    frame.define(variable, null);
    if (counter !== undefined) frame.define(counter, null);
    const assign = (slot: number, value: RhaiValue) => {
      const current = slots[slot];
      if (current instanceof Cell) current.value = value;
      else slots[slot] = value;
    };
    let index = 0;
    for (const value of valuesOf(run, values)) {
      run.tick(at);
      assign(variable.slot, value);
      if (counter !== undefined) assign(counter.slot, index++);
      const result = round(frame);
      if (frame.signal !== Signal.none && isLeft(frame)) return result;
    }
    return null;
  };
};
