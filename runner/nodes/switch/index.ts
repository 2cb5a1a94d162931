import { DEFAULT, firstCase, readCases } from '../../conditions/cases.ts';
import { formMember, type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Passes a value on through the output of the first case that the value meets. The flow's JSON declares the outputs.
 */
export const switchNode: NodeModule = {
  definition,
  takesPortsFromFlow: 'outputs',
  leavesOutputsUnset: true,
  handsOnKeysOf: 'value',
  run: ({ inputs, formData }) => {
    const cases = readCases(formMember(formData, 'cases'));
    const value = requireInput(inputs, 'value');
    return { [firstCase(cases, value, 'value') ?? DEFAULT]: value };
  },
};
