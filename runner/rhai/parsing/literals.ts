import type { Node } from './ast.ts';
import { checkedInt, type Int } from '../integers.ts';
import { Float, isInt, Range, RhaiArray, RhaiMap, type RhaiValue } from '../values.ts';

/**
 * Returns the value of an expression that consists of literals only; undefined for other expressions. The patterns of a
 * switch must be such expressions.
 */
export function literalValue(node: Node): RhaiValue | undefined {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'unary': {
      const value = literalValue(node.operand);
      return value === undefined || node.operator === '!' ? undefined : signed(node.operator, value);
    }
    case 'binary': {
      if (node.operator !== '..' && node.operator !== '..=') return undefined;
      const [start, end] = [literalValue(node.left), literalValue(node.right)];
      return start !== undefined && end !== undefined && isInt(start) && isInt(end)
        ? new Range(start, end, node.operator === '..=')
        : undefined;
    }
    case 'array': {
      const items = node.items.map(literalValue);
      return items.every((item) => item !== undefined) ? new RhaiArray(items) : undefined;
    }
    case 'map': {
      const properties = new Map<string, RhaiValue>();
      for (const { key, value } of node.entries) {
        const literal = literalValue(value);
        if (literal === undefined) return undefined;
        properties.set(key, literal);
      }
      return new RhaiMap(properties);
    }
    default:
      return undefined;
  }
}

/** Applies a sign to a literal number. Undefined for other values, and for a negative number that does not fit. */
export function signed(sign: '-' | '+', value: RhaiValue): Int | Float | undefined {
  if (value instanceof Float) return sign === '-' ? new Float(-value.value) : value;
  if (!isInt(value)) return undefined;
  return sign === '-' ? checkedInt(-BigInt(value)) : value;
}
