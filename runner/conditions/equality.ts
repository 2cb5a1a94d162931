import type { Value } from '../../types/values/value.ts';
import { canonicalNumber, compareNumbers, numberOf } from './numbers.ts';

/** Returns the text by which a value is compared: the text of a string, or the base58 of 32 or 64 bytes. */
export function comparedText(value: Value): string | undefined {
  if ('S' in value) return value.S;
  if ('B3' in value) return value.B3;
  return 'B6' in value ? value.B6 : undefined;
}

/**
 * Tests whether two values are equal. Numbers are compared by value, whatever their tags are. A key or signature equals
 * the text of its base58. Arrays and maps are equal if all their members are equal.
 */
export function areEqual(a: Value, b: Value): boolean {
  if ('A' in a) {
    return 'A' in b && a.A.length === b.A.length && a.A.every((member, index) => areEqual(member, b.A[index]!));
  }
  if ('M' in a) {
    if (!('M' in b)) return false;
    const names = Object.keys(a.M);
    return names.length === Object.keys(b.M).length &&
      names.every((name) => Object.hasOwn(b.M, name) && areEqual(a.M[name]!, b.M[name]!));
  }
  if ('N' in a) return 'N' in b;
  if ('B' in a) return 'B' in b && a.B === b.B;
  if ('BY' in a) return 'BY' in b && a.BY === b.BY;
  const [numberA, numberB] = [numberOf(a), numberOf(b)];
  if (numberA !== undefined) return numberB !== undefined && compareNumbers(numberA, numberB) === 0;
  return comparedText(a) === comparedText(b);
}

/** Returns a text that two values share if and only if they are equal. All NaN have the same text. */
export function canonicalText(value: Value): string {
  if ('A' in value) return `[${value.A.map(canonicalText).join()}]`;
  if ('M' in value) {
    const members = Object.keys(value.M).toSorted().map((name) =>
      `${JSON.stringify(name)}:${canonicalText(value.M[name]!)}`
    );
    return `{${members.join()}}`;
  }
  if ('N' in value || 'B' in value) return JSON.stringify(value);
  if ('BY' in value) return `b${value.BY}`;
  const number = numberOf(value);
  return number === undefined ? JSON.stringify(comparedText(value)) : canonicalNumber(number);
}
