import type { Value, ValueMap } from './value.ts';

/** The error of a text that is not a JSON pointer. */
export class PathError extends Error {
  override name = 'PathError';
}

/** Names and array indexes, from the outermost. */
export type ValuePath = readonly string[];

/** Reads a JSON pointer (RFC 6901), whose leading slash may be missing. The empty text means the whole value. */
export function parsePath(text: string): ValuePath {
  if (text === '') return [];
  return text.replace(/^\//, '').split('/').map((token) => {
    if (/~(?![01])/.test(token)) throw new PathError(`${JSON.stringify(token)} has a ~ that is not followed by 0 or 1`);
    return token.replaceAll('~1', '/').replaceAll('~0', '~');
  });
}

/** Reads an array index without sign and leading zeros; undefined for any other text. */
const indexOf = (token: string): number | undefined => /^(?:0|[1-9]\d{0,15})$/.test(token) ? Number(token) : undefined;

/** Returns a member of a map or array; undefined if the member does not exist. */
function memberOf(value: Value, token: string): Value | undefined {
  if ('M' in value) return Object.hasOwn(value.M, token) ? value.M[token] : undefined;
  const index = indexOf(token);
  return 'A' in value && index !== undefined ? value.A[index] : undefined;
}

/** Returns the value at a path; undefined if the path does not exist. */
export const valueAt = (value: Value, path: ValuePath): Value | undefined =>
  path.reduce<Value | undefined>((inner, token) => inner && memberOf(inner, token), value);

/** Copies the members in order. The copy has no prototype, because a member may be called __proto__. */
const copyOf = (map: ValueMap): ValueMap => Object.assign(Object.create(null), map);

/** Replaces one member of a value. */
function withMember(value: Value, token: string, member: Value): Value {
  if ('M' in value) return { M: Object.assign(copyOf(value.M), { [token]: member }) };
  return 'A' in value ? { A: value.A.with(Number(token), member) } : value;
}

/**
 * Replaces the map or array to which all tokens of a path except the last lead. The result of `change` takes its place.
 * Undefined if there is no such map or array.
 */
function changeAt(
  value: Value,
  path: ValuePath,
  change: (container: Value, token: string) => Value | undefined,
): Value | undefined {
  const [token = '', ...rest] = path;
  if (rest.length === 0) return change(value, token);
  const member = memberOf(value, token);
  const changed = member && changeAt(member, rest, change);
  return changed && withMember(value, token, changed);
}

/**
 * Removes the value at a path. Returns the removed value and the rest, which is null if the whole value is removed.
 * Undefined if there is no value at the path.
 */
export function removeAt(value: Value, path: ValuePath): { removed: Value; rest: Value } | undefined {
  const removed = valueAt(value, path);
  if (removed === undefined) return undefined;
  if (path.length === 0) return { removed, rest: { N: 0 } };
  const rest = changeAt(value, path, (container, token) => {
    if ('A' in container) return { A: container.A.toSpliced(Number(token), 1) };
    if (!('M' in container)) return undefined;
    const map = copyOf(container.M);
    delete map[token];
    return { M: map };
  });
  return rest && { removed, rest };
}

/**
 * Inserts a value at a path, as the operation `add` of JSON Patch (RFC 6902) does. In a map, a member of the same name
 * is replaced. In an array, the later members move up by one, and the index `-` means the end. Undefined if the path
 * does not lead into a map or an array.
 */
export function insertAt(value: Value, path: ValuePath, inserted: Value): Value | undefined {
  if (path.length === 0) return inserted;
  return changeAt(value, path, (container, token) => {
    if ('M' in container) return withMember(container, token, inserted);
    if (!('A' in container)) return undefined;
    const index = token === '-' ? container.A.length : indexOf(token);
    return index === undefined || index > container.A.length
      ? undefined
      : { A: container.A.toSpliced(index, 0, inserted) };
  });
}
