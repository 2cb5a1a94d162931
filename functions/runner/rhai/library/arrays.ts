import { compareValues, equalValues } from '../equality.ts';
import { NativeSet } from '../native.ts';
import { ElementRef, ValueRef } from '../refs.ts';
import type { Run } from '../run.ts';
import { FnPointer, isInt, RhaiArray, type RhaiValue, tagOf, typeName } from '../values.ts';
import { clampPosition, holds, selectSpan, toNumber, toPointer } from './args.ts';

/** Elements that left the array. */
function taken(run: Run, items: RhaiValue[]): RhaiArray {
  for (const item of items) run.release(item);
  run.charge(items.length);
  return run.newArray(items);
}

/** An element that left the array; unit when there was none. */
function takeOne(run: Run, self: RhaiArray, item: RhaiValue | undefined): RhaiValue {
  if (item === undefined) return null;
  run.forget(self, [item]);
  return run.release(item);
}

/** Copies of elements that stay. */
function copied(run: Run, items: readonly RhaiValue[]): RhaiArray {
  run.charge(items.length);
  return run.newArray(items.map((item) => run.copy(item)));
}

/** Puts elements in at a place, which belong to nobody else. */
function insert(run: Run, self: RhaiArray, place: number, items: readonly RhaiValue[]): void {
  run.checkLength(self.items.length + items.length);
  // Those behind it move up.
  run.charge(items.length + ((self.items.length - place) >> 6));
  if (place === self.items.length) { for (const item of items) self.items.push(item); }
  else self.items = [...self.items.slice(0, place), ...items, ...self.items.slice(place)];
  run.adopt(self, items);
}

/** Removes elements from a place on, and gives them. */
function cut(run: Run, self: RhaiArray, from: number, to: number): RhaiArray {
  run.charge((self.items.length - from) >> 6);
  const removed = self.items.splice(from, to - from);
  run.forget(self, removed);
  return taken(run, removed);
}

/** Calls a function for an element: with it and its index, or as much of that as the function takes. */
const callWithItem = (run: Run, pointer: FnPointer, item: RhaiValue, index: number): RhaiValue => {
  const copy = run.copy(item);
  return run.callFor(pointer, [copy, index], new ValueRef(copy), 0);
};

/** A function that goes through the array with a function; undefined when it was given none. */
const withPointer =
  <Result>(visit: (run: Run, self: RhaiArray, pointer: FnPointer, rest: readonly RhaiValue[]) => Result) =>
  (run: Run, self: RhaiArray, [first, ...rest]: readonly RhaiValue[]): Result | undefined => {
    const pointer = toPointer(first);
    return pointer && run.borrow(self, () => visit(run, self, pointer, rest));
  };

/** The index of the first element that a predicate holds for, from a start on; -1 when there is none. */
function findIndex(run: Run, self: RhaiArray, pointer: FnPointer, start: RhaiValue | undefined): number | undefined {
  const from = start === undefined ? 0 : toNumber(start);
  if (from === undefined) return undefined;
  for (let index = clampPosition(from, self.items.length); index < self.items.length; index++) {
    if (holds(callWithItem(run, pointer, self.items[index] ?? null, index))) return index;
  }
  return -1;
}

function indexOf(run: Run, self: RhaiArray, args: readonly RhaiValue[]): RhaiValue | undefined {
  const [target = null, start] = args;
  if (target instanceof FnPointer) return run.borrow(self, () => findIndex(run, self, target, start));
  const from = start === undefined ? 0 : toNumber(start);
  if (from === undefined) return undefined;
  run.charge(self.elements >> 2);
  const first = clampPosition(from, self.items.length);
  return self.items.findIndex((item, index) => index >= first && equalValues(item, target));
}

/** Divides the elements by a predicate: those that it holds for, and the others. */
function partition(run: Run, self: RhaiArray, pointer: FnPointer): { held: RhaiValue[]; others: RhaiValue[] } {
  const held: RhaiValue[] = [];
  const others: RhaiValue[] = [];
  self.items.forEach((item, index) => {
    (holds(callWithItem(run, pointer, item, index)) ? held : others).push(item);
  });
  return { held, others };
}

/** `drain` removes what is selected, `retain` everything else; both give what they removed. */
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
  insert(run, self, span.from, replacement.items.map((item) => run.release(item)));
  return null;
}

const reduce = (isReversed: boolean) =>
  withPointer((run, self, pointer, [initial = null]): RhaiValue => {
    let result = initial;
    const { length } = self.items;
    for (let count = 0; count < length; count++) {
      const index = isReversed ? length - 1 - count : count;
      const item = run.copy(self.items[index] ?? null);
      result = run.callFor(pointer, [result, item, index], new ValueRef(item), 1);
    }
    return result;
  });

