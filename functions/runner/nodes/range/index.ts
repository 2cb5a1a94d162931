import { Decimal } from '../../../../types/decimal.ts';
import type { Value } from '../../../../types/value.ts';
import { readField, readFieldOr, toDecimal } from '../../../../types/value_conversion.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** As many of the shortest decimals, `{"D":"0"},`, as fit into the 1 MiB that a node may put out. */
const MAX_COUNT = 104_857;
/** Elements between two looks at the time. */
const CHECK_INTERVAL = 1_000;

const ONE = Decimal.fromBigInt(1n)!;

/** How many steps fit between two numbers. */
function countSteps(start: Decimal, end: Decimal, step: Decimal): number {
  if (step.isZero() || step.isNegative()) throw new NodeError('step_by: takes a decimal greater than 0');
  // Undefined when the distance or the quotient has more than 96 bits.
  const count = end.minus(start)?.abs().dividedBy(step)?.floor().toNumber() ?? Number.POSITIVE_INFINITY;
  if (count > MAX_COUNT) {
    throw new NodeError(`there are ${Number.isFinite(count) ? count : 'too many'} steps; ${MAX_COUNT} at most`);
  }
  return count;
}

/** Gives the decimals from start, one step apart: as many as whole steps fit between start and end, which it never reaches. */
export const rangeNode: NodeModule = {
  definition,
  run: ({ inputs, checkTime }) => {
    const step = readFieldOr(inputs, 'step_by', ONE, toDecimal);
    let next: Decimal | undefined = readField(inputs, 'start', toDecimal);
    const count = countSteps(next, readField(inputs, 'end', toDecimal), step);
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
