import { type Int, INT_MAX, toInt } from './integers.ts';
import type { Memory } from './memory.ts';
import type { Range } from './values.ts';

const INT_BITS = 64;

/** Neighbouring bits of an integer, counted from the least significant one. */
export interface BitSpan {
  readonly start: number;
  readonly count: number;
}

const outside = (run: Memory, index: Int): never =>
  run.fail('BitFieldBounds', `Bit-field index ${index} out of bounds: only ${INT_BITS} bits in bit-field`, run.at, {
    length: INT_BITS,
    index,
  });

/** Returns the position of a bit. A negative index counts from the most significant bit. */
export function bitPlace(run: Memory, index: Int): number {
  const place = index < 0 ? INT_BITS + Number(index) : Number(index);
  return place >= 0 && place < INT_BITS ? place : outside(run, index);
}

/** Returns this many bits from a position on, or fewer if the integer ends before. */
export function bitSpan(run: Memory, start: Int, count: Int): BitSpan {
  const place = bitPlace(run, start);
  return { start: place, count: Math.min(Math.max(Number(count), 0), INT_BITS - place) };
}

/** Returns the bits that a range selects. Fails if some of them don't exist. */
export function rangeSpan(run: Memory, { start, end, isInclusive }: Range): BitSpan {
  if (start < 0 || start >= INT_BITS) outside(run, start);
  const most = isInclusive ? INT_BITS - 1 : INT_BITS;
  // A range without an end goes up to the last bit.
  const last = end === INT_MAX ? most : end;
  if (last < 0 || last > most) outside(run, end);
  return { start: Number(start), count: Math.max(Number(last) - Number(start) + (isInclusive ? 1 : 0), 0) };
}

export const readBits = (value: Int, { start, count }: BitSpan): Int =>
  toInt(BigInt.asIntN(64, BigInt.asUintN(count, BigInt(value) >> BigInt(start))));

export function writeBits(value: Int, { start, count }: BitSpan, bits: Int): Int {
  const added = (BigInt.asUintN(count, BigInt(bits)) - BigInt.asUintN(count, BigInt(value) >> BigInt(start))) <<
    BigInt(start);
  return toInt(BigInt.asIntN(64, BigInt(value) + added));
}

export const readBit = (value: Int, place: number): boolean => readBits(value, { start: place, count: 1 }) === 1;
