import { functionKey } from '../parsing/ast.ts';
import { chargeComparison, findValue } from '../comparing.ts';
import { compareValues, equalValues } from '../equality.ts';
import { NativeSet } from '../native.ts';
import { ElementRef, ValueRef } from '../refs.ts';
import type { Run } from '../run.ts';
import { FnPointer, RhaiArray, type RhaiValue, tagOf, typeName, type TypeTag } from '../values.ts';
import { clampPosition, holds, MAX_NAME_LENGTH, toNumber, toPointer } from './args.ts';

/** Makes an array with copies of elements. The elements stay in their own array. */
export function copied(run: Run, items: readonly RhaiValue[]): RhaiArray {
  run.charge(items.length);
  return run.newArray(items.map((item) => run.copy(item)));
}

/** Calls a function with an element and its index, or with fewer arguments if the function has fewer parameters. */
const callWithItem = (run: Run, pointer: FnPointer, item: RhaiValue, index: number): RhaiValue => {
  const copy = run.copy(item);
  return run.callFor(pointer, [copy, index], new ValueRef(copy), 0);
};

/**
 * Makes a built-in function that calls `visit` with a function of the script. The built-in function returns undefined
 * if its first argument is not a function.
 */
const withPointer =
  <Result>(visit: (run: Run, self: RhaiArray, pointer: FnPointer, rest: readonly RhaiValue[]) => Result) =>
  (run: Run, self: RhaiArray, [first, ...rest]: readonly RhaiValue[]): Result | undefined => {
    const pointer = toPointer(first);
    return pointer && run.borrow(self, () => visit(run, self, pointer, rest));
  };

/** Finds the index of the first element from `start` on for which a predicate is true; -1 if it is true for none. */
function findIndex(run: Run, self: RhaiArray, pointer: FnPointer, start: RhaiValue | undefined): number | undefined {
  const from = start === undefined ? 0 : toNumber(start);
  if (from === undefined) return undefined;
  for (let index = clampPosition(from, self.items.length); index < self.items.length; index++) {
    if (holds(callWithItem(run, pointer, self.items[index] ?? null, index))) return index;
  }
  return -1;
}

/** True if a text names a function of the script with at most two parameters, for an element and its index. */
const isFunctionOfScript = (run: Run, name: RhaiValue): boolean =>
  typeof name === 'string' && name.length <= MAX_NAME_LENGTH &&
  [0, 1, 2].some((arity) => run.functions.has(functionKey(name, arity)));

function indexOf(run: Run, self: RhaiArray, args: readonly RhaiValue[]): RhaiValue | undefined {
  const [target = null, start] = args;
  const pointer = target instanceof FnPointer || isFunctionOfScript(run, target) ? toPointer(target) : undefined;
  if (pointer !== undefined) return run.borrow(self, () => findIndex(run, self, pointer, start));
  const from = start === undefined ? 0 : toNumber(start);
  return from === undefined ? undefined : findValue(run, self, target, clampPosition(from, self.items.length));
}

/** Divides the elements into two lists: those for which a predicate is true, and all others. */
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

/** Types whose values have an order. */
const ORDERED: ReadonlySet<TypeTag> = new Set(['unit', 'bool', 'int', 'float', 'decimal', 'char', 'string']);

/** Fails unless all elements are of one type that has an order. */
function checkOrder(run: Run, name: string, items: readonly RhaiValue[]): void {
  const tag = tagOf(items[0] ?? null);
  const problem = items.some((item) => tagOf(item) !== tag)
    ? 'elements of different types'
    : ORDERED.has(tag)
    ? undefined
    : `elements of type ${typeName(items[0] ?? null)}`;
  if (problem !== undefined) {
    run.fail('FunctionNotFound', `Function not found: ${name}() cannot be called with ${problem}`);
  }
}

/** Sorts the elements by a function that compares two elements, or by their natural order, which can be reversed. */
function sorted(
  run: Run,
  name: string,
  self: RhaiArray,
  comparator: RhaiValue | undefined,
  direction: 1 | -1,
): RhaiValue[] | undefined {
  const rounds = Math.ceil(Math.log2(self.items.length + 1));
  run.charge(self.items.length * rounds);
  const pointer = toPointer(comparator);
  if (comparator !== undefined && pointer === undefined) return undefined;
  if (pointer === undefined) {
    checkOrder(run, name, self.items);
    run.chargeText(self.text * rounds);
  }
  const compare = (a: RhaiValue, b: RhaiValue): number => {
    if (pointer === undefined) return (compareValues(a, b) ?? 0) * direction;
    run.tick(run.at);
    const order = run.callPointer(pointer, [run.copy(a), run.copy(b)]);
    if (typeof order === 'boolean') return order ? -1 : 1;
    return toNumber(order) ?? run.mismatch('i64', typeName(order));
  };
  return run.borrow(self, () => self.items.toSorted(compare));
}

const sortInPlace =
  (name: string, direction: 1 | -1 = 1) =>
  (run: Run, self: RhaiArray, [comparator]: readonly RhaiValue[]): RhaiValue | undefined => {
    const items = sorted(run, name, self, comparator, direction);
    if (items === undefined) return undefined;
    self.items = items;
    return null;
  };

const sortCopy =
  (name: string, direction: 1 | -1 = 1) =>
  (run: Run, self: RhaiArray, [comparator]: readonly RhaiValue[]): RhaiValue | undefined => {
    const items = sorted(run, name, self, comparator, direction);
    return items && copied(run, items);
  };

function isSameValue(run: Run, left: RhaiValue, right: RhaiValue): boolean {
  chargeComparison(run, left, right);
  return equalValues(left, right);
}

function dedup(run: Run, self: RhaiArray, [predicate]: readonly RhaiValue[]): RhaiValue | undefined {
  const pointer = toPointer(predicate);
  if (predicate !== undefined && pointer === undefined) return undefined;
  run.charge(self.items.length);
  const kept: RhaiValue[] = [];
  run.borrow(self, () => {
    for (const item of self.items) {
      const previous = kept.at(-1);
      const isSame = previous !== undefined &&
        (pointer === undefined
          ? isSameValue(run, previous, item)
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

/** Functions that visit the elements of an array, most of them with a function of the script. */
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
  .writer('sort', [0, 1], sortInPlace('sort'))
  .writer('sort_by', 1, sortInPlace('sort_by'))
  .writer('sort_desc', 0, sortInPlace('sort_desc', -1))
  .method('order', 0, sortCopy('order'))
  .method('order_by', 1, sortCopy('order_by'))
  .method('order_desc', 0, sortCopy('order_desc', -1));
