import { loadWalletKeys } from '../../dev/stack/keys.ts';
import { stackDir } from '../../dev/stack/paths.ts';
import { parsePort } from '../../dev/stack/ports.ts';
import { StackError } from '../../dev/stack/stack_error.ts';
import { readStack } from '../../dev/stack/stack_record.ts';

/**
 * Returns the environment for a worker of this checkout's local stack, which listens on the given port. The worker gets
 * the environment of the stack's functions.
 */
export async function localStackEnvironment(portText: string | undefined): Promise<Record<string, string>> {
  const port = parsePort(portText);
  const stack = readStack(stackDir(port))?.status;
  if (stack === undefined) {
    throw new StackError(`No stack runs on port ${port}. Start one: npm start -- --port ${port}`);
  }
  return {
    SUPABASE_URL: stack.API_URL,
    SUPABASE_DB_URL: stack.DB_URL,
    SUPABASE_ANON_KEY: stack.ANON_KEY,
    SUPABASE_SERVICE_ROLE_KEY: stack.SERVICE_ROLE_KEY,
    WALLET_KEYS: await loadWalletKeys(stackDir(port)),
    ALLOW_PRIVATE_NETWORK: '1',
  };
}
