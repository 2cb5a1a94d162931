import { Decimal } from '../../types/values/decimal.ts';
import { numberArithmetic } from './arithmetic.ts';
import type { BinaryOperator } from './parsing/ast.ts';
import { chargeComparison, findValue } from './comparing.ts';
import { concatenate, toByte } from './concatenation.ts';
import { compareOperands, equalValues, rangeContains } from './equality.ts';
import { checkedInt } from './integers.ts';
import type { Run } from './run.ts';
import { findText, removeText } from '../values/text_search.ts';
import {
  Blob,
  Float,
  isInt,
  isText,
  Range,
  RhaiArray,
  RhaiMap,
  type RhaiValue,
  tagOf,
  textOf,
  typeName,
  type TypeTag,
} from './values.ts';

function contains(run: Run, container: RhaiValue, value: RhaiValue): boolean | undefined {
  if (container instanceof RhaiArray) {
    return findValue(run, container, value) >= 0;
  }
  if (container instanceof RhaiMap && typeof value === 'string') {
    run.chargeText(value.length);
    return container.properties.has(value);
  }
  if (typeof container === 'string' && isText(value)) {
    run.chargeText(container.length);
    return findText(container, textOf(value)) >= 0;
  }
  if (container instanceof Range && isInt(value)) return rangeContains(container, value);
  const byte = container instanceof Blob ? toByte(value) : undefined;
  if (container instanceof Blob && byte !== undefined) {
    run.chargeText(container.bytes.length);
    return container.bytes.includes(byte);
  }
  return undefined;
}

/** Types whose values have no order. */
const UNORDERED: ReadonlySet<TypeTag> = new Set(['array', 'map', 'blob', 'range', 'sequence', 'fn']);

function boolOperation(operator: BinaryOperator, left: boolean, right: boolean): boolean | undefined {
  switch (operator) {
    case '&':
      return left && right;
    case '|':
      return left || right;
    case '^':
      return left !== right;
    default:
      return undefined;
  }
}

/** Computes the result of an operator. Undefined if these types don't have the operator. */
function operate(run: Run, operator: BinaryOperator, left: RhaiValue, right: RhaiValue): RhaiValue | undefined {
  switch (operator) {
    case '==':
    case '!=':
      chargeComparison(run, left, right);
      return equalValues(left, right) === (operator === '==');
    case '<':
    case '<=':
    case '>':
    case '>=': {
      chargeComparison(run, left, right);
      const order = compareOperands(left, right) ?? NaN;
      // As in Rhai, a comparison of two different types is false. A comparison within one type is an error if the type
      // has no order.
      if (Number.isNaN(order) && UNORDERED.has(tagOf(left)) && typeName(left) === typeName(right)) return undefined;
      return operator === '<' ? order < 0 : operator === '<=' ? order <= 0 : operator === '>' ? order > 0 : order >= 0;
    }
    case 'in':
      return contains(run, right, left);
    case '!in': {
      const found = contains(run, right, left);
      return found === undefined ? undefined : !found;
    }
    case '..':
    case '..=':
      return isInt(left) && isInt(right) ? new Range(left, right, operator === '..=') : undefined;
  }
  const number = numberArithmetic(run, operator, left, right);
  if (number !== undefined) return number;
  if (typeof left === 'boolean' && typeof right === 'boolean') return boolOperation(operator, left, right);
  if (operator === '+') return concatenate(run, left, right);
  if (operator === '-' && typeof left === 'string' && isText(right)) {
    run.chargeText(left.length);
    return removeText(left, textOf(right));
  }
  return undefined;
}

/** Applies a binary operator to two values. Fails if their types don't have the operator. */
export function applyBinary(run: Run, operator: BinaryOperator, left: RhaiValue, right: RhaiValue): RhaiValue {
  return operate(run, operator, left, right) ?? run.noFunction(operator, [left, right]);
}

export function applyUnary(run: Run, operator: '-' | '+' | '!', operand: RhaiValue): RhaiValue {
  if (operator === '!') return typeof operand === 'boolean' ? !operand : run.noFunction('!', [operand]);
  if (isInt(operand)) {
    if (operator === '+') return operand;
    return checkedInt(-BigInt(operand)) ?? run.fail('Arithmetic', `Negation overflow: -${operand}`);
  }
  if (operand instanceof Float) return operator === '-' ? new Float(-operand.value) : operand;
  if (operand instanceof Decimal) return operator === '-' ? operand.negated() : operand;
  return run.noFunction(operator, [operand]);
}
