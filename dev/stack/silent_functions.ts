import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { functionNames } from './functions.ts';

const TIMEOUT_MS = 2_000;

/**
 * Finds the Edge Functions of a stack that do not answer, usually because an edit does not compile. The stack then
 * waits until the source is edited again. A user who does not read the stack's output sees only the consequences, such
 * as runs that stay queued.
 */
export async function findSilentFunctions(
  { FUNCTIONS_URL }: Pick<StackStatus, 'FUNCTIONS_URL'>,
  names = functionNames(),
): Promise<string[]> {
  const isSilent = async (name: string): Promise<boolean> => {
    try {
      // A preflight changes nothing and needs no key.
      const options = { method: 'OPTIONS', signal: AbortSignal.timeout(TIMEOUT_MS) };
      const response = await fetch(`${FUNCTIONS_URL}/${name}`, options);
      await response.body?.cancel();
      return response.status === 503;
    } catch {
      return true;
    }
  };
  const silent = await Promise.all(names.map(isSilent));
  return names.filter((_, index) => silent[index]);
}
