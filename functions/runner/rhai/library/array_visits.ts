import { compareValues, equalValues } from '../equality.ts';
import { NativeSet } from '../native.ts';
import { ElementRef, ValueRef } from '../refs.ts';
import type { Run } from '../run.ts';
import { FnPointer, RhaiArray, type RhaiValue, tagOf, typeName } from '../values.ts';
import { clampPosition, holds, toNumber, toPointer } from './args.ts';

/** Copies of elements that stay. */
export function copied(run: Run, items: readonly RhaiValue[]): RhaiArray {
  run.charge(items.length);
  return run.newArray(items.map((item) => run.copy(item)));
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
export function partition(run: Run, self: RhaiArray, pointer: FnPointer): { held: RhaiValue[]; others: RhaiValue[] } {
  const held: RhaiValue[] = [];
  const others: RhaiValue[] = [];
  self.items.forEach((item, index) => {
    (holds(callWithItem(run, pointer, item, index)) ? held : others).push(item);
  });
  return { held, others };
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

/** Functions that go through an array, most of them with a function of the script. */
export const arrayVisits = new NativeSet<RhaiArray>()
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
  .writer('dedup', [0, 1], dedup)
  .writer('sort', [0, 1], sort);
