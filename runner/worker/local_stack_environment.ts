import {
  parsePort,
  readStack,
  readWalletKeysOf,
  stackDir,
  StackError,
} from '../../platform/local_stack/running_stacks.ts';

/**
 * Returns the environment for a worker of this checkout's local stack, which listens on the given port. The worker gets
 * the environment of the stack's functions.
 */
export function localStackEnvironment(portText: string | undefined): Record<string, string> {
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
    WALLET_KEYS: readWalletKeysOf(stackDir(port)),
    ALLOW_PRIVATE_NETWORK: '1',
  };
}
