import { Decimal } from '../../../../types/values/decimal.ts';
import type { Value } from '../../../../types/values/value.ts';
import { readField, readFieldOr, toDecimal } from '../../../../types/values/conversion.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The least that a number takes in an output: `{"D":"0"},`. */
const NUMBER_BYTES = 10;
/** Elements between two looks at the time. */
const CHECK_INTERVAL = 1_000;

const ONE = Decimal.fromBigInt(1n)!;

/** How many steps fit between two numbers. */
function countSteps(start: Decimal, end: Decimal, step: Decimal, maxBytes: number): number {
  if (step.isZero() || step.isNegative()) throw new NodeError('step_by: takes a decimal greater than 0');
  // Undefined when the distance or the quotient has more than 96 bits.
  const count = end.minus(start)?.abs().dividedBy(step)?.floor().toNumber() ?? Number.POSITIVE_INFINITY;
  // Before they are made; how many do fit depends on their digits.
  if (count > maxBytes / NUMBER_BYTES) {
    const numbers = Number.isFinite(count) ? `${count} numbers` : 'more numbers than can be counted';
    throw new NodeError(`output_too_large: ${numbers} don't fit into an output of ${maxBytes} bytes`);
  }
  return count;
}

/** Gives the decimals from start, one step apart: as many as whole steps fit between start and end, which it never reaches. */
export const rangeNode: NodeModule = {
  definition,
  run: ({ inputs, maxOutputBytes, checkTime }) => {
    const step = readFieldOr(inputs, 'step_by', ONE, toDecimal);
    let next: Decimal | undefined = readField(inputs, 'start', toDecimal);
    const count = countSteps(next, readField(inputs, 'end', toDecimal), step, maxOutputBytes);
    const result: Value[] = [];
    while (result.length < count) {
      if (next === undefined) throw new NodeError('a number has more than 96 bits');
      result.push({ D: next.toString() });
      next = next.plus(step);
      if (result.length % CHECK_INTERVAL === 0) checkTime();
    }
    return { result: { A: result } };
  },
};
