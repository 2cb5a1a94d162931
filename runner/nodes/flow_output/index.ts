import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The node's input becomes an output of the flow. The node's label is the name of that output. */
export const flowOutputNode: NodeModule = {
  definition,
  labelledSide: 'input',
  isFlowOutput: true,
  run: ({ inputs, inputNames: [label = ''] }) => {
    return { [label]: requireInput(inputs, label) };
  },
};
