import type { BinaryOperator } from './parsing/ast.ts';
import type { Run } from './run.ts';
import { showText } from './showing.ts';
import { Blob, Container, isInt, isText, joinBytes, RhaiArray, RhaiMap, type RhaiValue, textOf } from './values.ts';

const utf8 = { encode: new TextEncoder(), decode: new TextDecoder() };

/** Returns the lowest eight bits of an integer. */
export const toByte = (value: RhaiValue | undefined): number | undefined =>
  value !== undefined && isInt(value) ? Number(BigInt.asUintN(8, BigInt(value))) : undefined;

/**
 * Returns the bytes that are appended for a value. A blob gives its bytes, an integer one byte, and a text its UTF-8.
 */
export function addedBytes(run: Run, value: RhaiValue): Uint8Array | undefined {
  if (value instanceof Blob) return value.bytes;
  if (isText(value)) {
    run.chargeText(textOf(value).length);
    return utf8.encode.encode(textOf(value));
  }
  const byte = toByte(value);
  return byte === undefined ? undefined : Uint8Array.of(byte);
}

/** Returns the text that is appended for a value. A blob is read as UTF-8. */
function appendedText(run: Run, value: RhaiValue): string {
  if (!(value instanceof Blob)) return showText(run, value);
  run.chargeText(value.bytes.length);
  return utf8.decode.decode(value.bytes);
}

/** Concatenates two texts, or a text and any other value. */
export function joinTexts(run: Run, left: RhaiValue, right: RhaiValue): string {
  const [a, b] = [appendedText(run, left), appendedText(run, right)];
  // JavaScript copies neither text until the result is read. So only the shorter text is charged, and a script can
  // build a long text step by step.
  run.chargeText(Math.min(a.length, b.length));
  return run.newText(a + b);
}

/** Concatenates two values. Undefined if their types can't be concatenated. */
export function concatenate(run: Run, left: RhaiValue, right: RhaiValue): RhaiValue | undefined {
  if (typeof left === 'string' || typeof right === 'string' || (isText(left) && isText(right))) {
    return joinTexts(run, left, right);
  }
  if (left instanceof RhaiArray && right instanceof RhaiArray) {
    run.checkLength(left.items.length + right.items.length);
    run.charge(left.items.length + right.items.length);
    return run.newArray([...left.items, ...right.items].map((item) => run.copy(item)));
  }
  if (left instanceof RhaiMap && right instanceof RhaiMap) {
    run.chargeText(left.text + right.text);
    const properties = [...left.properties, ...right.properties].map(([key, value]) => [key, run.copy(value)] as const);
    run.charge(properties.length);
    return run.newMap(new Map(properties));
  }
  if (left instanceof Blob && right instanceof Blob) {
    return run.newBlob(joinBytes(left.bytes, right.bytes));
  }
  return undefined;
}

/** True if `+=` on this value appends in place instead of making a copy. */
export function appendInPlace(run: Run, operator: BinaryOperator, target: RhaiValue, value: RhaiValue): boolean {
  if (operator !== '+') return false;
  if (target instanceof Container) run.checkFree(target);
  if (target instanceof RhaiArray) {
    const added = value instanceof RhaiArray ? value.items.map((item) => run.detach(item)) : [value];
    run.checkLength(target.items.length + added.length);
    run.charge(added.length);
    for (const item of added) target.items.push(item);
    run.adopt(target, added);
    return true;
  }
  if (target instanceof RhaiMap && value instanceof RhaiMap) {
    run.charge(value.properties.size);
    run.chargeText(value.text);
    for (const [key, member] of value.properties) {
      target.properties.set(key, run.detach(member));
      run.adopt(target, [member], key.length);
    }
    return true;
  }
  const added = target instanceof Blob ? addedBytes(run, value) : undefined;
  if (!(target instanceof Blob) || added === undefined) return false;
  target.bytes = run.newBlob(joinBytes(target.bytes, added)).bytes;
  return true;
}
