import { type PostgresAddress, readPostgresAddress } from '../_shared/postgres/address.ts';
import { actAsServiceRole } from '../_shared/postgres/session.ts';

/** What a listening session tells whoever opened it. */
export interface NewsListener {
  /** A run has news: one that the session follows, or any other. */
  onNews: (flowRunId: string) => void;
  /** The session has ended, unless it was closed here, and follows nothing any more. */
  onLost: () => void;
}

/** Sends one statement about runs, whose ids are its first parameter, and gives its value `result`. */
export type QueryRuns = <Result>(statement: string, flowRunIds: string[], ...others: string[]) => Promise<Result>;

/** A session of the database that listens for news of runs. */
export interface NewsSession {
  /** How many runs it may follow at a time; a run counts once for each who follows it. */
  capacity: number;
  /** Statements are carried out in the order of the calls. Rejects when the session fails; it is of no use then. */
  query: QueryRuns;
  close: () => void;
}

/** Opens a session; resolves with undefined when the database lets no further session listen. */
export type OpenNewsSession = (listener: NewsListener) => Promise<NewsSession | undefined>;

/** How long a statement may take. */
const STATEMENT_MS = 10_000;

/** The address, if it can be read. The platform gives it, so that a wrong one must not keep the function from answering. */
function readAddress(databaseUrl: string | undefined): PostgresAddress | undefined {
  if (databaseUrl === undefined || databaseUrl === '') return undefined;
  try {
    return readPostgresAddress(databaseUrl);
  } catch (error) {
    console.error(`${(error as Error).message}. Whoever waits for a run is answered by polling.`);
    return undefined;
  }
}

/**
 * Makes what opens sessions at SUPABASE_DB_URL, whose login must be able to become `service_role`; undefined where
 * nobody can listen: without an address, and at a pooler in transaction mode.
 */
export function makeOpenNewsSession(databaseUrl: string | undefined): OpenNewsSession | undefined {
  const address = readAddress(databaseUrl);
  if (address?.hasSessions !== true) return undefined;
  return async ({ onNews, onLost }) => {
    // Loading the client takes 20 ms, for which the first call of a function that has just been started need not wait.
    const { makeConnection, withTimeLimitOn } = await import('../_shared/postgres/connection.ts');
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
            // SAFETY: the shape is that of the value that the statement selects.
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
