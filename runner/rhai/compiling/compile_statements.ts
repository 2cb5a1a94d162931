import type { Node } from '../parsing/ast.ts';
import { binaryOperation, compileTest } from './compile_expressions.ts';
import { compileTarget, freeCell, selfOf } from './compile_places.ts';
import { type CompileNode, type Compiler, type Context, isPlace } from './compiler.ts';
import { RhaiError } from '../errors.ts';
import { givenMap } from '../given.ts';
import { matchesLiteral } from '../equality.ts';
import { appendInPlace } from '../concatenation.ts';
import { chargeMatch } from '../comparing.ts';
import { applyBinary } from '../operators.ts';
import { ControlTransfer, type Evaluate, type Frame, Signal, type SignalKind } from '../run.ts';
import { showText } from '../showing.ts';
import { Cell, Container, type RhaiValue } from '../values.ts';

/**
 * Compiles a node whose value becomes the value of the node around it. The compiled node must therefore return a copy.
 */
export function compileTail(compiler: Compiler, node: Node, context: Context): Evaluate {
  const value = compiler.compile(node, context);
  return isPlace(node) ? (frame) => frame.run.copy(value(frame)) : value;
}

export const compileBlock: CompileNode<'block'> = (compiler, { body }, context) => {
  const last = body.length - 1;
  const places = body.map(({ at }) => at);
  const statements = body.map((node, index) =>
    index === last ? compileTail(compiler, node, context) : compiler.compile(node, context)
  );
  return (frame) => {
    const { run } = frame;
    let value: RhaiValue = null;
    for (let index = 0; index < statements.length; index++) {
      run.tick(places[index]!);
      value = statements[index]!(frame);
      if (frame.signal !== Signal.none) return value;
    }
    return value;
  };
};

export const compileIf: CompileNode<'if'> = (compiler, { branches, otherwise }, context) => {
  const tests = branches.map(({ test }) => compileTest(compiler, test, context));
  const bodies = branches.map(({ body }) => compiler.compile(body, context));
  const rest = otherwise === undefined ? undefined : compiler.compile(otherwise, context);
  return (frame) => {
    for (let index = 0; index < tests.length; index++) {
      if (tests[index]!(frame)) return bodies[index]!(frame);
      frame.run.charge(1);
    }
    return rest === undefined ? null : rest(frame);
  };
};

export const compileSwitch: CompileNode<'switch'> = (compiler, { subject, cases, at }, context) => {
  const value = compiler.operand(subject, context);
  const compiled = cases.map(({ patterns, guard, body }) => ({
    patterns,
    guard: guard === undefined ? undefined : compileTest(compiler, guard, context),
    body: compileTail(compiler, body, context),
  }));
  return (frame) => {
    const found = value(frame);
    frame.run.tick(at);
    for (const { patterns, guard, body } of compiled) {
      frame.run.charge(1 + (patterns.length >> 1));
      // Charges each comparison of a text or container with a literal, because it may read the whole value.
      if (typeof found === 'string' || found instanceof Container) {
        for (const pattern of patterns) chargeMatch(frame.run, found, pattern);
      }
      const matches = patterns.length === 0 || patterns.some((pattern) => matchesLiteral(found, pattern));
      if (matches && (guard === undefined || guard(frame))) return body(frame);
    }
    return null;
  };
};

export const compileLet: CompileNode<'let'> = (compiler, { variable, initial, at }, context) => {
  const value = initial === undefined ? undefined : compiler.owned(initial, context);
  const isGlobal = compiler.isGlobal(variable);
  return (frame) => {
    const { run } = frame;
    const count = variable.count + (frame.isMain ? run.given.size : 0);
    if (count > run.limits.variables) {
      run.fail('TooManyVariables', `Too many variables defined: more than ${run.limits.variables}`, at);
    }
    const start = value === undefined ? null : value(frame);
    frame.define(variable, start);
    if (isGlobal) run.globals.set(variable.name, start);
    return null;
  };
};

export const compileAssign: CompileNode<'assign'> = (compiler, node, context) => {
  const { target, operator, at } = node;
  const assigned = compiler.owned(node.value, context);
  // As in Rhai, a missing `this` fails before the new value is computed.
  const value: Evaluate = target.kind === 'this' ? (frame) => selfOf(frame, target.at) && assigned(frame) : assigned;
  const locate = compileTarget(compiler, target, context);
  if (operator === undefined) {
    return assignPlainVariable(target, value) ?? ((frame) => {
      const next = value(frame);
      const ref = locate(frame);
      frame.run.at = at;
      ref?.set(next);
      return null;
    });
  }
  const operate = binaryOperation(operator);
  const slot = ownSlot(target);
  return (frame) => {
    const { run, slots } = frame;
    const operand = value(frame);
    const number = slot === undefined ? undefined : slots[slot];
    if (slot !== undefined && typeof number === 'number') {
      run.tick(at);
      run.at = at;
      slots[slot] = operate(frame, number, operand);
      return null;
    }
    const ref = locate(frame);
    run.tick(at);
    run.at = at;
    if (ref === undefined) return null;
    const current = ref.get();
    if (!(current instanceof Object) || !appendInPlace(run, operator, current, operand)) {
      ref.set(
        current instanceof Container ? applyBinary(run, operator, current, operand) : operate(frame, current, operand),
      );
    }
    return null;
  };
};

