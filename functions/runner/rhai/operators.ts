import { Decimal } from '../../../types/decimal.ts';
import type { BinaryOperator } from './ast.ts';
import { displayText } from './display.ts';
import { compareValues, equalValues, intToDecimal, rangeContains } from './equality.ts';
import { checkedInt, type Int, INT_MIN, toInt } from './integers.ts';
import type { Run } from './run.ts';
import {
  Blob,
  Container,
  Float,
  isInt,
  isText,
  joinBytes,
  Range,
  RhaiArray,
  RhaiMap,
  type RhaiValue,
  tagOf,
  textOf,
  typeName,
  type TypeTag,
} from './values.ts';

const utf8 = new TextDecoder();

/** What an overflow is called, by operator. */
const NAMES: Record<string, string> = {
  '+': 'Addition overflow',
  '-': 'Subtraction overflow',
  '*': 'Multiplication overflow',
  '/': 'Division overflow',
  '%': 'Modulo division by zero or overflow',
  '**': 'Exponential overflow',
};

const overflow = (run: Run, operator: string, left: unknown, right: unknown): never =>
  run.fail('Arithmetic', `${NAMES[operator]}: ${left} ${operator} ${right}`);

const isZeroDivision = (operator: BinaryOperator): boolean => operator === '/' || operator === '%';

const divisionByZero = (run: Run, operator: string, left: unknown, right: unknown): never =>
  operator === '/'
    ? run.fail('Arithmetic', `Division by zero: ${left} / ${right}`)
    : overflow(run, operator, left, right);

function intPower(run: Run, base: bigint, exponent: bigint): Int {
  if (exponent < 0n) run.fail('Arithmetic', `Integer raised to a negative power: ${base} ** ${exponent}`);
  if (base >= -1n && base <= 1n) return toInt(base === -1n && exponent % 2n === 0n ? 1n : exponent === 0n ? 1n : base);
  // From 2 on, no power above the 63rd fits.
  const power = exponent > 64n ? undefined : checkedInt(base ** exponent);
  return power ?? overflow(run, '**', base, exponent);
}

/** Shifts to the left, by a negative number to the right; bits that leave are lost. */
function shift(value: bigint, places: bigint): Int {
  if (places >= 0n) return places > 63n ? 0 : toInt(BigInt.asIntN(64, value << places));
  return toInt(value >> (places < -63n ? 63n : -places));
}

/** Arithmetic on integers, exact; undefined for operators that they don't have. */
export function intArithmetic(run: Run, operator: BinaryOperator, left: Int, right: Int): RhaiValue | undefined {
  const [a, b] = [BigInt(left), BigInt(right)];
  if (b === 0n && isZeroDivision(operator)) divisionByZero(run, operator, left, right);
  switch (operator) {
    case '+':
      return checkedInt(a + b) ?? overflow(run, operator, left, right);
    case '-':
      return checkedInt(a - b) ?? overflow(run, operator, left, right);
    case '*':
      return checkedInt(a * b) ?? overflow(run, operator, left, right);
    case '/':
      return checkedInt(a / b) ?? overflow(run, operator, left, right);
    case '%':
      return a === INT_MIN && b === -1n ? overflow(run, operator, left, right) : toInt(a % b);
    case '**':
      return intPower(run, a, b);
    case '<<':
      return shift(a, b);
    case '>>':
      return shift(a, -b);
    case '&':
      return toInt(a & b);
    case '|':
      return toInt(a | b);
    case '^':
      return toInt(a ^ b);
    default:
      return undefined;
  }
}

function floatArithmetic(operator: BinaryOperator, left: number, right: number): Float | undefined {
  switch (operator) {
    case '+':
      return new Float(left + right);
    case '-':
      return new Float(left - right);
    case '*':
      return new Float(left * right);
    case '/':
      return new Float(left / right);
    case '%':
      return new Float(left % right);
    case '**':
      return new Float(left ** right);
    default:
      return undefined;
  }
}

const DECIMAL_METHODS = {
  '+': 'plus',
  '-': 'minus',
  '*': 'times',
  '/': 'dividedBy',
  '%': 'modulo',
  '**': 'power',
} as const;

function decimalArithmetic(run: Run, operator: BinaryOperator, left: Decimal, right: Decimal): Decimal | undefined {
  if (!Object.hasOwn(DECIMAL_METHODS, operator)) return undefined;
  // SAFETY: as the line above has seen.
  const arithmetic = operator as keyof typeof DECIMAL_METHODS;
  if (right.isZero() && isZeroDivision(operator)) divisionByZero(run, operator, left, right);
  // Arithmetic on 96 bits costs far more than on what the processor has.
  run.charge(arithmetic === '**' ? 500 : 4);
  return left[DECIMAL_METHODS[arithmetic]](right) ?? overflow(run, operator, left, right);
}

