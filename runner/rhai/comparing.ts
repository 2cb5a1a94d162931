import { Decimal } from '../../types/values/decimal.ts';
import { equalValues } from './equality.ts';
import type { Run } from './run.ts';
import { Blob, Container, isInt, RhaiArray, RhaiMap, type RhaiValue } from './values.ts';

/** Charges for a comparison of two values before it is made. A comparison reads no more than the smaller value. */
export function chargeComparison(run: Run, left: RhaiValue, right: RhaiValue): void {
  if (typeof left === 'string') {
    if (typeof right === 'string') run.chargeText(Math.min(left.length, right.length));
  } else if (left instanceof Container) {
    if (!(right instanceof Container)) return;
    if (left instanceof RhaiArray && right instanceof RhaiArray && left.items.length !== right.items.length) return;
    if (left instanceof RhaiMap && right instanceof RhaiMap && left.properties.size !== right.properties.size) return;
    run.charge(Math.min(left.elements + left.entries, right.elements + right.entries));
    run.chargeText(Math.min(left.text, right.text));
  } else if (left instanceof Blob && right instanceof Blob) {
    run.charge(Math.min(left.bytes.length, right.bytes.length) >> 4);
  }
}

/**
 * Charges for a comparison with a literal of a switch, like `chargeComparison`. The literal's size is not known, so a
 * value of equal length is charged as a whole.
 */
export function chargeMatch(run: Run, value: RhaiValue, literal: RhaiValue): void {
  if (typeof value === 'string') return chargeComparison(run, value, literal);
  const isSameSize = value instanceof RhaiArray
    ? literal instanceof RhaiArray && value.items.length === literal.items.length
    : value instanceof RhaiMap && literal instanceof RhaiMap && value.properties.size === literal.properties.size;
  if (isSameSize) run.chargeValue(value);
}

const isDecimalPair = (left: RhaiValue, right: RhaiValue): boolean =>
  (left instanceof Decimal && isInt(right)) || (isInt(left) && right instanceof Decimal);

/**
 * Finds the index of the first element from `start` on that equals a value; -1 if no element does. Charges for the
 * search.
 */
export function findValue(run: Run, { items, text }: RhaiArray, target: RhaiValue, start = 0): number {
  run.charge((items.length - Math.min(start, items.length)) >> 2);
  if (typeof target === 'string') run.chargeText(text);
  const isContainer = target instanceof Container || target instanceof Blob;
  const kind = typeof target;
  for (let index = start; index < items.length; index++) {
    const item = items[index] ?? null;
    // Two numbers or two texts of one type are equal only if they are identical in JavaScript.
    if (typeof item === kind && kind !== 'object') {
      if (item === target) return index;
      continue;
    }
    // Comparisons that may be slow are charged one by one: those of containers, and those that convert an integer to a
    // decimal.
    if (isContainer) chargeComparison(run, item, target);
    else if (isDecimalPair(item, target)) run.charge(4);
    if (equalValues(item, target)) return index;
  }
  return -1;
}
