import { bitPlace, type BitSpan, bitSpan, readBit, readBits, writeBits } from '../bit_fields.ts';
import type { Int } from '../integers.ts';
import { NativeSet } from '../native.ts';
import type { Run } from '../run.ts';
import { isInt, Range, type RhaiValue, Sequence } from '../values.ts';

/**
 * Returns the bits that the arguments select. The arguments are a range, or a start and a count. Bits beyond the
 * integer are ignored.
 */
function selectBits(run: Run, [first, second]: readonly RhaiValue[]): BitSpan | undefined {
  if (first instanceof Range) {
    if (second !== undefined) return undefined;
    const start = Math.max(Number(first.start), 0);
    return bitSpan(run, start, Number(first.end) + (first.isInclusive ? 1 : 0) - start);
  }
  const count = second === undefined ? 64 : second;
  return first !== undefined && isInt(first) && isInt(count) ? bitSpan(run, first, count) : undefined;
}

function* bitsOf(value: Int, { start, count }: BitSpan): Iterable<RhaiValue> {
  for (let place = start; place < start + count; place++) yield readBit(value, place);
}

/** Functions that use integers as fields of bits. */
export const bitFunctions = new NativeSet<Int>()
  .method(
    'get_bit',
    1,
    (run, self, [index]) => index !== undefined && isInt(index) ? readBit(self, bitPlace(run, index)) : undefined,
  )
  .method('get_bits', [1, 2], (run, self, args) => {
    if (args.length === 1 && !(args[0] instanceof Range)) return undefined;
    const span = selectBits(run, args);
    return span && readBits(self, span);
  })
  .property('bits', (run, self, args) => {
    const span = selectBits(run, args.length === 0 ? [0] : args);
    return span && new Sequence('BitRange', () => bitsOf(self, span));
  }, 2)
  .writer('set_bit', 2, (run, self, [index, bit], ref) => {
    if (index === undefined || !isInt(index) || typeof bit !== 'boolean') return undefined;
    ref.set(writeBits(self, { start: bitPlace(run, index), count: 1 }, Number(bit)));
    return null;
  })
  .writer('set_bits', [2, 3], (run, self, args, ref) => {
    const bits = args.at(-1);
    const selection = args.slice(0, -1);
    if (bits === undefined || !isInt(bits) || (selection.length === 1 && !(selection[0] instanceof Range))) {
      return undefined;
    }
    const span = selectBits(run, selection);
    if (span === undefined) return undefined;
    ref.set(writeBits(self, span, bits));
    return null;
  });
