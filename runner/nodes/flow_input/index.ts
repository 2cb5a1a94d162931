import { fromWireJson } from '../../../types/values/json/wire_json.ts';
import { formMember, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Outputs the flow input whose name is the node's label. If the start gave no value for this input, outputs the default
 * that the editor saved as form_label, or null.
 */
export const flowInputNode: NodeModule = {
  definition,
  labelledSide: 'output',
  takesFlowInputs: true,
  run: ({ inputs, formData, outputNames: [label = ''] }) => {
    return {
      [label]: inputs[label] ??
        fromWireJson(formMember(formData, 'form_label') ?? null),
    };
  },
};
