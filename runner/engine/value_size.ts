import { isStorable, MAX_VALUE_DEPTH, type Value, type ValueMap } from '../../types/values/value.ts';

/** The size of a value as JSON. */
export interface ValueSize {
  bytes: number;
  /** Values, with all that are in it. */
  values: number;
  /** Levels of A and M within each other; Infinity when there are more than a value may have. */
  levels: number;
  /** The reason why Postgres can't store the value. */
  fault: string | undefined;
}

const utf8 = new TextEncoder();
// The same value goes through many nodes; it is measured once.
const known = new WeakMap<Value, ValueSize>();

/** `{"S":""}` and a comma. */
const TAG_BYTES = 9;

function measure(value: Value, depth: number): ValueSize {
  const before = known.get(value);
  if (before !== undefined) return before;
  if (depth > MAX_VALUE_DEPTH) return { bytes: 0, values: 0, levels: Infinity, fault: undefined };
  const size: ValueSize = { bytes: TAG_BYTES, values: 1, levels: 1, fault: undefined };
  const add = (member: Value) => {
    const { bytes, values, levels, fault } = measure(member, depth + 1);
    size.bytes += bytes;
    size.values += values;
    size.levels = Math.max(size.levels, levels + 1);
    size.fault ??= fault;
  };
  if ('A' in value) {
    value.A.forEach(add);
  } else if ('M' in value) {
    for (const [name, member] of Object.entries(value.M)) {
      size.bytes += utf8.encode(name).length + 4;
      if (!isStorable(name)) size.fault ??= 'a name holds NUL or half a surrogate pair';
      add(member);
    }
  } else if ('S' in value) {
    size.bytes += utf8.encode(value.S).length;
    if (!isStorable(value.S)) size.fault = 'a text holds NUL or half a surrogate pair';
  } else {
    // Everything else is ASCII.
    size.bytes += String(Object.values(value)[0]).length;
  }
  // A value that was not measured to its end is known to be too deep only at this depth.
  if (size.levels < Infinity) known.set(value, size);
  return size;
}

/** How much a value takes up, and whether it can be stored at all. */
export function measureValue(value: Value): ValueSize {
  const size = measure(value, 1);
  return size.levels <= MAX_VALUE_DEPTH
    ? size
    : { ...size, fault: size.fault ?? `is nested deeper than ${MAX_VALUE_DEPTH} levels` };
}

/** The least memory that a value takes in addition to its JSON, in bytes. */
const VALUE_BYTES = 32;

/**
 * Bytes that a value counts for while it is held: its JSON, and VALUE_BYTES for each value in it, because many small
 * values take more memory than their JSON.
 */
export const heldBytes = ({ bytes, values }: Pick<ValueSize, 'bytes' | 'values'>): number =>
  bytes + values * VALUE_BYTES;

/** Bytes that values by name count for while they are held. */
export const heldByMap = (map: ValueMap): number =>
  Object.values(map).reduce((bytes, value) => bytes + heldBytes(measureValue(value)), 0);

/** Bytes of values by name, as JSON. */
export const measureMap = (map: ValueMap): number =>
  Object.entries(map).reduce((bytes, [name, value]) => bytes + name.length + 4 + measureValue(value).bytes, 2);
