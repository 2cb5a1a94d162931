import { Decimal } from '../../types/values/decimal.ts';
import type { BinaryOperator } from './parsing/ast.ts';
import { intToDecimal } from './equality.ts';
import { checkedInt, type Int, INT_MIN, toInt } from './integers.ts';
import type { Run } from './run.ts';
import { Float, isInt, type RhaiValue } from './values.ts';

/** Rhai's names for overflows, by operator. */
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
  // If the base is 2 or more, no power beyond the 63rd fits 64 bits.
  const power = exponent > 64n ? undefined : checkedInt(base ** exponent);
  return power ?? overflow(run, '**', base, exponent);
}

/** Shifts to the left, or to the right by a negative number. Bits that leave the 64 bits are lost. */
function shift(value: bigint, places: bigint): Int {
  if (places >= 0n) return places > 63n ? 0 : toInt(BigInt.asIntN(64, value << places));
  return toInt(value >> (places < -63n ? 63n : -places));
}

/** Computes exactly with integers. Undefined for operators that integers don't have. */
function intArithmetic(run: Run, operator: BinaryOperator, left: Int, right: Int): RhaiValue | undefined {
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
  // SAFETY: the line above has checked it.
  const arithmetic = operator as keyof typeof DECIMAL_METHODS;
  if (right.isZero() && isZeroDivision(operator)) divisionByZero(run, operator, left, right);
  // Arithmetic on decimals of 96 bits takes far more time than the processor's own arithmetic.
  run.charge(arithmetic === '**' ? 500 : 4);
  return left[DECIMAL_METHODS[arithmetic]](right) ?? overflow(run, operator, left, right);
}

/**
 * Computes with two numbers. Undefined if a value is not a number, or if the operator does not accept these two types.
 */
export function numberArithmetic(
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
