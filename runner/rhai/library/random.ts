import { Decimal } from '../../../types/values/decimal.ts';
import { toInt } from '../integers.ts';
import { NativeSet } from '../native.ts';
import type { Run } from '../run.ts';
import { Float, isInt, Range, type RhaiArray, type RhaiValue } from '../values.ts';
import { toNumber } from './args.ts';
import { makeDecimal } from './core.ts';

const WORD = 2 ** 32;

/** Draws random bits, 32 at a time. */
function randomBits(run: Run, words: number): bigint {
  let bits = 0n;
  for (let word = 0; word < words; word++) bits = (bits << 32n) | BigInt(Math.floor(run.hooks.random() * WORD));
  return bits;
}

/**
 * Draws an integer from `first` to `last`, both included. The function draws 64 bits more than needed, so that all
 * integers have practically the same probability.
 */
function randomInt(run: Run, first: bigint, last: bigint): RhaiValue {
  if (last < first) return run.fail('Runtime', `The range ${first}..=${last} is empty`);
  return toInt(first + randomBits(run, 4) % (last - first + 1n));
}

function rand(run: Run, [first, second]: readonly RhaiValue[]): RhaiValue | undefined {
  if (first === undefined) return toInt(BigInt.asIntN(64, randomBits(run, 2)));
  if (first instanceof Range && second === undefined) {
    return randomInt(run, BigInt(first.start), BigInt(first.end) - (first.isInclusive ? 0n : 1n));
  }
  if (second === undefined || !isInt(first) || !isInt(second)) return undefined;
  return randomInt(run, BigInt(first), BigInt(second));
}

/** Draws a decimal from 0 to below 1, with 28 places. */
const randomFraction = (run: Run): Decimal =>
  Decimal.parse(`0.${String(randomBits(run, 4) % 10n ** 28n).padStart(28, '0')}`) ??
    run.fail('Runtime', 'No random decimal');

function randDecimal(run: Run, [first, second]: readonly RhaiValue[]): RhaiValue | undefined {
  run.charge(8);
  const fraction = randomFraction(run);
  if (first === undefined) return fraction;
  const [start, end] = [makeDecimal(run, first), makeDecimal(run, second)];
  if (start === undefined || end === undefined) return undefined;
  const width = end.minus(start);
  if (width?.isNegative()) return run.fail('Runtime', `The range ${start}..${end} is empty`);
  const result = width && fraction.times(width)?.plus(start);
  return result ?? run.fail('Arithmetic', 'The range is too large');
}

export const randomMakers = new NativeSet<null>()
  .method('rand', [0, 2], (run, _, args) => rand(run, args))
  .method('rand_float', [0, 2], (run, _, [first, second]) => {
    if (first === undefined) return new Float(run.hooks.random());
    if (!(first instanceof Float) || !(second instanceof Float)) return undefined;
    return new Float(first.value + run.hooks.random() * (second.value - first.value));
  })
  .method('rand_bool', [0, 1], (run, _, [probability]) => {
    if (probability === undefined) return run.hooks.random() < 0.5;
    return probability instanceof Float ? run.hooks.random() < probability.value : undefined;
  })
  .method('rand_decimal', [0, 2], (run, _, args) => randDecimal(run, args));

/** Moves `count` elements, which are drawn at random, to the front of the array. */
function shuffle(run: Run, items: RhaiValue[], count: number): void {
  run.charge(count * 4);
  for (let index = 0; index < count; index++) {
    const other = index + Math.floor(run.hooks.random() * (items.length - index));
    [items[index], items[other]] = [items[other] ?? null, items[index] ?? null];
  }
}

export const arrayRandomFunctions = new NativeSet<RhaiArray>()
  .writer('shuffle', 0, (run, self) => {
    shuffle(run, self.items, self.items.length);
    return null;
  })
  .method('sample', [0, 1], (run, self, [count]) => {
    const { items } = self;
    if (count === undefined) {
      return items.length === 0 ? null : run.copy(items[Math.floor(run.hooks.random() * items.length)] ?? null);
    }
    const wanted = toNumber(count);
    if (wanted === undefined) return undefined;
    const drawn = Math.min(Math.max(wanted, 0), items.length);
    run.charge(items.length >> 4);
    const order = [...items];
    shuffle(run, order, drawn);
    return run.newArray(order.slice(0, drawn).map((item) => run.copy(item)));
  });