/** Returns the slot of a variable that the script defines. */
const ownSlot = (target: Node): number | undefined =>
  target.kind === 'variable' && !target.variable.isGiven ? target.variable.slot : undefined;

/** Compiles the fast path for a variable that the script defines and no closure shares. */
function assignPlainVariable(target: Node, value: Evaluate): Evaluate | undefined {
  if (target.kind !== 'variable' || target.variable.isGiven) return undefined;
  const { variable: { slot, name }, at } = target;
  return (frame) => {
    const assigned = value(frame);
    const current = frame.slots[slot];
    if (current instanceof Cell) freeCell(frame.run, current, name, at).value = assigned;
    else frame.slots[slot] = assigned;
    return null;
  };
}

/**
 * Compiles a statement that ends a function or a loop. The compiled code sets a signal. If the code around the
 * statement does not check for signals, the compiled code throws the signal.
 */
function leave(kind: SignalKind, value: Evaluate | undefined, isSignal: boolean): Evaluate {
  return (frame) => {
    const result = value === undefined ? null : value(frame);
    if (!isSignal) throw new ControlTransfer(kind, result);
    frame.signal = kind;
    return result;
  };
}

const optional = (compiler: Compiler, node: Node | undefined, context: Context): Evaluate | undefined =>
  node === undefined ? undefined : compiler.owned(node, context);

export const compileReturn: CompileNode<'return'> = (compiler, { value }, context) => {
  if (!context.signalsReturn) context.fn.throwsReturn = true;
  return leave(Signal.return, optional(compiler, value, context), context.signalsReturn);
};

export const compileBreak: CompileNode<'break'> = (compiler, { value }, context) => {
  if (!context.signalsLoop) context.loop.throwsControl = true;
  return leave(Signal.break, optional(compiler, value, context), context.signalsLoop);
};

export const compileContinue: CompileNode<'continue'> = (_, __, context) => {
  if (!context.signalsLoop) context.loop.throwsControl = true;
  return leave(Signal.continue, undefined, context.signalsLoop);
};

/** Catches a signal that code in a body throws, and sets it in the frame. */
export function catchControl(body: Evaluate, kinds: readonly SignalKind[]): Evaluate {
  return (frame) => {
    try {
      return body(frame);
    } catch (error) {
      if (!(error instanceof ControlTransfer) || !kinds.includes(error.kind)) throw error;
      frame.signal = error.kind;
      return error.value;
    }
  };
}

/** Compiles `throw`. In a catch clause, a throw without a value throws the caught error again. */
export const compileThrow: CompileNode<'throw'> = (compiler, { value, rethrows, at }, context) => {
  const thrown = optional(compiler, value, context);
  return (frame) => {
    const result = thrown === undefined ? null : thrown(frame);
    const caught = rethrows === undefined || result !== null ? undefined : frame.caught?.get(rethrows);
    if (caught !== undefined) throw caught.movedTo(at);
    const text = showText(frame.run, result);
    frame.run.charge(text.length >> 4);
    throw new RhaiError('Runtime', text === '' ? 'Runtime error' : `Runtime error: ${text}`, at, { thrown: result });
  };
};

/** Returns the value that a catch clause gets: the thrown value, or a map that describes the error. */
function caughtValue({ run }: Frame, error: RhaiError): RhaiValue {
  // SAFETY: only throw statements set `thrown`, and they set it to values of the script.
  if (error.thrown !== undefined) return run.copy(error.thrown as RhaiValue);
  const { kind, text, outermost: { line, column }, details } = error;
  const call = error.calls.at(-1);
  const about = call === undefined
    ? { error: `Error${kind}`, ...details }
    : { error: 'ErrorInFunctionCall', function: call.name, source: '' };
  return givenMap(Object.entries({ message: text, line, position: column, ...about }));
}

/** Compiles `try`. The value of the statement is the value of the tried block, or unit if that block failed. */
export const compileTry: CompileNode<'try'> = (compiler, { body, variable, handler }, context) => {
  const attempted = compiler.compile(body, context);
  const handled = compiler.compile(handler, context);
  return (frame) =>
    frame.run.attempt(() => attempted(frame), (error) => {
      (frame.caught ??= new Map()).set(variable, error);
      frame.define(variable, caughtValue(frame, error));
      const value = handled(frame);
      return frame.signal === Signal.none ? null : value;
    });
};
