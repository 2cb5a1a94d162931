import { fromWireJson } from '../../../types/values/json/wire_json.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { formMember, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Outputs members of its form data as constants. For example, an author has chosen files in an editor, and the members
 * are the keys of these files.
 */
export const fileexplorerNode: NodeModule = {
  definition,
  takesPortsFromFlow: 'outputs',
  leavesOutputsUnset: true,
  namesKeys: true,
  run: ({ formData, outputNames }) => {
    const outputs: ValueMap = Object.create(null);
    for (const name of outputNames) {
      const member = formMember(formData, name);
      if (member !== undefined) outputs[name] = fromWireJson(member, [name]);
    }
    return outputs;
  },
};
