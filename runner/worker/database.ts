import { readConfig } from '../../platform/config.ts';
import { asService, makeRpc, type Rpc } from '../../platform/database/rpc.ts';
import { readPostgresAddress } from '../../platform/postgres/address.ts';
import { makePostgresRpc } from '../../platform/postgres/postgres_rpc.ts';
import type { MakeQueueWatch } from '../queue/queue_watch.ts';
import type { RunnerSettings } from '../settings.ts';
import { makePostgresQueueWatch } from './postgres_queue_watch.ts';

/** The most connections of a worker. Further calls wait for one of these connections. */
const MAX_CONNECTIONS = 3;

/** Time after which an unused connection is closed. The first connection is kept. */
const IDLE_MS = 10_000;

/**
 * Intervals for a worker that gets neither pokes nor notifications. While the worker is idle, each look at the queue
 * waits for a run during most of the interval. A look must be short, because it holds a connection of the pooler and a
 * snapshot of the database. Only one worker waits in a look at a time. The other workers look at intervals.
 */
const WAITING_LOOKS = { idleWaitMs: 400, pollMs: 50 };

/** The connection of a worker to the database. */
interface WorkerDatabase {
  /** The address without the password, for the log. */
  url: string;
  /** Calls functions as service_role. If the login can't become that role, calls them with the rights of the login. */
  rpc: Rpc;
  /**
   * Makes a watch that notifies the worker of runs, on a connection of its own. Undefined for PostgREST and for poolers
   * in transaction mode, because neither can pass on notifications.
   */
  makeWatch?: MakeQueueWatch | undefined;
  /** The intervals at which the worker looks at the queue. */
  looks: Partial<Pick<RunnerSettings, 'pollMs' | 'idleWaitMs'>>;
  close: () => void;
}

/**
 * Connects over Postgres if SUPABASE_DB_URL is set, otherwise through PostgREST. Throws if the environment is wrong.
 */
export function connectWorker(env: (name: string) => string | undefined): WorkerDatabase {
  const databaseUrl = env('SUPABASE_DB_URL') ?? '';
  if (databaseUrl === '') {
    const config = readConfig(env);
    return { url: config.supabaseUrl, rpc: makeRpc(asService(config, fetch)), looks: {}, close: () => {} };
  }
  const address = readPostgresAddress(databaseUrl);
  const calls = makePostgresRpc({ address, maxConnections: MAX_CONNECTIONS, keptConnections: 1, idleMs: IDLE_MS });
  const watch = address.hasSessions ? makePostgresQueueWatch(address) : undefined;
  return {
    url: `postgresql://${address.servers.map(({ host, port }) => `${host}:${port}`).join()}/${address.database}`,
    rpc: calls.rpc,
    makeWatch: watch?.make,
    looks: address.hasSessions ? {} : WAITING_LOOKS,
    close: () => {
      watch?.close();
      calls.close();
    },
  };
}
