import { formMember, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Runs in place of a disabled node. A deploy freezes a disabled node as this node, with the ports of the disabled one.
 * It gives the first of its inputs that has a value as each of its outputs.
 */
export const disabledNode: NodeModule = {
  definition,
  takesPortsFromFlow: true,
  leavesOutputsUnset: true,
  run({ inputs, inputNames, outputNames, formData }) {
    const input = inputNames.find((name) => inputs[name] !== undefined);
    if (input === undefined) return {};
    // The outputs of a branch exclude each other, so the value goes the first way.
    const outputs = formMember(formData, 'chooses') === true ? outputNames.slice(0, 1) : outputNames;
    return Object.fromEntries(outputs.map((name) => [name, inputs[input]!]));
  },
};
