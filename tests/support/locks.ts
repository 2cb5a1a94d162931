import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { codeOf } from './database.ts';
import { waitFor } from './wait.ts';

/**
 * Tests on the observer's connection whether the work waits for an event of this kind before it ends. `waiting` is the
 * number of connections that must wait.
 */
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
    // Within a transaction, Postgres would otherwise show the observer the same activity each time.
    await observer`select pg_stat_clear_snapshot()`;
    const rows = await observer`
      select from pg_stat_activity where datname = current_database() and ${event} in (wait_event_type, wait_event)`;
    return rows.count >= waiting || undefined;
  });
}

/**
 * Resolves when the observer sees that work on another connection waits for a lock. Rejects if the work ends without
 * waiting. `waiting` also counts connections that already wait.
 */
export async function hasToWait(observer: Sql, work: Promise<unknown>, waiting = 1): Promise<void> {
  if (!await comesToWait(observer, work, 'Lock', waiting)) throw new Error('the work ended without waiting for a lock');
}

/**
 * Resolves with true when the observer sees that work on another connection sleeps in the database. Resolves with false
 * when the work has ended.
 */
export const fallsAsleep = (observer: Sql, work: Promise<unknown>): Promise<boolean> =>
  comesToWait(observer, work, 'PgSleep');

/**
 * Runs the second SQL while the first has not committed yet. Returns the error codes of both. Fails if the second does
 * not wait for the first.
 */
export async function raceOf(
  [first, second, observer]: [first: Sql, second: Sql, observer: Sql],
  leader: string,
  follower: string,
): Promise<[string, string]> {
  let end = (): void => {};
  const mayEnd = new Promise<void>((resolve) => end = resolve);
  let began = (): void => {};
  const hasBegun = new Promise<void>((resolve) => began = resolve);
  const leading = codeOf(first.begin(async (sql) => {
    await sql.unsafe(leader);
    began();
    await mayEnd;
  }));
  await Promise.race([hasBegun, leading]);
  const following = codeOf(second.unsafe(follower));
  try {
    await hasToWait(observer, following);
  } finally {
    end();
  }
  return [await leading, await following];
}
