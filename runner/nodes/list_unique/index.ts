import { readField, readOptionalField, toArray, toText } from '../../../types/values/conversion.ts';
import { valueAt } from '../../../types/values/path.ts';
import { parseField } from '../../conditions/condition.ts';
import { canonicalText } from '../../conditions/equality.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Removes each element that equals an earlier element. All elements without the field count as equal. */
export const listUniqueNode: NodeModule = {
  definition,
  handsOnKeysOf: 'array',
  run: ({ inputs }) => {
    const path = parseField(readOptionalField(inputs, 'field', toText) ?? '');
    const seen = new Set<string>();
    const unique = readField(inputs, 'array', toArray).filter((element) => {
      const text = canonicalText(valueAt(element, path) ?? { N: 0 });
      return !seen.has(text) && seen.add(text);
    });
    return { unique: { A: unique } };
  },
};
