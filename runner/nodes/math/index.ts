import { readField, toDecimal, toMember } from '../../../types/values/conversion.ts';
import type { Decimal } from '../../../types/values/decimal.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The calculations. A calculation returns undefined if its result does not fit into a decimal. */
const OPERATORS: { [operator: string]: (a: Decimal, b: Decimal) => Decimal | undefined } = {
  '+': (a, b) => a.plus(b),
  '-': (a, b) => a.minus(b),
  '*': (a, b) => a.times(b),
  '/': (a, b) => a.dividedBy(b),
  '%': (a, b) => a.modulo(b),
  '^': (a, b) => a.power(b),
};

const DIVISIONS = new Set([OPERATORS['/'], OPERATORS['%']]);

const toOperator = toMember(OPERATORS, ' ');

/** Calculates with two decimals. */
export const mathNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const calculate = readField(inputs, 'operator', toOperator);
    const [a, b] = [readField(inputs, 'a', toDecimal), readField(inputs, 'b', toDecimal)];
    if (DIVISIONS.has(calculate) && b.isZero()) throw new NodeError('b: division by zero');
    const result = calculate(a, b);
    if (result === undefined) throw new NodeError('the result does not fit a decimal of 96 bits');
    return { result: { D: result.toString() } };
  },
};
