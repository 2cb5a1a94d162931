import { readField, toArray } from '../../../types/values/conversion.ts';
import type { Value } from '../../../types/values/value.ts';
import { judge, readCondition } from '../../conditions/condition.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The number of elements between two checks of the time limit. */
const CHECK_INTERVAL = 1_000;

/** Divides an array by a condition. Both outputs always have an array, which may be empty. */
export const filterNode: NodeModule = {
  definition,
  handsOnKeysOf: 'array',
  run: ({ inputs, checkTime }) => {
    const array = readField(inputs, 'array', toArray);
    const condition = readCondition(inputs);
    const filtered: Value[] = [];
    const rejected: Value[] = [];
    for (const [index, element] of array.entries()) {
      (judge(condition, element, 'array', index) ? filtered : rejected).push(element);
      if (index % CHECK_INTERVAL === CHECK_INTERVAL - 1) checkTime();
    }
    return { filtered: { A: filtered }, rejected: { A: rejected } };
  },
};
