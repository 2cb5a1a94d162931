import type { Claims } from './claim/claims.ts';
import type { HeldRuns } from './held_runs.ts';

interface HeartbeatOptions {
  claims: Pick<Claims, 'heartbeat'>;
  runs: Pick<HeldRuns, 'claims' | 'count' | 'executions'>;
  everyMs: number;
  /** Called with each regular heartbeat. */
  onBeat: () => void;
}

/** Extends the leases of a worker's claims, and informs runs of changes to their claims. */
export interface Heartbeat {
  /** Beats regularly while the worker holds claims. */
  start: () => void;
  /** Ends the beats if the worker holds no claim, so that they do not keep the process of a stopped worker alive. */
  endIfNothingIsHeld: () => void;
  /**
   * Sends a beat at once if beats were missed. Otherwise the leases could end after an outage, and another worker could
   * claim the runs.
   */
  catchUp: () => Promise<void>;
}

export function makeHeartbeat({ claims, runs, everyMs, onBeat }: HeartbeatOptions): Heartbeat {
  let timer: ReturnType<typeof setInterval> | undefined;
  let beatAt = 0;

  const beat = async (): Promise<void> => {
    const executions = runs.executions();
    const changes = await claims.heartbeat(runs.claims());
    beatAt = performance.now();
    const changeOf = new Map(changes.map((change) => [change.flow_run_id, change]));
    for (const execution of executions) {
      const change = changeOf.get(execution.claim.flow_run_id);
      if (change?.is_lost) execution.lose();
      else if (change?.stop != null) execution.stop(change.stop);
      else if (change?.has_ended_inputs) execution.tellOfInputs();
    }
  };

  const endIfNothingIsHeld = (): void => {
    if (runs.claims().length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    start: () => {
      if (timer !== undefined) return;
      let isUnderWay = false;
      timer = setInterval(() => {
        endIfNothingIsHeld();
        if (timer === undefined || isUnderWay) return;
        isUnderWay = true;
        // A lease outlasts many beats, so the next beat compensates for a failed one.
        void beat().catch(() => {}).finally(() => isUnderWay = false);
        onBeat();
      }, everyMs);
    },
    endIfNothingIsHeld,
    catchUp: async () => {
      if (runs.count() > 0 && performance.now() - beatAt > everyMs * 2) await beat();
    },
  };
}
