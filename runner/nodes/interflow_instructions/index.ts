import { collectInstructions } from '../../solana/building/instruction_module.ts';
import { instructionsToValues } from './instruction_values.ts';
import { readCalledFlow } from '../../engine/graph/called_flow.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Runs another flow up to its first transaction, and outputs the parts of that transaction instead of sending it. */
export const interflowInstructionsNode: NodeModule = {
  definition,
  takesPortsFromFlow: 'inputs',
  effectsOfCalledFlow: 'without_instructions',
  run: async (call) =>
    instructionsToValues(await collectInstructions(call, readCalledFlow(call.formData), call.inputs)),
};
