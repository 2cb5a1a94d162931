import { isErrorOf } from '../../functions/_shared/api_error.ts';
import { Released } from './node.ts';

/**
 * Converts the failure of a call of the database, for a node that may begin again: if the claim is lost or the database
 * does not answer, the node is released, and the next claim runs it again. Returns any other error as it is.
 */
export const releasedIfPassing = (error: unknown): unknown =>
  isErrorOf(error, 'claim_lost') || isErrorOf(error, 'service_unavailable') ? new Released() : error;
