import { LosslessNumber } from 'lossless-json';
import type { LosslessJson } from '../../../../types/value.ts';
import { formMember, NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The flow that an interflow node names, in the forms that a deploy takes: an integer, or its digits as text. */
function readFlowId(formData: LosslessJson): number {
  const id = formMember(formData, 'id');
  const text = id instanceof LosslessNumber || typeof id === 'string' ? String(id) : '';
  if (!/^\d{1,10}$/.test(text)) throw new NodeError('form_data.id takes the integer id of a flow');
  return Number(text);
}

/** Runs another flow with its inputs, and gives that flow's outputs. */
export const interflowNode: NodeModule = {
  definition,
  takesPortsFromFlow: true,
  run: ({ inputs, formData, callFlow }) => callFlow(readFlowId(formData), inputs),
};
