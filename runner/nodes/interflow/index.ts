import { readCalledFlow } from '../../engine/graph/called_flow.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Runs another flow. The node's inputs become the inputs of that flow, and the flow's outputs become the node's
 * outputs.
 */
export const interflowNode: NodeModule = {
  definition,
  takesPortsFromFlow: true,
  calledFlow: readCalledFlow,
  effectsOfCalledFlow: 'all',
  run: ({ inputs, formData, callFlow }) => callFlow(readCalledFlow(formData), inputs),
};
