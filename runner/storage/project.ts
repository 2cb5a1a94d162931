import { withoutTrailingSlashes } from '../../platform/base_url.ts';
import { readSecretKeys } from '../../platform/config.ts';
import { codedError } from '../../types/run_errors.ts';
import { NodeError } from '../engine/node.ts';

/** The project whose Storage holds the files. */
export interface StorageProject {
  /** The address at which the runner reaches Storage, without a slash at the end. */
  apiUrl: string;
  /** The address at which clients reach Storage; URLs for clients begin with it. */
  publicUrl: string;
  /** Requests with this key act as the service role. */
  secretKey: string;
}

/**
 * Reads the project's address and secret key. Throws a NodeError that names the missing variables. A worker that calls
 * Postgres directly needs these variables only for files.
 */
export function readStorageProject(env: (name: string) => string | undefined): StorageProject {
  const url = withoutTrailingSlashes(env('SUPABASE_URL') ?? '');
  const [secretKey] = readSecretKeys(env);
  const missing = [
    url === '' ? ['SUPABASE_URL'] : [],
    secretKey === undefined ? ['SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY'] : [],
  ].flat();
  if (missing.length > 0 || secretKey === undefined) {
    throw new NodeError(codedError('storage_not_configured', `the worker lacks ${missing.join(' and ')}`));
  }
  const apiUrl = `${url}/storage/v1`;
  return { apiUrl, publicUrl: withoutTrailingSlashes(env('STORAGE_URL') ?? '') || apiUrl, secretKey };
}
