import { FnPointer, isInt, Range, type RhaiValue } from '../values.ts';

/**
 * Converts an integer argument to a number. An unsafe integer may be rounded, because it exceeds every length anyway.
 */
export const toNumber = (value: RhaiValue | undefined): number | undefined =>
  value !== undefined && isInt(value) ? Number(value) : undefined;

/** Limits a position to `length` elements. A negative position counts from the end. */
export const clampPosition = (index: number, length: number): number =>
  index < 0 ? Math.max(length + index, 0) : Math.min(index, length);

/**
 * Returns the part that the arguments select. The arguments are a range, or a start with or without a count. Undefined
 * for other arguments.
 */
export function selectSpan(args: readonly RhaiValue[], length: number): { from: number; to: number } | undefined {
  const [first, second] = args;
  if (first instanceof Range) {
    if (second !== undefined) return undefined;
    const from = Math.min(Math.max(Number(first.start), 0), length);
    const to = Math.min(Number(first.end) + (first.isInclusive ? 1 : 0), length);
    return { from, to: Math.max(to, from) };
  }
  const start = toNumber(first);
  const count = second === undefined ? length : toNumber(second);
  if (start === undefined || count === undefined) return undefined;
  const from = clampPosition(start, length);
  return { from, to: Math.min(from + Math.max(count, 0), length) };
}

/** A longer text is not looked up as the name of a function. */
export const MAX_NAME_LENGTH = 1_000;

/**
 * Converts an argument that is a function pointer or the name of a function. Undefined for other values and for names
 * that are too long.
 */
export const toPointer = (value: RhaiValue | undefined): FnPointer | undefined => {
  if (value instanceof FnPointer) return value;
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH ? new FnPointer(value) : undefined;
};

/** True if a predicate returned true. Any value but a bool counts as false. */
export const holds = (value: RhaiValue): boolean => value === true;
