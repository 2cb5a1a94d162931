import { isErrorOf, isPassing } from '../../../platform/api_error.ts';
import { Released } from '../node.ts';

/**
 * Converts the error of a failed database call. The calling node must be able to begin again. If the claim is lost or
 * the database does not process the call, returns Released, so that the next claim runs the node again. Returns any other error
 * unchanged.
 */
export const releasedIfPassing = (error: unknown): unknown =>
  isErrorOf(error, 'claim_lost') || isPassing(error) ? new Released() : error;
