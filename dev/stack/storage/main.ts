import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import { connect } from '../postgres/postgres.ts';
import { requiredVariable } from '../required_variable.ts';
import { makeStorageApp } from './app.ts';
import { makeObjectStore } from './object_store.ts';
import { STORAGE_READY_TEXT } from './part.ts';
import { CONNECTIONS, inTurns } from './turns.ts';

/** Serves Storage on a Unix socket, as a part of the stack. */

const sql = connect(requiredVariable('STORAGE_DB_URL'), { max: CONNECTIONS, idle_timeout: 10 });
const store = inTurns(makeObjectStore(sql, requiredVariable('STORAGE_DIR')));
const app = makeStorageApp(store, requiredVariable('STORAGE_JWT_SECRET'));
// Each request from the gateway uses a connection of its own.
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
server.listen(process.argv[2], () => console.log(STORAGE_READY_TEXT));
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void sql.end({ timeout: 1 }).finally(() => process.exit());
});
