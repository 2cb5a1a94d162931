import type { Rpc } from '../functions/_shared/database.ts';
import { makeDeps } from '../functions/_shared/deps.ts';
import { readPostgresAddress } from '../functions/_shared/postgres/address.ts';
import { makePostgresRpc } from '../functions/_shared/postgres/rpc.ts';
import type { MakeQueueWatch } from '../functions/runner/queue/queue_watch.ts';
import type { RunnerSettings } from '../functions/runner/settings.ts';
import { makePostgresQueueWatch } from './queue_watch.ts';

/** Connections on which a worker calls at a time. More calls go out behind others on the same connection. */
const MAX_CONNECTIONS = 3;

/** How long one beyond the first is kept without a call. */
const IDLE_MS = 10_000;

/**
 * Where nothing can tell a worker of runs, its idle looks wait for one, most of the time. They keep a connection of the
 * pooler and a snapshot for as long, so each is short; only one worker waits so, and the others look at intervals.
 */
const WAITING_LOOKS = { idleWaitMs: 400, pollMs: 50 };

/** How a worker reaches the database. */
export interface WorkerDatabase {
  /** Its address without the password, for the log. */
  url: string;
  /** Calls as service_role, or with the rights of the login where it can't become that. */
  rpc: Rpc;
  /** Has the worker told of runs, on one connection more. PostgREST and poolers in transaction mode can't. */
  makeWatch?: MakeQueueWatch | undefined;
  /** How often it looks at the queue there. */
  looks: Partial<Pick<RunnerSettings, 'pollMs' | 'idleWaitMs'>>;
  close: () => void;
}

/** Over Postgres itself where SUPABASE_DB_URL is set, else through PostgREST. Throws when the environment is wrong. */
export function connectWorker(env: (name: string) => string | undefined): WorkerDatabase {
  const databaseUrl = env('SUPABASE_DB_URL') ?? '';
  if (databaseUrl === '') {
    const { config, serviceRpc } = makeDeps({ env, fetch, waitUntil: () => {} });
    return { url: config.supabaseUrl, rpc: serviceRpc, looks: {}, close: () => {} };
  }
  const address = readPostgresAddress(databaseUrl);
  const calls = makePostgresRpc({ address, maxConnections: MAX_CONNECTIONS, keptConnections: 1, idleMs: IDLE_MS });
  const watch = address.hasSessions ? makePostgresQueueWatch(address) : undefined;
  return {
    url: `postgresql://${address.host}:${address.port}/${address.database}`,
    rpc: calls.rpc,
    makeWatch: watch?.make,
    looks: address.hasSessions ? {} : WAITING_LOOKS,
    close: () => {
      watch?.close();
      calls.close();
    },
  };
}
