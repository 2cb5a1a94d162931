import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs its inputs as an array. The second input is optional, so the array has one or two elements. */
export const toVecNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const first = requireInput(inputs, 'first');
    return { result: { A: inputs.second === undefined ? [first] : [first, inputs.second] } };
  },
};
