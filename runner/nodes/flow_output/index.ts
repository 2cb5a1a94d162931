import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Gives its input as the flow's output that its label names. */
export const flowOutputNode: NodeModule = {
  definition,
  labelledSide: 'input',
  isFlowOutput: true,
  run: ({ inputs, inputNames: [label = ''] }) => {
    return { [label]: requireInput(inputs, label) };
  },
};
