import { NativeSet, type Taking } from '../native.ts';
import { PropertyRef, type Ref, ValueRef } from '../refs.ts';
import type { Run } from '../run.ts';
import { RhaiMap, type RhaiValue } from '../values.ts';
import { holds, toPointer } from './args.ts';
import { jsonText } from './json.ts';

/** Moves the members of another map to this map. No container and no variable may hold the other map. */
function mix(run: Run, self: RhaiMap, other: RhaiValue | undefined, replaces: boolean): null | undefined {
  if (!(other instanceof RhaiMap)) return undefined;
  run.charge(other.properties.size);
  run.chargeText(other.text);
  for (const [key, value] of other.properties) {
    if (replaces || !self.properties.has(key)) new PropertyRef(run, self, key, undefined).set(run.detach(value));
  }
  return null;
}

/** Returns the properties in order and charges for it. */
function listed(run: Run, self: RhaiMap): [string, RhaiValue][] {
  run.chargeText(self.text);
  run.checkLength(self.properties.size);
  run.charge(self.properties.size * 2);
  return [...self.properties];
}

/**
 * Returns the properties for which a function is true. The function gets the key and the value. If it has one parameter
 * only, it gets the key, and the value as `this`.
 */
function select(run: Run, self: RhaiMap, predicate: RhaiValue | undefined): [string, RhaiValue][] | undefined {
  const pointer = toPointer(predicate);
  if (pointer === undefined) return undefined;
  const takesValue = run.countParams(pointer, [2, 1]) > 1;
  return run.borrow(self, () =>
    listed(run, self).filter(([key, value]) => {
      run.tick(run.at);
      const copy = run.copy(value);
      return holds(
        run.callPointer(pointer, takesValue ? [key, copy] : [key], takesValue ? undefined : new ValueRef(copy)),
      );
    }));
}

/** Removes properties and returns them. */
function cut(run: Run, self: RhaiMap, entries: readonly (readonly [string, RhaiValue])[]): RhaiMap {
  for (const [key, value] of entries) {
    run.chargeText(key.length);
    self.properties.delete(key);
    run.detach(value);
  }
  run.forget(self, entries.map(([, value]) => value));
  return run.newMap(new Map(entries));
}

/** Makes a built-in function that gets a key and charges for the key's text. */
const withKey =
  (find: (run: Run, self: RhaiMap, key: string, rest: readonly RhaiValue[], ref: Ref) => RhaiValue): Taking<RhaiMap> =>
  (run, self, [key, ...rest], ref) => {
    if (typeof key !== 'string') return undefined;
    run.chargeText(key.length);
    return find(run, self, key, rest, ref);
  };

/**
 * Makes a map with the same keys, and for each key the value that a function returns. The function gets its arguments
 * as in `select`.
 */
function mapValues(run: Run, self: RhaiMap, [mapper]: readonly RhaiValue[]): RhaiValue | undefined {
  const pointer = toPointer(mapper);
  if (pointer === undefined) return undefined;
  const takesValue = run.countParams(pointer, [2, 1]) > 1;
  const entries = run.borrow(self, () =>
    listed(run, self).map(([key, value]) => {
      run.tick(run.at);
      const copy = run.copy(value);
      const args = takesValue ? [key, copy] : [key];
      return [key, run.callPointer(pointer, args, takesValue ? undefined : new ValueRef(copy))] as const;
    }));
  return run.newMap(new Map(entries));
}

export const mapFunctions = new NativeSet<RhaiMap>()
  .method('len', 0, (_, self) => self.properties.size)
  .method('is_empty', 0, (_, self) => self.properties.size === 0)
  .method('contains', 1, withKey((_, self, key) => self.properties.has(key)))
  .method('get', 1, withKey((run, self, key) => run.copy(self.properties.get(key) ?? null)))
  .method('keys', 0, (run, self) => run.newArray(listed(run, self).map(([key]) => key)))
  .method('values', 0, (run, self) => run.newArray(listed(run, self).map(([, value]) => run.copy(value))))
  .method('filter', 1, (run, self, [predicate]) => {
    const entries = select(run, self, predicate);
    return entries && run.newMap(new Map(entries.map(([key, value]) => [key, run.copy(value)])));
  })
  .method('to_json', 0, jsonText)
  .method('map', 1, mapValues)
  .writer(
    'set',
    2,
    withKey((run, self, key, [value = null], ref) => {
      new PropertyRef(run, self, key, ref.constant).set(value);
      return null;
    }),
  )
  .writer(
    'remove',
    1,
    withKey((run, self, key) => {
      const value = self.properties.get(key);
      if (value === undefined) return null;
      self.properties.delete(key);
      run.forget(self, [value]);
      return run.detach(value);
    }),
  )
  .writer('drain', 1, (run, self, [predicate]) => {
    const entries = select(run, self, predicate);
    return entries && cut(run, self, entries);
  })
  .writer('retain', 1, (run, self, [predicate]) => {
    const kept = select(run, self, predicate);
    if (kept === undefined) return undefined;
    const keys = new Set(kept.map(([key]) => key));
    return cut(run, self, [...self.properties].filter(([key]) => !keys.has(key)));
  })
  .writer('mixin', 1, (run, self, [other]) => mix(run, self, other, true))
  .writer('fill_with', 1, (run, self, [other]) => mix(run, self, other, false))
  .writer('clear', 0, (run, self) => {
    run.charge(self.properties.size >> 4);
    run.forget(self, [...self.properties.values()]);
    self.properties.clear();
    return null;
  });
