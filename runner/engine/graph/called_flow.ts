import { LosslessNumber } from 'lossless-json';
import type { LosslessJson } from '../../../types/values/value.ts';
import { formMember, NodeError } from '../node.ts';

/** Reads the id of a flow: an integer, or its digits as text. Undefined if the field has neither. */
export function flowIdOf(field: LosslessJson | undefined): number | undefined {
  const text = field instanceof LosslessNumber || typeof field === 'string' ? String(field) : '';
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Returns the id of the flow that a node's form data names. */
export function readCalledFlow(formData: LosslessJson): number {
  const id = flowIdOf(formMember(formData, 'id'));
  if (id === undefined) throw new NodeError('form_data.id must be the integer id of a flow');
  return id;
}
