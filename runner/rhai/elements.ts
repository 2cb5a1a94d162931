import { bitPlace, rangeSpan } from './bit_fields.ts';
import { BitsRef, boundsError, ByteRef, CharacterRef, ElementRef, PropertyRef, type Ref, ValueRef } from './refs.ts';
import type { Run } from './run.ts';
import { readSlice, SliceRef } from './text_slices.ts';
import {
  Blob,
  Char,
  countCharacters,
  isInt,
  Range,
  RhaiArray,
  RhaiMap,
  type RhaiValue,
  sliceCharacters,
  typeName,
} from './values.ts';

/** Returns the position of an index. A negative index counts from the end. */
function position(run: Run, kind: 'Array' | 'String', length: number, index: number | bigint): number {
  const offset = Number(index);
  const place = offset < 0 ? length + offset : offset;
  return place >= 0 && place < length ? place : boundsError(run, kind, length, index);
}

/**
 * Counts the characters of a text and charges for it. A text costs less if each of its characters has one UTF-16 unit.
 */
function countPaid(run: Run, text: string): number {
  const count = countCharacters(text);
  run.charge(text.length >> (count === text.length ? 10 : 5));
  return count;
}

/** Fails because an index of this type can't select an element of this value. */
function badIndex(run: Run, base: RhaiValue, index: RhaiValue): never {
  if (base instanceof RhaiMap) return run.mismatch('string', typeName(index));
  if (base instanceof RhaiArray || base instanceof Blob || typeof base === 'string' || isInt(base)) {
    return run.mismatch('i64', typeName(index));
  }
  const type = `${typeName(base)} [${typeName(index)}]`;
  return run.fail('IndexingType', `Indexer unavailable: ${type}`, run.at, { type });
}

/** Locates the bits of an integer that an index or a range selects. */
function locateBits(run: Run, ref: Ref, index: RhaiValue): Ref {
  if (index instanceof Range) return new BitsRef(run, ref, rangeSpan(run, index), false);
  if (!isInt(index)) return badIndex(run, ref.get(), index);
  return new BitsRef(run, ref, { start: bitPlace(run, index), count: 1 }, true);
}

/** Reads the element of a value that an index selects. */
export function readIndex(run: Run, base: RhaiValue, index: RhaiValue): RhaiValue {
  if (typeof index === 'string') run.chargeText(index.length);
  if (base instanceof RhaiMap && typeof index === 'string') return base.properties.get(index) ?? null;
  if (isInt(base)) return locateBits(run, new ValueRef(base), index).get();
  if (typeof base === 'string' && index instanceof Range) return readSlice(run, base, index);
  if (!isInt(index)) return badIndex(run, base, index);
  if (base instanceof RhaiArray) return base.items[position(run, 'Array', base.items.length, index)] ?? null;
  if (typeof base === 'string') {
    const place = position(run, 'String', countPaid(run, base), index);
    return new Char(sliceCharacters(base, place, place + 1));
  }
  if (base instanceof Blob) return base.bytes[position(run, 'Array', base.bytes.length, index)] ?? null;
  return badIndex(run, base, index);
}

/** Locates the element that an index selects. */
export function locateIndex(run: Run, ref: Ref, index: RhaiValue): Ref {
  const base = ref.get();
  if (typeof index === 'string') run.chargeText(index.length);
  if (base instanceof RhaiMap && typeof index === 'string') return new PropertyRef(run, base, index, ref.constant);
  if (isInt(base)) return locateBits(run, ref, index);
  if (typeof base === 'string' && index instanceof Range) return new SliceRef(run, ref, index);
  if (!isInt(index)) return badIndex(run, base, index);
  if (base instanceof RhaiArray) {
    return new ElementRef(run, base, position(run, 'Array', base.items.length, index), ref.constant);
  }
  if (typeof base === 'string') {
    return new CharacterRef(run, ref, position(run, 'String', countPaid(run, base), index));
  }
  if (base instanceof Blob) {
    return new ByteRef(run, base, position(run, 'Array', base.bytes.length, index), ref.constant);
  }
  return badIndex(run, base, index);
}
