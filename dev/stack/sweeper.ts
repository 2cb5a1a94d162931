import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';

/**
 * The interval at which due schedules are started, and the runner is asked to look for queued runs (poked). A due
 * schedule waits at most this long, and so does a run whose poke was lost.
 */
const POKE_INTERVAL_MS = 5_000;

const SWEEP_INTERVAL_MS = 3_600_000;

export interface Sweeper {
  stop: () => void;
}

/**
 * Starts due schedules and pokes the runner (asks it to look for queued runs), now and every five seconds. So a run
 * continues even if the poke at its start was lost. Sweeps the database now and every hour. On hosted Supabase, pg_cron
 * and pg_net do this (`private.schedule_runner`).
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
  /** Calls a SQL function until it has nothing more to do. */
  const callAll = async (name: 'sweep_runner' | 'start_due_schedules'): Promise<void> => {
    for (let hasMore = true; hasMore;) {
      const response = await post(`${status.API_URL}/rest/v1/rpc/${name}`);
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      // SAFETY: the function's comment in sql/ defines the shape.
      hasMore = (await response.json() as { has_more: boolean }).has_more;
    }
  };
  const sweepLoudly = () =>
    void callAll('sweep_runner').catch((error) => {
      if (!stopped.signal.aborted) log(`The database could not be swept: ${error.message}`);
    });
  let isDriving = false;
  /**
   * A failed call is ignored, because the next interval repeats it. If a part of the stack has crashed, the part
   * reports that.
   */
  const drive = async (): Promise<void> => {
    if (isDriving) return;
    isDriving = true;
    await callAll('start_due_schedules').catch(() => {});
    await poke().catch(() => {});
    isDriving = false;
  };

  const timers = [
    setInterval(() => void drive(), POKE_INTERVAL_MS),
    setInterval(sweepLoudly, SWEEP_INTERVAL_MS),
  ];
  for (const timer of timers) timer.unref();
  sweepLoudly();
  void drive();
  return {
    stop() {
      timers.forEach(clearInterval);
      stopped.abort();
    },
  };
}