function numberArithmetic(
  run: Run,
  operator: BinaryOperator,
  left: RhaiValue,
  right: RhaiValue,
): RhaiValue | undefined {
  if (isInt(left) && isInt(right)) return intArithmetic(run, operator, left, right);
  if (left instanceof Float || right instanceof Float) {
    const a = left instanceof Float ? left.value : isInt(left) ? Number(left) : undefined;
    const b = right instanceof Float ? right.value : isInt(right) ? Number(right) : undefined;
    return a === undefined || b === undefined ? undefined : floatArithmetic(operator, a, b);
  }
  const a = left instanceof Decimal ? left : isInt(left) ? intToDecimal(left) : undefined;
  const b = right instanceof Decimal ? right : isInt(right) ? intToDecimal(right) : undefined;
  return a === undefined || b === undefined ? undefined : decimalArithmetic(run, operator, a, b);
}

/** What a value adds to a text: bytes are read as UTF-8. */
const appendedText = (value: RhaiValue): string =>
  value instanceof Blob ? utf8.decode(value.bytes) : displayText(value);

/** Concatenates texts, of which one may be any value. */
export function joinTexts(run: Run, left: RhaiValue, right: RhaiValue): string {
  const [a, b] = [appendedText(left), appendedText(right)];
  // Neither is copied until the text is looked at, so that a long one may grow bit by bit.
  run.chargeText(Math.min(a.length, b.length));
  return run.newText(a + b);
}

function plus(run: Run, left: RhaiValue, right: RhaiValue): RhaiValue | undefined {
  if (typeof left === 'string' || typeof right === 'string' || (isText(left) && isText(right))) {
    return joinTexts(run, left, right);
  }
  if (left instanceof RhaiArray && right instanceof RhaiArray) {
    run.checkLength(left.items.length + right.items.length);
    return run.newArray([...left.items, ...right.items].map((item) => run.copy(item)));
  }
  if (left instanceof RhaiMap && right instanceof RhaiMap) {
    const properties = [...left.properties, ...right.properties].map(([key, value]) => [key, run.copy(value)] as const);
    run.charge(properties.length);
    return run.newMap(new Map(properties));
  }
  if (left instanceof Blob && right instanceof Blob) {
    return run.newBlob(joinBytes(left.bytes, right.bytes));
  }
  return undefined;
}

function contains(run: Run, container: RhaiValue, value: RhaiValue): boolean | undefined {
  if (container instanceof RhaiArray) {
    run.charge(container.items.length >> 2);
    return container.items.some((item) => equalValues(item, value));
  }
  if (container instanceof RhaiMap && typeof value === 'string') return container.properties.has(value);
  if (typeof container === 'string' && isText(value)) {
    run.chargeText(container.length);
    return container.includes(textOf(value));
  }
  if (container instanceof Range && isInt(value)) return rangeContains(container, value);
  if (container instanceof Blob && isInt(value)) {
    run.chargeText(container.bytes.length);
    return container.bytes.includes(Number(value));
  }
  return undefined;
}

/** Types whose values have no order among themselves. */
const UNORDERED: ReadonlySet<TypeTag> = new Set(['array', 'map', 'blob', 'range', 'sequence', 'fn']);

/** How much of two values comparing them goes through. */
function chargeComparison(run: Run, left: RhaiValue, right: RhaiValue): void {
  if (typeof left === 'string' && typeof right === 'string') run.chargeText(Math.min(left.length, right.length));
  else if (left instanceof RhaiArray && right instanceof RhaiArray) run.charge(left.elements + left.entries);
  else if (left instanceof RhaiMap && right instanceof RhaiMap) run.charge(left.elements + left.entries);
}

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

/** What an operator gives; undefined when there is none for these types. */
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
      const order = compareValues(left, right) ?? NaN;
      // Values of different types are simply not in order; those of one type that has none are an error.
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
  if (operator === '+') return plus(run, left, right);
  if (operator === '-' && typeof left === 'string' && isText(right)) {
    run.chargeText(left.length);
    return left.replaceAll(textOf(right), '');
  }
  return undefined;
}

/** Applies a binary operator to any two values; fails when there is none for their types. */
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

/** Whether a compound assignment of this value appends in place instead of making a copy. */
export function appendInPlace(run: Run, operator: BinaryOperator, target: RhaiValue, value: RhaiValue): boolean {
  if (operator !== '+') return false;
  if (target instanceof Container) run.checkFree(target);
  if (target instanceof RhaiArray) {
    const added = value instanceof RhaiArray ? value.items.map((item) => run.release(item)) : [value];
    run.checkLength(target.items.length + added.length);
    run.charge(added.length);
    for (const item of added) target.items.push(item);
    run.adopt(target, added);
    return true;
  }
  if (target instanceof RhaiMap && value instanceof RhaiMap) {
    for (const [key, member] of value.properties) {
      target.properties.set(key, run.release(member));
      run.adopt(target, [member], key.length);
    }
    run.charge(value.properties.size);
    return true;
  }
  if (target instanceof Blob && (value instanceof Blob || isInt(value))) {
    const added = value instanceof Blob ? value.bytes : Uint8Array.of(Number(BigInt.asUintN(8, BigInt(value))));
    target.bytes = run.newBlob(joinBytes(target.bytes, added)).bytes;
    return true;
  }
  return false;
}
