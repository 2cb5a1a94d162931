import { Decimal } from '../../../types/values/decimal.ts';
import type { Value } from '../../../types/values/value.ts';
import { readField, readFieldOr, toDecimal } from '../../../types/values/conversion.ts';
import { NodeError, type NodeModule, outputTooLarge } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The fewest bytes that a number takes in an output: `{"D":"0"},`. */
const NUMBER_BYTES = 10;
/** The number of elements between two checks of the time limit. */
const CHECK_INTERVAL = 1_000;

const ONE = Decimal.fromBigInt(1n)!;

/** Counts the whole steps between two numbers. */
function countSteps(start: Decimal, end: Decimal, step: Decimal, maxBytes: number): number {
  if (step.isZero() || step.isNegative()) throw new NodeError('step_by: must be a decimal greater than 0');
  // `minus` and `dividedBy` return undefined if the result needs more than 96 bits.
  const count = end.minus(start)?.abs().dividedBy(step)?.floor().toNumber() ?? Number.POSITIVE_INFINITY;
  // This check comes before the numbers are made, so that too many numbers never fill the memory. It assumes one digit
  // for each number. The engine checks the real size later.
  if (count > maxBytes / NUMBER_BYTES) {
    const numbers = Number.isFinite(count) ? `${count} numbers` : 'more numbers than can be counted';
    throw outputTooLarge(`${numbers} don't`, maxBytes);
  }
  return count;
}

/**
 * Outputs one decimal for each whole step between start and end. The numbers begin with start and are one step apart.
 * The end is not among them.
 */
export const rangeNode: NodeModule = {
  definition,
  run: ({ inputs, maxOutputBytes, checkTime }) => {
    const step = readFieldOr(inputs, 'step_by', ONE, toDecimal);
    let next: Decimal | undefined = readField(inputs, 'start', toDecimal);
    const count = countSteps(next, readField(inputs, 'end', toDecimal), step, maxOutputBytes);
    const result: Value[] = [];
    while (result.length < count) {
      if (next === undefined) throw new NodeError('a number of the range needs more than the 96 bits of a decimal');
      result.push({ D: next.toString() });
      next = next.plus(step);
      if (result.length % CHECK_INTERVAL === 0) checkTime();
    }
    return { result: { A: result } };
  },
};
