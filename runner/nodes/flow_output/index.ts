import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Its input becomes the output of the flow whose name is the node's label. */
export const flowOutputNode: NodeModule = {
  definition,
  labelledSide: 'input',
  isFlowOutput: true,
  run: ({ inputs, inputNames: [label = ''] }) => {
    return { [label]: requireInput(inputs, label) };
  },
};
