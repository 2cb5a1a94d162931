import type { Socket } from 'node:net';
import postgres from 'postgres';
import { withTimeLimit } from '../time_limit.ts';
import type { PostgresAddress } from './address.ts';
import { openSocket, tryNextServer } from './open_socket.ts';

/** The time limit for connecting and logging in, in seconds. */
const CONNECT_SECONDS = 10;

/** One connection to Postgres. The first call opens the connection. A lost connection never reconnects. */
export interface PostgresConnection {
  /**
   * Executes a statement and returns the value named `result` of its first row. The statement is prepared once per
   * connection; its parameters `$1` … are text. Concurrent calls are sent at once and answered in order.
   */
  execute: (statement: string, parameters: (string | null)[]) => Promise<unknown>;
  /** Executes statements in one message and one transaction. Returns the value named `result` of the last statement. */
  executeTogether: (statements: string[]) => Promise<unknown>;
  isLost: () => boolean;
  /** Closes the connection after its calls are answered. */
  close: () => void;
  /** Breaks the connection off; its calls fail. */
  destroy: () => void;
}

interface ConnectionEvents {
  /** Called once, when the connection is lost or closed. */
  onLost?: () => void;
  /** Called with the channel and the payload of each notification. */
  onNotify?: (channel: string, payload: string) => void;
}

interface Row {
  result?: unknown;
}

/**
 * Makes a connection that never reconnects. The library's own connections reconnect, which would lose the session's
 * settings.
 */
export function makeConnection(address: PostgresAddress, events: ConnectionEvents = {}): PostgresConnection {
  const { servers, target, database, user, password, sslMode } = address;
  const stopped = new AbortController();
  let socket: Socket | undefined;
  let isOpened = false;
  let isLost = false;
  const underWay = new Set<(error: Error) => void>();

  const lose = (): void => {
    if (isLost) return;
    isLost = true;
    events.onLost?.();
  };

  /**
   * Fails all calls. Without this, calls that the library had not yet sent when the connection was lost would never
   * end.
   */
  const breakOff = (error: Error): void => {
    lose();
    for (const reject of underWay) reject(error);
  };

  /** Settles like the query, or rejects when the connection is lost. */
  const untilLost = <Result>(query: PromiseLike<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (isLost) return reject(new Error('The connection is lost.'));
      underWay.add(reject);
      const end = () => underWay.delete(reject);
      query.then(resolve, reject).then(end, end);
    });

  const openOnce = async (): Promise<Socket> => {
    if (isOpened || isLost) {
      const error = new Error('The connection is lost.');
      breakOff(error);
      throw error;
    }
    isOpened = true;
    try {
      socket = await openSocket(address, stopped.signal);
    } catch (error) {
      breakOff(error as Error);
      throw error;
    }
    socket.on('error', breakOff);
    socket.once('close', () => breakOff(new Error('The connection was closed.')));
    return socket;
  };

  const options = {
    host: servers[0]!.host,
    port: servers[0]!.port,
    database,
    user,
    password,
    ssl: sslMode === 'disable' ? false : sslMode,
    max: 1,
    fetch_types: false,
    idle_timeout: null,
    max_lifetime: null,
    connect_timeout: CONNECT_SECONDS,
    backoff: 0,
    connection: { application_name: 'flow_runner' },
    onnotice: () => {},
    onnotify: (channel: string, payload: string) => events.onNotify?.(channel, payload),
    onclose: () => breakOff(new Error('The connection was closed.')),
    socket: openOnce,
  };
  // SAFETY: the library's types lack `onnotify`. They also do not allow null for a timer, although null switches it
  // off.
  const sql = postgres(options as unknown as postgres.Options<Record<string, never>>);

  let written: Promise<void> | undefined;
  /** Rejects if the server is a standby. Then another connection tries the next server. */
  const checkTarget = (): Promise<void> =>
    written ??= untilLost(sql<Row[]>`select current_setting('transaction_read_only') as result`).then(([row]) => {
      if (row?.result === 'off') return;
      tryNextServer(address);
      const error = new Error('The server is a standby, which does not write.');
      breakOff(error);
      socket?.destroy();
      throw error;
    });

  return {
    execute: async (statement, parameters) => {
      if (target === 'read-write') await checkTarget();
      const [row] = await untilLost(sql.unsafe<Row[]>(statement, parameters, { prepare: true }));
      return row?.result;
    },
    executeTogether: async (statements) => {
      if (target === 'read-write') await checkTarget();
      const results: unknown = await untilLost(sql.unsafe(statements.join(';\n')));
      // SAFETY: several statements return one array of rows for each statement. A single statement returns just its
      // rows.
      const rows = (statements.length > 1 ? (results as Row[][]).at(-1) : results) as Row[];
      return rows[0]?.result;
    },
    isLost: () => isLost,
    close: () => {
      lose();
      void sql.end();
    },
    destroy: () => {
      breakOff(new Error('The connection was broken off.'));
      stopped.abort();
      socket?.destroy();
    },
  };
}

/**
 * Does work on a connection within a time limit. If the work takes longer, the connection is destroyed, because over a
 * dead connection the work would never end. The connection's other calls then also fail, before their own time limits.
 */
export function withTimeLimitOn<Result>(
  connection: PostgresConnection,
  limitMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return withTimeLimit(limitMs, (signal) => {
    signal.addEventListener('abort', connection.destroy);
    return work();
  });
}
