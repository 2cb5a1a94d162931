import { LosslessNumber } from 'lossless-json';
import type { LosslessJson } from '../../../types/values/value.ts';
import { formMember, NodeError } from '../node.ts';

/**
 * Returns the id of the flow that a node's form data names. As in a deploy, the id may be an integer or its digits as
 * text.
 */
export function readCalledFlow(formData: LosslessJson): number {
  const id = formMember(formData, 'id');
  const text = id instanceof LosslessNumber || typeof id === 'string' ? String(id) : '';
  if (!/^\d{1,10}$/.test(text)) throw new NodeError('form_data.id must be the integer id of a flow');
  return Number(text);
}
