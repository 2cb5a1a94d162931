import type { StackStatus } from './stack_status.ts';

const SWEEP_INTERVAL_MS = 5_000;

/**
 * Pokes the runner at intervals, so that a run whose own poke was lost goes on: locally the part that pg_cron and pg_net
 * have on hosted Supabase.
 */
export function startSweeper(status: StackStatus): { stop: () => void } {
  const timer = setInterval(() => {
    fetch(`${status.FUNCTIONS_URL}/runner`, {
      method: 'POST',
      headers: { authorization: `Bearer ${status.SERVICE_ROLE_KEY}` },
    }).then((response) => response.body?.cancel()).catch(() => {
      // The next sweep comes anyway; a runner that stays away is reported by its own part.
    });
  }, SWEEP_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