/** Sorts by a function that tells which of two comes first, else values of one type by their order, if they have one. */
function sort(run: Run, self: RhaiArray, [comparator]: readonly RhaiValue[]): RhaiValue | undefined {
  const { length } = self.items;
  run.charge(length * Math.ceil(Math.log2(length + 1)));
  const pointer = toPointer(comparator);
  if (comparator !== undefined && pointer === undefined) return undefined;
  if (pointer === undefined && length > 0) {
    const tag = tagOf(self.items[0] ?? null);
    if (self.items.some((item) => tagOf(item) !== tag)) {
      run.fail('FunctionNotFound', 'Function not found: sort() cannot be called with elements of different types');
    }
  }
  const compare = (a: RhaiValue, b: RhaiValue): number => {
    if (pointer === undefined) return compareValues(a, b) ?? 0;
    run.tick(run.at);
    const order = run.callPointer(pointer, [run.copy(a), run.copy(b)]);
    if (typeof order === 'boolean') return order ? -1 : 1;
    return toNumber(order) ?? run.mismatch('i64', typeName(order));
  };
  self.items = run.borrow(self, () => self.items.toSorted(compare));
  return null;
}

function dedup(run: Run, self: RhaiArray, [predicate]: readonly RhaiValue[]): RhaiValue | undefined {
  const pointer = toPointer(predicate);
  if (predicate !== undefined && pointer === undefined) return undefined;
  run.charge(self.elements);
  const kept: RhaiValue[] = [];
  run.borrow(self, () => {
    for (const item of self.items) {
      const previous = kept.at(-1);
      const isSame = previous !== undefined &&
        (pointer === undefined
          ? equalValues(previous, item)
          : holds(run.callPointer(pointer, [run.copy(previous), run.copy(item)])));
      if (!isSame) kept.push(item);
    }
  });
  self.items = kept;
  return null;
}

function zip(run: Run, self: RhaiArray, [other, fn]: readonly RhaiValue[]): RhaiValue | undefined {
  const pointer = toPointer(fn);
  if (!(other instanceof RhaiArray) || pointer === undefined) return undefined;
  return run.borrow(self, () =>
    run.newArray(
      self.items.slice(0, other.items.length).map((item, index) => {
        const pair = [run.copy(item), run.copy(other.items[index] ?? null)];
        run.tick(run.at);
        return run.callFor(pointer, [...pair, index], new ValueRef(pair[1] ?? null), 1);
      }),
    ));
}

/** How many elements to keep at the head or tail; what is beyond is removed. */
const shorten =
  (fromHead: boolean) => (run: Run, self: RhaiArray, [length]: readonly RhaiValue[]): RhaiValue | undefined => {
    const count = toNumber(length);
    if (count === undefined) return undefined;
    const kept = Math.min(Math.max(count, 0), self.items.length);
    if (fromHead) cut(run, self, kept, self.items.length);
    else cut(run, self, 0, self.items.length - kept);
    return null;
  };

/** The place of a position from either end; undefined when there is none such. */
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
    run.charge(self.elements >> 2);
    return self.items.some((item) => equalValues(item, target));
  })
  .method('index_of', [1, 2], indexOf)
  .method(
    'find',
    [1, 2],
    withPointer((run, self, pointer, [start]) => {
      const index = findIndex(run, self, pointer, start);
      return index === undefined ? undefined : run.copy(self.items[index] ?? null);
    }),
  )
  .method(
    'find_map',
    [1, 2],
    withPointer((run, self, pointer, [start]) => {
      const from = start === undefined ? 0 : toNumber(start);
      if (from === undefined) return undefined;
      for (let index = clampPosition(from, self.items.length); index < self.items.length; index++) {
        const found = callWithItem(run, pointer, self.items[index] ?? null, index);
        if (found !== null) return found;
      }
      return null;
    }),
  )
  .method(
    'map',
    1,
    withPointer((run, self, pointer) =>
      run.newArray(self.items.map((item, index) => callWithItem(run, pointer, item, index)))
    ),
  )
  .method('filter', 1, withPointer((run, self, pointer) => copied(run, partition(run, self, pointer).held)))
  .method('some', 1, withPointer((run, self, pointer) => findIndex(run, self, pointer, undefined) !== -1))
  .method(
    'all',
    1,
    withPointer((run, self, pointer) =>
      self.items.every((item, index) => holds(callWithItem(run, pointer, item, index)))
    ),
  )
  .method('reduce', [1, 2], reduce(false))
  .method('reduce_rev', [1, 2], reduce(true))
  .method('zip', 2, zip)
  .writer('for_each', 1, (run, self, [fn], ref) => {
    const pointer = toPointer(fn);
    if (pointer === undefined) return undefined;
    const takesIndex = run.countParams(pointer, [0, 1]) > 0;
    for (let index = 0; index < self.items.length; index++) {
      run.tick(run.at);
      run.callPointer(pointer, takesIndex ? [index] : [], new ElementRef(run, self, index, ref.constant));
    }
    return null;
  })
  .writer('push', 1, (run, self, [item = null]) => {
    insert(run, self, self.items.length, [item]);
    return null;
  })
  .writer('append', 1, (run, self, [other]) => {
    if (!(other instanceof RhaiArray)) return undefined;
    insert(run, self, self.items.length, other.items.map((item) => run.release(item)));
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
  })
  .writer('dedup', [0, 1], dedup)
  .writer('sort', [0, 1], sort);
