import { ApiError } from '../../platform/api_error.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import { codedError } from '../../types/run_errors.ts';
import { NodeError } from '../engine/node.ts';
import { releasedIfPassing } from '../engine/failures/passing_error.ts';
import type { FilePlace } from './file_place.ts';

/** Throws a NodeError if a file of this size in a user bucket would exceed the quota of the bucket's owner. */
export type CheckFileQuota = (place: FilePlace, bytes: number) => Promise<void>;

/**
 * Makes the check of an owner's quota of files. Runners reach Storage with the project's secret key, to which the
 * policies do not apply, so they ask before each upload. Uploads at the same time may exceed the quota together.
 */
export const makeCheckFileQuota = (rpc: Rpc, ownerId: string): CheckFileQuota => async ({ bucket, path }, bytes) => {
  try {
    await rpc('check_file_quota', { user_id: ownerId, bucket, name: path, bytes });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'quota_exceeded') throw releasedIfPassing(error);
    throw new NodeError(codedError(error.code, error.message));
  }
};
