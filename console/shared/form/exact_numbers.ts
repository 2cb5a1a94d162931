import { digitsOf, JSON_NUMBER, parseExactly } from '../exact_json.ts';
import { isObject } from '../graph/drawn_node.ts';

/** A text of the database never has this character, so no other text of a form begins with it. */
const MARK = '\0';

/** Replaces the values inside lists and objects. Returns the same list or object if nothing changes. */
function replaceInside(value: unknown, replace: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceInside(item, replace));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value) || digitsOf(value) !== undefined) return replace(value);
  const members = Object.entries(value).map(([name, member]) => [name, replaceInside(member, replace)] as const);
  return members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
}

/** Returns the digits of a marked number; undefined for anything else. */
export const markedDigits = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(MARK) && JSON_NUMBER.test(value.slice(MARK.length))
    ? value.slice(MARK.length)
    : undefined;

/**
 * Marks the numbers that JavaScript would round, for the form library. The library copies the values of a form at each
 * change, and the copy of a number of `parseExactly` would be an object.
 */
export const markExactNumbers = (values: unknown): unknown =>
  replaceInside(values, (value) => {
    const digits = isObject(value) ? digitsOf(value) : undefined;
    return digits === undefined ? value : `${MARK}${digits}`;
  });

/** Returns the values of a form with exact numbers in place of marked ones. */
export const readExactNumbers = (values: unknown): unknown =>
  replaceInside(values, (value) => {
    const digits = markedDigits(value);
    return digits === undefined ? value : parseExactly(digits);
  });

/** Returns the values of a form with rounded numbers in place of marked ones, for checks of their types. */
export const roundExactNumbers = (values: unknown): unknown =>
  replaceInside(values, (value) => {
    const digits = markedDigits(value);
    return digits === undefined ? value : Number(digits);
  });
