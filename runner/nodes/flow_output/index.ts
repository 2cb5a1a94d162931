import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs its input as the output of the flow that its label names. */
export const flowOutputNode: NodeModule = {
  definition,
  labelledSide: 'input',
  isFlowOutput: true,
  run: ({ inputs, inputNames: [label = ''] }) => {
    return { [label]: requireInput(inputs, label) };
  },
};
