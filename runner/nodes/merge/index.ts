import type { ValueMap } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs the first of its inputs that has a value. Null is a value. */
export const mergeNode: NodeModule = {
  definition,
  handsOnKeysOf: ['a', 'b', 'c', 'd', 'e'],
  runsOnFormValue: true,
  run: ({ inputs, inputNames }): ValueMap => {
    const name = inputNames.find((candidate) => inputs[candidate] !== undefined);
    return name === undefined ? {} : { value: inputs[name]! };
  },
};
