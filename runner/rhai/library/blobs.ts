import { NativeSet } from '../native.ts';
import type { Run } from '../run.ts';
import { addedBytes, toByte } from '../concatenation.ts';
import { Blob, joinBytes } from '../values.ts';
import { clampPosition, selectSpan, toNumber } from './args.ts';

const utf8 = new TextDecoder();

/** Replaces a part of the bytes. */
function replace(run: Run, self: Blob, from: number, to: number, bytes: Uint8Array): null {
  self.bytes = run.newBlob(joinBytes(self.bytes.subarray(0, from), bytes, self.bytes.subarray(to))).bytes;
  return null;
}

/** Removes a part of the bytes and returns it. */
function cut(run: Run, self: Blob, from: number, to: number): Blob {
  run.chargeText(to - from);
  const removed = self.bytes.slice(from, to);
  replace(run, self, from, to, new Uint8Array());
  return new Blob(removed);
}

/** Removes the byte at a position and returns it; 0 if there is no byte. */
function takeByte(run: Run, self: Blob, place: number): number {
  return place >= 0 && place < self.bytes.length ? cut(run, self, place, place + 1).bytes[0] ?? 0 : 0;
}

export const blobFunctions = new NativeSet<Blob>()
  .property('len', (_, self) => self.bytes.length)
  .property('is_empty', (_, self) => self.bytes.length === 0)
  .method('contains', 1, (run, self, [byte]) => {
    run.chargeText(self.bytes.length);
    const target = toByte(byte);
    return target === undefined ? undefined : self.bytes.includes(target);
  })
  .method('get', 1, (_, self, [index]) => {
    const place = toNumber(index);
    return place === undefined ? undefined : self.bytes.at(place) ?? 0;
  })
  .method('extract', [1, 2], (run, self, args) => {
    const span = selectSpan(args, self.bytes.length);
    return span && run.newBlob(self.bytes.slice(span.from, span.to));
  })
  .method('to_array', 0, (run, self) => {
    run.checkLength(self.bytes.length);
    run.charge(self.bytes.length);
    return run.newArray([...self.bytes]);
  })
  .method('as_string', 0, (run, self) => {
    run.chargeText(self.bytes.length);
    return run.newText(utf8.decode(self.bytes));
  })
  .writer('set', 2, (_, self, [index, byte]) => {
    const [position, value] = [toNumber(index), toByte(byte)];
    if (position === undefined || value === undefined) return undefined;
    const place = position < 0 ? self.bytes.length + position : position;
    if (place >= 0 && place < self.bytes.length) self.bytes[place] = value;
    return null;
  })
  .writer('push append', 1, (run, self, [value]) => {
    const bytes = value === undefined ? undefined : addedBytes(run, value);
    return bytes && replace(run, self, self.bytes.length, self.bytes.length, bytes);
  })
  .writer('insert', 2, (run, self, [index, byte]) => {
    const [position, value] = [toNumber(index), toByte(byte)];
    if (position === undefined || value === undefined) return undefined;
    const place = clampPosition(position, self.bytes.length);
    return replace(run, self, place, place, Uint8Array.of(value));
  })
  .writer('pop', 0, (run, self) => takeByte(run, self, self.bytes.length - 1))
  .writer('shift', 0, (run, self) => takeByte(run, self, 0))
  .writer('remove', 1, (run, self, [index]) => {
    const position = toNumber(index);
    return position === undefined
      ? undefined
      : takeByte(run, self, position < 0 ? self.bytes.length + position : position);
  })
  .writer('drain', [1, 2], (run, self, args) => {
    const span = selectSpan(args, self.bytes.length);
    return span && cut(run, self, span.from, span.to);
  })
  .writer('retain', [1, 2], (run, self, args) => {
    const span = selectSpan(args, self.bytes.length);
    if (span === undefined) return undefined;
    run.chargeText(self.bytes.length);
    const removed = joinBytes(self.bytes.subarray(0, span.from), self.bytes.subarray(span.to));
    self.bytes = run.newBlob(self.bytes.slice(span.from, span.to)).bytes;
    return new Blob(removed);
  })
  .writer('splice', [2, 3], (run, self, args) => {
    const span = selectSpan(args.slice(0, -1), self.bytes.length);
    const replacement = args.at(-1);
    return span && replacement instanceof Blob ? replace(run, self, span.from, span.to, replacement.bytes) : undefined;
  })
  .writer('split', 1, (run, self, [index]) => {
    const position = toNumber(index);
    return position === undefined
      ? undefined
      : cut(run, self, clampPosition(position, self.bytes.length), self.bytes.length);
  })
  .writer('truncate', 1, (run, self, [length]) => {
    const count = toNumber(length);
    if (count === undefined) return undefined;
    cut(run, self, Math.min(Math.max(count, 0), self.bytes.length), self.bytes.length);
    return null;
  })
  .writer('chop', 1, (run, self, [length]) => {
    const count = toNumber(length);
    if (count === undefined) return undefined;
    cut(run, self, 0, self.bytes.length - Math.min(Math.max(count, 0), self.bytes.length));
    return null;
  })
  .writer('clear', 0, (_, self) => {
    self.bytes = new Uint8Array();
    return null;
  })
  .writer('reverse', 0, (run, self) => {
    run.chargeText(self.bytes.length);
    self.bytes.reverse();
    return null;
  })
  .writer('pad', 2, (run, self, [length, byte]) => {
    const [target, value] = [toNumber(length), toByte(byte)];
    if (target === undefined || value === undefined) return undefined;
    run.checkLength(target);
    const missing = Math.max(target - self.bytes.length, 0);
    return replace(run, self, self.bytes.length, self.bytes.length, new Uint8Array(missing).fill(value));
  });

/** Functions that make a blob: empty, or of a length, filled with a byte. */
export const blobMakers = new NativeSet<null>().method('blob', [0, 2], (run, _, [length = 0, byte = 0]) => {
  const [count, value] = [toNumber(length), toByte(byte)];
  if (count === undefined || value === undefined) return undefined;
  run.checkLength(count);
  return run.newBlob(new Uint8Array(Math.max(count, 0)).fill(value));
});
