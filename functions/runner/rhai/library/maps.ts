import { Decimal } from '../../../../types/decimal.ts';
import { NativeSet } from '../native.ts';
import { PropertyRef } from '../refs.ts';
import type { Run } from '../run.ts';
import { Char, Float, isInt, RhaiArray, RhaiMap, type RhaiValue, sortedEntries, typeName } from '../values.ts';

/** A value as JSON, as far as JSON has it; other values are shown by their type. */
function jsonText(value: RhaiValue): string {
  if (value === null) return 'null';
  if (value instanceof RhaiArray) return `[${value.items.map(jsonText).join(',')}]`;
  if (value instanceof RhaiMap) {
    return `{${sortedEntries(value).map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`).join(',')}}`;
  }
  if (value instanceof Float) return Number.isFinite(value.value) ? JSON.stringify(value.value) : 'null';
  if (value instanceof Decimal) return String(value);
  if (isInt(value) || typeof value === 'boolean') return String(value);
  return JSON.stringify(value instanceof Char ? value.text : typeof value === 'string' ? value : typeName(value));
}

/** Puts the members of another map into this one, which it may keep. */
function mix(run: Run, self: RhaiMap, other: RhaiValue | undefined, replaces: boolean): null | undefined {
  if (!(other instanceof RhaiMap)) return undefined;
  run.charge(other.properties.size);
  for (const [key, value] of other.properties) {
    if (replaces || !self.properties.has(key)) new PropertyRef(run, self, key, undefined).set(run.release(value));
  }
  return null;
}

/** The properties in order, which is paid for. */
function listed(run: Run, self: RhaiMap): [string, RhaiValue][] {
  run.checkLength(self.properties.size);
  run.charge(self.properties.size * 2);
  return sortedEntries(self);
}

export const mapFunctions = new NativeSet<RhaiMap>()
  .method('len', 0, (_, self) => self.properties.size)
  .method('is_empty', 0, (_, self) => self.properties.size === 0)
  .method('contains', 1, (_, self, [key]) => typeof key === 'string' ? self.properties.has(key) : undefined)
  .method(
    'get',
    1,
    (run, self, [key]) => typeof key === 'string' ? run.copy(self.properties.get(key) ?? null) : undefined,
  )
  .method('keys', 0, (run, self) => run.newArray(listed(run, self).map(([key]) => key)))
  .method('values', 0, (run, self) => run.newArray(listed(run, self).map(([, value]) => run.copy(value))))
  .method('to_json', 0, (run, self) => {
    run.charge(self.elements + self.entries);
    return run.newText(jsonText(self));
  })
  .writer('set', 2, (run, self, [key, value = null], ref) => {
    if (typeof key !== 'string') return undefined;
    new PropertyRef(run, self, key, ref.constant).set(value);
    return null;
  })
  .writer('remove', 1, (run, self, [key]) => {
    if (typeof key !== 'string') return undefined;
    const value = self.properties.get(key);
    if (value === undefined) return null;
    self.properties.delete(key);
    run.forget(self, [value]);
    return run.release(value);
  })
  .writer('mixin', 1, (run, self, [other]) => mix(run, self, other, true))
  .writer('fill_with', 1, (run, self, [other]) => mix(run, self, other, false))
  .writer('clear', 0, (run, self) => {
    run.forget(self, [...self.properties.values()]);
    self.properties.clear();
    return null;
  });
