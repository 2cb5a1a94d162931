import { type PostgresAddress, readPostgresAddress } from '../../../platform/postgres/address.ts';
import { actAsServiceRole } from '../../../platform/postgres/session.ts';

/** The callbacks of a listening session. */
export interface NewsListener {
  /** A run has news. It may be a run that this session does not follow. */
  onNews: (flowRunId: string) => void;
  /** The session has ended without a call of `close`. It no longer follows any run. */
  onLost: () => void;
}

/** Executes a statement about runs and returns its value `result`. The run ids are the first parameter. */
export type QueryRuns = <Result>(statement: string, flowRunIds: string[], ...others: string[]) => Promise<Result>;

/** A session of the database that listens for news of runs. */
export interface NewsSession {
  /** The most runs that the session can follow at a time. A run counts once for each of its followers. */
  capacity: number;
  /** Executes statements in the order of the calls. Rejects when the session has failed and can't be used any more. */
  query: QueryRuns;
  close: () => void;
}

/** Opens a session. Resolves with undefined if the database accepts no further listening session. */
export type OpenNewsSession = (listener: NewsListener) => Promise<NewsSession | undefined>;

/** The time limit of a statement. */
const STATEMENT_MS = 10_000;

/**
 * Reads the address. A malformed address is logged and ignored, because the platform sets it and the function must
 * still answer.
 */
function readAddress(databaseUrl: string | undefined): PostgresAddress | undefined {
  if (databaseUrl === undefined || databaseUrl === '') return undefined;
  try {
    return readPostgresAddress(databaseUrl);
  } catch (error) {
    console.error(`${(error as Error).message}. The function polls for waiting callers instead.`);
    return undefined;
  }
}

/**
 * Makes a function that opens sessions at SUPABASE_DB_URL. The login of this address must be able to become
 * `service_role`. Returns undefined if there is no address, or if it is that of a pooler in transaction mode, where
 * sessions can't listen.
 */
export function makeOpenNewsSession(databaseUrl: string | undefined): OpenNewsSession | undefined {
  const address = readAddress(databaseUrl);
  if (address?.hasSessions !== true) return undefined;
  return async ({ onNews, onLost }) => {
    // Loading this module takes 20 ms. It is loaded here, so that the first call of a new function instance need not
    // wait.
    const { makeConnection, withTimeLimitOn } = await import('../../../platform/postgres/connection.ts');
    let isClosed = false;
    const connection = makeConnection(address, {
      onNotify: (_channel, flowRunId) => onNews(flowRunId),
      onLost: () => isClosed || onLost(),
    });
    const close = () => {
      isClosed = true;
      connection.destroy();
    };
    try {
      const capacity = await withTimeLimitOn(connection, STATEMENT_MS, () =>
        connection.executeTogether([
          ...actAsServiceRole('session'),
          "select set_config('application_name', 'flow_waits', false)",
          'select private.listen_for_run_news() as result',
        ])) as number;
      if (capacity > 0) {
        return {
          capacity,
          query: <Result>(statement: string, flowRunIds: string[], ...others: string[]) =>
            // SAFETY: the statement selects a value of this shape.
            withTimeLimitOn(connection, STATEMENT_MS, () =>
              connection.execute(statement, [`{${flowRunIds.join()}}`, ...others]) as Promise<Result>),
          close,
        };
      }
    } catch (error) {
      close();
      throw error;
    }
    close();
    return undefined;
  };
}
