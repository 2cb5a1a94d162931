import {
  ConversionError,
  invalidType,
  readField,
  readOptionalField,
  toArray,
  toBoolean,
  toText,
} from '../../../types/values/conversion.ts';
import { valueAt } from '../../../types/values/path.ts';
import type { Value } from '../../../types/values/value.ts';
import { parseField } from '../../conditions/condition.ts';
import { comparedText } from '../../conditions/equality.ts';
import { type ComparedNumber, compareNumbers, numberOf } from '../../conditions/numbers.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * An element, with the number (`key`) or text by which it is sorted. If the element has neither, both are undefined.
 */
interface Keyed {
  element: Value;
  key: ComparedNumber | undefined;
  text: string | undefined;
}

const hasKey = ({ key, text }: Keyed): boolean => key !== undefined || text !== undefined;

function compareKeys(a: Keyed, b: Keyed): number {
  if (a.key !== undefined && b.key !== undefined) return compareNumbers(a.key, b.key)!;
  return a.text! < b.text! ? -1 : a.text! > b.text! ? 1 : 0;
}

/** Sorts an array of numbers or of texts. */
export const listSortNode: NodeModule = {
  definition,
  handsOnKeysOf: 'array',
  run: ({ inputs }) => {
    const path = parseField(readOptionalField(inputs, 'field', toText) ?? '');
    const direction = readOptionalField(inputs, 'descending', toBoolean) ?? false ? -1 : 1;
    let expected: 'a number' | 'a string' | undefined;
    const keyed = readField(inputs, 'array', toArray).map((element, index): Keyed => {
      const value = valueAt(element, path);
      if (value === undefined || 'N' in value) return { element, key: undefined, text: undefined };
      const [key, text] = [numberOf(value), comparedText(value)];
      expected ??= text === undefined ? 'a number' : 'a string';
      if (key === 'NaN' || (expected === 'a number' ? key : text) === undefined) {
        throw new ConversionError(`element ${index}: ${invalidType(value, expected).reason}`, 'array');
      }
      return { element, key, text };
    });
    const sorted = [
      ...keyed.filter(hasKey).toSorted((a, b) => direction * compareKeys(a, b)),
      ...keyed.filter((one) => !hasKey(one)),
    ];
    return { sorted: { A: sorted.map(({ element }) => element) } };
  },
};
