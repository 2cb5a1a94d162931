import { LosslessNumber } from 'lossless-json';
import type { LosslessJson } from '../../types/values/value.ts';
import { formMember, NodeError } from './node.ts';

/** The flow that a node's form data names, in the forms that a deploy takes: an integer, or its digits as text. */
export function readCalledFlow(formData: LosslessJson): number {
  const id = formMember(formData, 'id');
  const text = id instanceof LosslessNumber || typeof id === 'string' ? String(id) : '';
  if (!/^\d{1,10}$/.test(text)) throw new NodeError('form_data.id must be the integer id of a flow');
  return Number(text);
}
