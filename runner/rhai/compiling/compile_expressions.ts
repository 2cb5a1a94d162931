import type { BinaryOperator, Node } from '../parsing/ast.ts';
import { type CompileNode, type Context, evaluateAll } from './compiler.ts';
import { applyBinary, applyUnary } from '../operators.ts';
import { type Evaluate, type Frame } from '../run.ts';
import { showText } from '../showing.ts';
import { type RhaiValue, typeName } from '../values.ts';

export const compileLiteral: CompileNode<'literal'> = (_, { value }) => () => value;

export const compileTemplate: CompileNode<'template'> = (compiler, { parts, at }, context) => {
  const pieces = parts.map((part): string | Evaluate =>
    typeof part === 'string' ? part : compiler.operand(part, context)
  );
  return (frame) => {
    const { run } = frame;
    let text = '';
    for (const piece of pieces) text += typeof piece === 'string' ? piece : showText(run, piece(frame));
    run.tick(at);
    run.at = at;
    run.chargeText(text.length);
    return run.newText(text);
  };
};

export const compileArray: CompileNode<'array'> = (compiler, { items, at }, context) => {
  const elements = items.map((item) => compiler.owned(item, context));
  return (frame) => {
    const values = evaluateAll(elements, frame);
    frame.run.tick(at);
    frame.run.at = at;
    frame.run.charge(values.length);
    return frame.run.newArray(values);
  };
};

export const compileMap: CompileNode<'map'> = (compiler, { entries, at }, context) => {
  const members = entries.map(({ key, value }) => [key, compiler.owned(value, context)] as const);
  return (frame) => {
    const properties = new Map<string, RhaiValue>();
    for (const [key, value] of members) properties.set(key, value(frame));
    frame.run.tick(at);
    frame.run.at = at;
    frame.run.charge(properties.size);
    return frame.run.newMap(properties);
  };
};

export const compileUnary: CompileNode<'unary'> = (compiler, { operator, operand, at }, context) => {
  const value = compiler.operand(operand, context);
  return (frame) => {
    const { run } = frame;
    const argument = value(frame);
    run.tick(at);
    run.at = at;
    return applyUnary(run, operator, argument);
  };
};

/** Compiles a condition, whose value must be a bool. */
export function compileTest(
  compiler: Parameters<CompileNode<'if'>>[0],
  node: Node,
  context: Context,
): (frame: Frame) => boolean {
  const value = compiler.operand(node, context);
  return (frame) => {
    const test = value(frame);
    if (typeof test === 'boolean') return test;
    return frame.run.mismatch('bool', typeName(test), node.at);
  };
}

export const compileLogic: CompileNode<'logic'> = (compiler, { operator, left, right, at }, context) => {
  if (operator === '??') {
    const [first, second] = [compiler.operand(left, context), compiler.operand(right, context)];
    return (frame) => {
      frame.run.tick(at);
      return first(frame) ?? second(frame);
    };
  }
  const [first, second] = [compileTest(compiler, left, context), compileTest(compiler, right, context)];
  const isAnd = operator === '&&';
  return (frame) => {
    frame.run.tick(at);
    return first(frame) === isAnd ? second(frame) : !isAnd;
  };
};

type FastInteger = (left: number, right: number) => number | boolean;

/**
 * Operators on safe integers. If a result is not a safe integer, it is computed again exactly. Adding 0 turns -0 into
 * 0.
 */
const FAST_INTEGERS: Partial<Record<BinaryOperator, FastInteger>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right + 0,
  '/': (left, right) => right === 0 ? NaN : Math.trunc(left / right) + 0,
  '%': (left, right) => right === 0 ? NaN : left % right + 0,
  '&': (left, right) => (left | 0) === left && (right | 0) === right ? left & right : NaN,
  '|': (left, right) => (left | 0) === left && (right | 0) === right ? left | right : NaN,
  '^': (left, right) => (left | 0) === left && (right | 0) === right ? left ^ right : NaN,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
};

/** Returns the function for an operator on two values, with a fast path for safe integers. */
export function binaryOperation(
  operator: BinaryOperator,
): (frame: Frame, left: RhaiValue, right: RhaiValue) => RhaiValue {
  const fast = FAST_INTEGERS[operator];
  if (fast === undefined) return ({ run }, left, right) => applyBinary(run, operator, left, right);
  return ({ run }, left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      const result = fast(left, right);
      if (typeof result === 'boolean' || (result <= Number.MAX_SAFE_INTEGER && result >= Number.MIN_SAFE_INTEGER)) {
        return result;
      }
    }
    return applyBinary(run, operator, left, right);
  };
}

export const compileBinary: CompileNode<'binary'> = (compiler, { operator, left, right, at }, context) => {
  const [first, second] = [compiler.operand(left, context), compiler.operand(right, context)];
  const operate = binaryOperation(operator);
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    const { run } = frame;
    run.tick(at);
    run.at = at;
    return operate(frame, a, b);
  };
};
