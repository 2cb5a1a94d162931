import type { Claim } from './claims.ts';
import { executeClaim, type ExecuteClaimDeps } from './execute_claim.ts';
import type { StopRequest } from './engine/execute.ts';
import { makeSnapshotCache } from './snapshots.ts';

/** Executes queued runs until there are none. */
export interface Worker {
  /** Resolves when no claimable run is left; a call during the work only makes it look once more. */
  drain: () => Promise<void>;
}

export interface WorkerDeps extends ExecuteClaimDeps {
  /** Receives what keeps a run from going on; its message reappears when the lease is over. */
  onError: (claim: Claim, error: unknown) => void;
}

interface Execution {
  claim: Claim;
  stop: AbortController;
  isLost: boolean;
}

export function makeWorker(deps: WorkerDeps): Worker {
  const snapshots = makeSnapshotCache(deps.settings.cachedSnapshots);
  const executing = new Map<Promise<void>, Execution>();
  let draining: Promise<void> | undefined;
  let wasPoked = false;
  let wake = () => {};

  const begin = (claim: Claim): void => {
    const execution: Execution = { claim, stop: new AbortController(), isLost: false };
    const control = { stop: execution.stop.signal, isLost: () => execution.isLost };
    const running: Promise<void> = (async () => {
      await executeClaim(deps, claim, snapshots.get(claim.snapshot_hash, claim.snapshot), control);
    })().catch((error) => deps.onError(claim, error)).finally(() => executing.delete(running));
    executing.set(running, execution);
  };

  /** Holds all claims at once, and hands on what became of them. */
  const heartbeat = async (): Promise<void> => {
    const held = [...executing.values()];
    const news = await deps.claims.heartbeat(held.map(({ claim }) => claim));
    const newsOf = new Map(news.map((item) => [item.flow_run_id, item]));
    for (const execution of held) {
      const item = newsOf.get(execution.claim.flow_run_id);
      if (item === undefined || execution.stop.signal.aborted) continue;
      execution.isLost = item.is_lost;
      const graceMs = item.is_lost ? 0 : item.stop_timeout_millies ?? 0;
      const request: StopRequest = { reason: item.stop_reason ?? '', graceMs };
      execution.stop.abort(request);
    }
  };

  const executeAndHold = async (): Promise<void> => {
    const timer = setInterval(() => {
      // A missed beat is made up for by the next; a lease outlasts many.
      if (executing.size > 0) heartbeat().catch(() => {});
    }, deps.settings.heartbeatMs);
    try {
      await executeAll();
    } finally {
      clearInterval(timer);
    }
  };

  const executeAll = async (): Promise<void> => {
    for (;;) {
      const free = deps.settings.concurrency - executing.size;
      wasPoked = false;
      const claims = free > 0 ? await deps.claims.claim(free, snapshots.hashes()) : [];
      claims.forEach(begin);
      // As many as asked for: there may be more. Poked meanwhile: there are.
      if (wasPoked || (claims.length === free && free > 0)) continue;
      if (executing.size === 0) return;
      const poked = new Promise<void>((resolve) => wake = resolve);
      await Promise.race([...executing.keys(), ...(executing.size < deps.settings.concurrency ? [poked] : [])]);
    }
  };

  return {
    drain: () => {
      wasPoked = true;
      wake();
      return draining ??= executeAndHold().finally(() => draining = undefined);
    },
  };
}
