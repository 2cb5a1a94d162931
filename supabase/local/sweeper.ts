import type { StackStatus } from './stack_status.ts';

const POKE_INTERVAL_MS = 5_000;

const SWEEP_INTERVAL_MS = 3_600_000;

export interface Sweeper {
  stop: () => void;
}

/**
 * Pokes the runner every five seconds, so that a run whose own poke was lost goes on, and sweeps the database now and
 * every hour. On hosted Supabase pg_cron and pg_net do this (`private.schedule_runner`).
 */
export function startSweeper(status: StackStatus, log: (line: string) => void): Sweeper {
  const stopped = new AbortController();
  const post = (url: string) =>
    fetch(url, {
      method: 'POST',
      headers: { apikey: status.SERVICE_ROLE_KEY, authorization: `Bearer ${status.SERVICE_ROLE_KEY}` },
      signal: stopped.signal,
    });

  const poke = async (): Promise<void> => {
    const response = await post(`${status.FUNCTIONS_URL}/runner`);
    await response.body?.cancel();
  };
  const sweep = async (): Promise<void> => {
    for (let hasMore = true; hasMore;) {
      const response = await post(`${status.API_URL}/rest/v1/rpc/sweep_runner`);
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      // SAFETY: as the function's comment in sql/ says.
      hasMore = (await response.json() as { has_more: boolean }).has_more;
    }
  };
  const sweepLoudly = () =>
    void sweep().catch((error) => {
      if (!stopped.signal.aborted) log(`The database could not be swept: ${error.message}`);
    });

  const timers = [
    // A failed poke is ignored, because the next one follows. If the runner crashes, its part reports that.
    setInterval(() => void poke().catch(() => {}), POKE_INTERVAL_MS),
    setInterval(sweepLoudly, SWEEP_INTERVAL_MS),
  ];
  for (const timer of timers) timer.unref();
  sweepLoudly();
  return {
    stop() {
      timers.forEach(clearInterval);
      stopped.abort();
    },
  };
}
