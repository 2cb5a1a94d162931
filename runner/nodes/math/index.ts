import { ConversionError, readField, toDecimal, toText } from '../../../types/values/conversion.ts';
import type { Decimal } from '../../../types/values/decimal.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The calculations. Undefined: the result is no decimal. */
const OPERATORS: { [operator: string]: (a: Decimal, b: Decimal) => Decimal | undefined } = {
  '+': (a, b) => a.plus(b),
  '-': (a, b) => a.minus(b),
  '*': (a, b) => a.times(b),
  '/': (a, b) => a.dividedBy(b),
  '%': (a, b) => a.modulo(b),
  '^': (a, b) => a.power(b),
};

/** Calculates with two decimals. */
export const mathNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const operator = readField(inputs, 'operator', toText);
    const calculate = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (calculate === undefined) {
      throw new ConversionError(`must be one of ${Object.keys(OPERATORS).join(' ')}`, 'operator');
    }
    const [a, b] = [readField(inputs, 'a', toDecimal), readField(inputs, 'b', toDecimal)];
    if ((operator === '/' || operator === '%') && b.isZero()) throw new NodeError('b: division by zero');
    const result = calculate(a, b);
    if (result === undefined) throw new NodeError('the result is no number of up to 96 bits');
    return { result: { D: result.toString() } };
  },
};
