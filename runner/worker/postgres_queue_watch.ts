import { pause } from '../../platform/pause.ts';
import type { PostgresAddress } from '../../platform/postgres/address.ts';
import { makeConnection, type PostgresConnection, withTimeLimitOn } from '../../platform/postgres/connection.ts';
import { actAsServiceRole } from '../../platform/postgres/session.ts';
import type { MakeQueueWatch } from '../queue/queue_watch.ts';

/** The pause between a failed attempt to connect and the next attempt. */
const RETRY_MS = 1_000;

/** Time limit of a statement. */
const STATEMENT_MS = 10_000;

/** If the server sends nothing for this time, the connection is tested, because the server may be lost. */
const SILENCE_MS = 5_000;

/** SQLSTATE of a lock that was not available in time: lock_not_available. */
const LOCK_TIMEOUT = '55P03';

/**
 * In milliseconds. If less time passes between two notifications, many runs are coming. NOTIFY would slow down their
 * starts, so the worker releases the lock and finds the runs by polling. After a single notification, the worker keeps
 * the lock: each time it takes the lock, it has to look at the queue.
 */
const CROWD_MS = 2;

/**
 * Settings of the session besides its role. A statement that waits for a lock prevents the vacuum of old rows.
 * Therefore each such statement waits for less than a second, and is then repeated. The server must notice a lost
 * worker within a minute. Until then, the lost worker's session holds the lock, and no other worker can take it.
 */
const WATCH_SETTINGS = `
  select set_config('lock_timeout', '900ms', false), set_config('statement_timeout', '0', false),
    set_config('idle_session_timeout', '0', false), set_config('tcp_keepalives_idle', '20', false),
    set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)`;

/** Watches the queue on a connection of its own. */
interface PostgresQueueWatch {
  make: MakeQueueWatch;
  close: () => void;
}

/**
 * Makes a watch of the queue. A transaction that makes a run claimable notifies a channel only while a worker holds an
 * advisory lock (private.announce_claimable_run). The watch takes the lock first, and then makes the worker look at the
 * queue. The look finds the runs that became claimable earlier, and notifications announce all later runs.
 */
export function makePostgresQueueWatch(address: PostgresAddress): PostgresQueueWatch {
  const closing = new AbortController();
  let connection: PostgresConnection | undefined;
  let onRun = () => {};
  let isWanted = false;
  let toldAt = -Infinity;
  let hasLock = false;
  let isGettingLock = false;
  let heardAt = -Infinity;

  const inTime = (used: PostgresConnection, work: () => Promise<unknown>): Promise<void> =>
    withTimeLimitOn(used, STATEMENT_MS, async () => {
      await work();
      heardAt = performance.now();
    });

  const execute = (used: PostgresConnection, statement: string) => inTime(used, () => used.execute(statement, []));

  /**
   * Tests whether the connection is alive. If the connection is dead, breaks it off, so that another worker can get the
   * lock.
   */
  const tryConnection = (): void => {
    if (connection === undefined || performance.now() - heardAt < SILENCE_MS) return;
    heardAt = performance.now();
    execute(connection, 'select 1').catch(() => {});
  };

  const unlock = (): void => {
    if (!hasLock) return;
    hasLock = false;
    // If this statement fails, the connection is lost, and the server frees the lock.
    if (connection !== undefined) execute(connection, 'select pg_advisory_unlock_all()').catch(() => {});
  };

  const connect = async (): Promise<PostgresConnection> => {
    const opened = makeConnection(address, {
      onNotify: () => {
        const now = performance.now();
        if (now - toldAt < CROWD_MS) {
          isWanted = false;
          unlock();
        }
        toldAt = now;
        onRun();
      },
      onLost: () => {
        if (connection !== opened) return;
        connection = undefined;
        hasLock = false;
        if (isWanted) void getLock();
      },
    });
    connection = opened;
    const statements = [...actAsServiceRole('session'), WATCH_SETTINGS, 'listen flow_runs'];
    await inTime(opened, () => opened.executeTogether(statements));
    return opened;
  };

  /** Waits for the lock without a time limit. If the watch was stopped meanwhile, releases the lock again. */
  const getLock = async (): Promise<void> => {
    if (isGettingLock) return;
    isGettingLock = true;
    while (isWanted && !hasLock && !closing.signal.aborted) {
      try {
        const used = connection ?? await connect();
        await execute(used, 'select private.await_claimable_runs()');
        hasLock = connection === used;
      } catch (error) {
        if ((error as { code?: unknown }).code === LOCK_TIMEOUT) continue;
        connection?.destroy();
        await pause(RETRY_MS, closing.signal);
      }
    }
    isGettingLock = false;
    if (!isWanted) unlock();
    else if (hasLock) onRun();
  };

  return {
    make: (listener) => {
      onRun = listener;
      return {
        start: () => {
          isWanted = true;
          if (hasLock) tryConnection();
          else void getLock();
        },
        isOn: () => hasLock,
        stop: () => {
          isWanted = false;
          unlock();
        },
      };
    },
    close: () => {
      closing.abort();
      isWanted = false;
      connection?.destroy();
    },
  };
}
