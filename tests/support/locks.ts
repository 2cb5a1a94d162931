import type { Sql } from '../../supabase/local/postgres.ts';
import { waitFor } from './wait.ts';

/** Resolves when work on another connection waits for a lock, as the observer sees it; rejects when the work ends without. */
export async function hasToWait(observer: Sql, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  work.then(() => isOver = true, () => isOver = true);
  await waitFor(async () => {
    if (isOver) throw new Error('it did not wait');
    const rows =
      await observer`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return rows.count > 0 || undefined;
  });
}

/** Resolves with true when work on another connection sleeps in the database, as the observer sees it; with false when it has ended. */
export async function fallsAsleep(observer: Sql, work: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  work.then(() => isOver = true, () => isOver = true);
  return await waitFor(async () => {
    const rows =
      await observer`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    return rows.count > 0 || (isOver ? false : undefined);
  });
}
