import { MAX_VALUE_DEPTH, type Value, type ValueMap } from '../../../types/value.ts';

/** What a value takes up as JSON. */
export interface ValueSize {
  bytes: number;
  /** What keeps Postgres from storing it. */
  fault: string | undefined;
}

const utf8 = new TextEncoder();
// The same value goes through many nodes; it is measured once.
const known = new WeakMap<Value, ValueSize>();

/** `{"S":""}` and a comma. */
const TAG_BYTES = 9;

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

function measure(value: Value, depth: number): ValueSize {
  const before = known.get(value);
  if (before !== undefined) return before;
  if (depth > MAX_VALUE_DEPTH) return { bytes: 0, fault: `nested deeper than ${MAX_VALUE_DEPTH} levels` };
  let bytes = TAG_BYTES;
  let fault: string | undefined;
  const add = (member: Value) => {
    const size = measure(member, depth + 1);
    bytes += size.bytes;
    fault ??= size.fault;
  };
  if ('A' in value) {
    value.A.forEach(add);
  } else if ('M' in value) {
    for (const [name, member] of Object.entries(value.M)) {
      bytes += utf8.encode(name).length + 4;
      if (!isStorable(name)) fault ??= 'a name holds NUL or half a surrogate pair';
      add(member);
    }
  } else if ('S' in value) {
    bytes += utf8.encode(value.S).length;
    if (!isStorable(value.S)) fault = 'a text holds NUL or half a surrogate pair';
  } else {
    // Everything else is ASCII.
    bytes += String(Object.values(value)[0]).length;
  }
  const size = { bytes, fault };
  // How deep a value may be depends on what it is part of.
  if (depth === 1 || fault === undefined) known.set(value, size);
  return size;
}

/** How much a value takes up, and whether it can be stored at all. */
export const measureValue = (value: Value): ValueSize => measure(value, 1);

/** Bytes of values by name, as JSON. */
export const measureMap = (map: ValueMap): number =>
  Object.entries(map).reduce((bytes, [name, value]) => bytes + name.length + 4 + measureValue(value).bytes, 2);
