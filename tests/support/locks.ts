import type { Sql } from '../../supabase/local/postgres.ts';
import { waitFor } from './wait.ts';

/** Whether work on other connections comes to wait for this, on so many of them, before it ends, as the observer sees it. */
async function comesToWait(
  observer: Sql,
  work: Promise<unknown>,
  event: 'Lock' | 'PgSleep',
  waiting = 1,
): Promise<boolean> {
  let isOver = false;
  work.then(() => isOver = true, () => isOver = true);
  return await waitFor(async () => {
    if (isOver) return false;
    const rows = await observer`
      select from pg_stat_activity where datname = current_database() and ${event} in (wait_event_type, wait_event)`;
    return rows.count >= waiting || undefined;
  });
}

/**
 * Resolves when work on another connection waits for a lock, as the observer sees it; rejects when the work ends without. Where others
 * wait already, `waiting` counts them too.
 */
export async function hasToWait(observer: Sql, work: Promise<unknown>, waiting = 1): Promise<void> {
  if (!await comesToWait(observer, work, 'Lock', waiting)) throw new Error('it did not wait');
}

/** Resolves with true when work on another connection sleeps in the database, as the observer sees it; with false when it has ended. */
export const fallsAsleep = (observer: Sql, work: Promise<unknown>): Promise<boolean> =>
  comesToWait(observer, work, 'PgSleep');

/** How many advisory locks of this name are held in the observer's database. */
export async function countAdvisoryLocks(observer: Sql, name: string): Promise<number> {
  const [row] = await observer`
    select count(*)::integer as count from pg_locks
    where locktype = 'advisory' and granted and classid = hashtext(${name})::oid
      and database = (select d.oid from pg_database as d where d.datname = current_database())`;
  return row!.count;
}
