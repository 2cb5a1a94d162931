import { isErrorOf } from '../../functions/_shared/api_error.ts';
import { Released } from './node.ts';

/**
 * Converts the failure of a database call of a node that may begin again. If the claim is lost or the database does not
 * answer, returns Released, so that the next claim runs the node again. Returns any other error unchanged.
 */
export const releasedIfPassing = (error: unknown): unknown =>
  isErrorOf(error, 'claim_lost') || isErrorOf(error, 'service_unavailable') ? new Released() : error;
