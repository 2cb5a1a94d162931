import type { LosslessJson } from '../../../types/values/value.ts';
import { formMember, NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

const MEMBER = 'on_failed_element';
const LEAVE_OUT = 'leave_out';

const leavesOutFailed = (formData: LosslessJson): boolean => formMember(formData, MEMBER) === LEAVE_OUT;

/** Outputs the values of all iterations as one array. The engine gathers them. */
export const collectNode: NodeModule = {
  definition,
  handsOnKeysOf: 'element',
  collects: true,
  leavesOutFailed,
  run: ({ inputs, formData }) => {
    if ((formMember(formData, MEMBER) ?? '') !== '' && !leavesOutFailed(formData)) {
      throw new NodeError(`${MEMBER} must be "${LEAVE_OUT}", or left out`);
    }
    return { array: inputs.element ?? { A: [] } };
  },
};
