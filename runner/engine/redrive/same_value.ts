import type { Value, ValueMap } from '../../../types/values/value.ts';

const sameMap = (a: ValueMap, b: ValueMap): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]));
};

export const sameList = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.length === b.length && a.every((value, index) => sameValue(value, b[index]));

/** Tests whether two values are equal. The order of the names in a map is ignored, because jsonb does not keep it. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if ('A' in a) return 'A' in b && sameList(a.A, b.A);
  if ('M' in a) return 'M' in b && sameMap(a.M, b.M);
  const [[tag, payload] = []] = Object.entries(a);
  return tag !== undefined && Object.hasOwn(b, tag) && Object.entries(b)[0]?.[1] === payload;
}
