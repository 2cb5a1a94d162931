import { judge, readCondition } from '../../conditions/condition.ts';
import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Passes a value on through the output that its condition chooses. */
export const branchNode: NodeModule = {
  definition,
  handsOnKeysOf: 'value',
  run: ({ inputs }) => {
    const value = requireInput(inputs, 'value');
    return { [judge(readCondition(inputs), value, 'value') ? 'output' : 'rejected']: value };
  },
};
