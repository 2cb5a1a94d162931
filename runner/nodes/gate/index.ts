import { readField, toBoolean } from '../../../types/values/conversion.ts';
import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Passes a value on through the output that a boolean chooses. */
export const gateNode: NodeModule = {
  definition,
  handsOnKeysOf: 'value',
  run: ({ inputs }) => {
    const value = requireInput(inputs, 'value');
    return { [readField(inputs, 'condition', toBoolean) ? 'output' : 'rejected']: value };
  },
};
