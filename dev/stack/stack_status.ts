import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { CONSOLE_PATH } from './console/serve.ts';
import type { StackKeys } from './keys.ts';
import { chainPort, chainWebSocketPort } from './ports.ts';
import { type DatabasePorts, databaseUrl } from './postgres/postgres.ts';

/** The variables that the platform sets for every Edge Function, with both key generations. */
export const platformEnv = (status: StackStatus, keys: StackKeys): Record<string, string> => ({
  SUPABASE_URL: status.API_URL,
  SUPABASE_DB_URL: status.DB_URL,
  SUPABASE_ANON_KEY: keys.anonKey,
  SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
  SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishableKey }),
  SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secretKey }),
});

/** Makes the status of the stack with these keys. */
export function makeStatus(
  port: number,
  databasePorts: DatabasePorts,
  keys: StackKeys,
  hasChain: boolean,
): StackStatus {
  const apiUrl = `http://127.0.0.1:${port}`;
  return {
    API_URL: apiUrl,
    DB_URL: databaseUrl('postgres', keys.dbPassword, databasePorts),
    FUNCTIONS_URL: `${apiUrl}/functions/v1`,
    CONSOLE_URL: `${apiUrl}${CONSOLE_PATH}`,
    ANON_KEY: keys.anonKey,
    SERVICE_ROLE_KEY: keys.serviceRoleKey,
    PUBLISHABLE_KEY: keys.publishableKey,
    SECRET_KEY: keys.secretKey,
    JWT_SECRET: keys.jwtSecret,
    ...(hasChain && {
      CHAIN_URL: `http://127.0.0.1:${chainPort(port)}`,
      CHAIN_WS_URL: `ws://127.0.0.1:${chainWebSocketPort(port)}`,
    }),
  };
}
