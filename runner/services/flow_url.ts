import { withoutTrailingSlashes } from '../../platform/base_url.ts';
import { readPublicAddress } from '../../platform/public_address.ts';

/**
 * Returns the address of the function `flow`, which receives answers to pending inputs. Undefined if neither variable
 * is set: a worker that uses Postgres directly need not know its project's address.
 */
export function readFlowUrl(env: (name: string) => string | undefined): string | undefined {
  const supabaseUrl = env('SUPABASE_URL') ?? '';
  if (supabaseUrl === '' && (env('FLOW_URL') ?? '') === '') return undefined;
  return readPublicAddress('flow', env, withoutTrailingSlashes(supabaseUrl)).url;
}
