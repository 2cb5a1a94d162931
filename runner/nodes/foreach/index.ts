import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs an array. The engine passes its elements on one at a time. */
export const foreachNode: NodeModule = {
  definition,
  handsOnKeysOf: 'array',
  spreads: true,
  run: ({ inputs }) => {
    const array = requireInput(inputs, 'array');
    return { element: 'A' in array ? array : { A: [array] } };
  },
};
