import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import { setPriority } from 'node:os';
import { startAuth } from './auth.ts';
import { AUTH_READY_TEXT } from './auth_part.ts';
import { requiredVariable } from '../required_variable.ts';

/** Serves Auth on a Unix socket, as a part of the stack. */

/** Hashing passwords takes CPU time; at this lower priority it does not slow down starts of runs. */
const PRIORITY = 5;

setPriority(PRIORITY);
const auth = await startAuth({
  databaseUrl: requiredVariable('AUTH_DB_URL'),
  jwtSecret: requiredVariable('AUTH_JWT_SECRET'),
  siteUrl: requiredVariable('AUTH_SITE_URL'),
});
// Each request from the gateway uses a connection of its own.
const server = createServer(getRequestListener(auth.fetch, { overrideGlobalObjects: false }));
server.listen(process.argv[2], () => console.log(AUTH_READY_TEXT));
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void auth.close().finally(() => process.exit());
});
