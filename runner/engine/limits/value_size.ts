import { utf8Length } from '../../../types/values/utf8_length.ts';
import { isStorable, MAX_VALUE_DEPTH, type Value, type ValueMap } from '../../../types/values/value.ts';

/** The size of a value as JSON. */
interface ValueSize {
  bytes: number;
  /** The number of values, including nested ones. */
  values: number;
  /**
   * The levels of nested arrays and maps (`A` and `M`). Infinity if measuring stopped because there are too many
   * levels.
   */
  levels: number;
  /** The reason why Postgres can't store the value. */
  fault: string | undefined;
}

// A value that passes through many nodes is measured only once.
const known = new WeakMap<Value, ValueSize>();

/** The bytes that a tagged text has in addition to its content: `{"S":""}` and a comma. */
const TAG_BYTES = 9;

/** The bytes of a member's name as JSON: its text, two quotes, a colon and a comma. */
const nameBytes = (name: string): number => utf8Length(name) + 4;

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
      size.bytes += nameBytes(name);
      if (!isStorable(name)) size.fault ??= 'a name holds NUL or half a surrogate pair';
      add(member);
    }
  } else if ('S' in value) {
    size.bytes += utf8Length(value.S);
    if (!isStorable(value.S)) size.fault = 'a text holds NUL or half a surrogate pair';
  } else {
    // Everything else is ASCII.
    size.bytes += String(Object.values(value)[0]).length;
  }
  // If measuring stopped at the depth limit, the result depends on the depth of this value, so it is not cached.
  if (size.levels < Infinity) known.set(value, size);
  return size;
}

/** Measures the size of a value, and finds the reason if it can't be stored. */
export function measureValue(value: Value): ValueSize {
  const size = measure(value, 1);
  return size.levels <= MAX_VALUE_DEPTH
    ? size
    : { ...size, fault: size.fault ?? `is nested deeper than ${MAX_VALUE_DEPTH} levels` };
}

/** The least memory that a value takes in addition to its JSON, in bytes. */
const VALUE_BYTES = 32;

/**
 * Returns the bytes for which a value in memory counts: the bytes of its JSON, and VALUE_BYTES for each value in it.
 * Many small values take more memory than their JSON.
 */
export const heldBytes = ({ bytes, values }: Pick<ValueSize, 'bytes' | 'values'>): number =>
  bytes + values * VALUE_BYTES;

/** Returns the bytes for which a map of values in memory counts. */
export const heldByMap = (map: ValueMap): number =>
  Object.values(map).reduce((bytes, value) => bytes + heldBytes(measureValue(value)), 0);

/** Returns the bytes of a map of values as JSON. */
export const measureMap = (map: ValueMap): number =>
  Object.entries(map).reduce((bytes, [name, value]) => bytes + nameBytes(name) + measureValue(value).bytes, 2);
