import { findValue } from '../comparing.ts';
import { NativeSet } from '../native.ts';
import { ElementRef } from '../refs.ts';
import type { Run } from '../run.ts';
import { FnPointer, isInt, RhaiArray, type RhaiValue } from '../values.ts';
import { clampPosition, selectSpan, toNumber, toPointer } from './args.ts';
import { copied, partition } from './array_visits.ts';

/** Makes an array of elements that were removed from another array. */
function taken(run: Run, items: RhaiValue[]): RhaiArray {
  for (const item of items) run.detach(item);
  run.charge(items.length);
  return run.newArray(items);
}

/**
 * Returns an element that was removed from the array. Returns unit if the array was empty, so that `item` is undefined.
 */
function takeOne(run: Run, self: RhaiArray, item: RhaiValue | undefined): RhaiValue {
  if (item === undefined) return null;
  run.forget(self, [item]);
  return run.detach(item);
}

/** Inserts elements at a position. The elements must not belong to another container. */
function insert(run: Run, self: RhaiArray, place: number, items: readonly RhaiValue[]): void {
  run.checkLength(self.items.length + items.length);
  // Moving up the elements after the position takes time, too.
  run.charge(items.length + ((self.items.length - place) >> 6));
  if (place === self.items.length) { for (const item of items) self.items.push(item); }
  else self.items = [...self.items.slice(0, place), ...items, ...self.items.slice(place)];
  run.adopt(self, items);
}

/** Removes the elements from `from` to `to`, exclusive, and returns them. */
function cut(run: Run, self: RhaiArray, from: number, to: number): RhaiArray {
  run.charge((self.items.length - from) >> 6);
  const removed = self.items.splice(from, to - from);
  run.forget(self, removed);
  return taken(run, removed);
}

/**
 * Makes `drain`, which removes the selected elements, and `retain`, which removes all others. Both return the removed
 * elements.
 */
const removing =
  (keepsSelection: boolean) => (run: Run, self: RhaiArray, args: readonly RhaiValue[]): RhaiValue | undefined => {
    const [first] = args;
    if (args.length === 1 && (first instanceof FnPointer || typeof first === 'string')) {
      const pointer = toPointer(first)!;
      const { held, others } = run.borrow(self, () => partition(run, self, pointer));
      self.items = keepsSelection ? held : others;
      return taken(run, keepsSelection ? others : held);
    }
    const span = selectSpan(args, self.items.length);
    if (span === undefined) return undefined;
    run.charge(self.items.length >> 3);
    const selected = self.items.slice(span.from, span.to);
    const others = [...self.items.slice(0, span.from), ...self.items.slice(span.to)];
    self.items = keepsSelection ? selected : others;
    return taken(run, keepsSelection ? others : selected);
  };

function splice(run: Run, self: RhaiArray, args: readonly RhaiValue[]): RhaiValue | undefined {
  const replacement = args.at(-1);
  const span = selectSpan(args.slice(0, -1), self.items.length);
  if (span === undefined || !(replacement instanceof RhaiArray)) return undefined;
  cut(run, self, span.from, span.to);
  insert(run, self, span.from, replacement.items.map((item) => run.detach(item)));
  return null;
}

/** Makes a function that keeps this many elements at the head or tail and removes the others. */
const shorten =
  (fromHead: boolean) => (run: Run, self: RhaiArray, [length]: readonly RhaiValue[]): RhaiValue | undefined => {
    const count = toNumber(length);
    if (count === undefined) return undefined;
    const kept = Math.min(Math.max(count, 0), self.items.length);
    if (fromHead) cut(run, self, kept, self.items.length);
    else cut(run, self, 0, self.items.length - kept);
    return null;
  };

/**
 * Returns the index of a position. A negative position counts from the end. Undefined if the array has no such element.
 */
function placeOf(self: RhaiArray, index: RhaiValue | undefined): number | undefined {
  const position = toNumber(index);
  if (position === undefined) return undefined;
  const place = position < 0 ? self.items.length + position : position;
  return place >= 0 && place < self.items.length ? place : undefined;
}

export const arrayFunctions = new NativeSet<RhaiArray>()
  .property('len', (_, self) => self.items.length)
  .property('is_empty', (_, self) => self.items.length === 0)
  .method('get', 1, (run, self, [index]) => {
    if (index === undefined || !isInt(index)) return undefined;
    const place = placeOf(self, index);
    return place === undefined ? null : run.copy(self.items[place] ?? null);
  })
  .method('extract', [1, 2], (run, self, args) => {
    const span = selectSpan(args, self.items.length);
    return span && copied(run, self.items.slice(span.from, span.to));
  })
  .method('contains', 1, (run, self, [target = null]) => {
    return findValue(run, self, target) >= 0;
  })
  .writer('push', 1, (run, self, [item = null]) => {
    insert(run, self, self.items.length, [item]);
    return null;
  })
  .writer('append', 1, (run, self, [other]) => {
    if (!(other instanceof RhaiArray)) return undefined;
    insert(run, self, self.items.length, other.items.map((item) => run.detach(item)));
    return null;
  })
  .writer('insert', 2, (run, self, [index, item = null]) => {
    const position = toNumber(index);
    if (position === undefined) return undefined;
    insert(run, self, clampPosition(position, self.items.length), [item]);
    return null;
  })
  .writer('set', 2, (run, self, [index, item = null]) => {
    if (index === undefined || !isInt(index)) return undefined;
    const place = placeOf(self, index);
    if (place !== undefined) new ElementRef(run, self, place).set(item);
    return null;
  })
  .writer('pop', 0, (run, self) => takeOne(run, self, self.items.pop()))
  .writer('shift', 0, (run, self) => {
    run.charge(self.items.length >> 6);
    return takeOne(run, self, self.items.shift());
  })
  .writer('remove', 1, (run, self, [index]) => {
    if (index === undefined || !isInt(index)) return undefined;
    const place = placeOf(self, index);
    return place === undefined ? null : cut(run, self, place, place + 1).items[0] ?? null;
  })
  .writer('splice', [2, 3], splice)
  .writer('drain', [1, 2], removing(false))
  .writer('retain', [1, 2], removing(true))
  .writer('split', 1, (run, self, [index]) => {
    const position = toNumber(index);
    return position === undefined
      ? undefined
      : cut(run, self, clampPosition(position, self.items.length), self.items.length);
  })
  .writer('truncate', 1, shorten(true))
  .writer('chop', 1, shorten(false))
  .writer('clear', 0, (run, self) => {
    run.chargeText(self.items.length);
    run.forget(self, self.items);
    self.items = [];
    return null;
  })
  .writer('reverse', 0, (run, self) => {
    run.charge(self.items.length >> 2);
    self.items.reverse();
    return null;
  })
  .writer('pad', 2, (run, self, [length, item = null]) => {
    const target = toNumber(length);
    if (target === undefined) return undefined;
    run.checkLength(target);
    const missing = Math.max(target - self.items.length, 0);
    insert(run, self, self.items.length, Array.from({ length: missing }, () => run.copy(item)));
    return null;
  });
