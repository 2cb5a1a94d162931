import type { Claim } from './claims.ts';
import { executeClaim, type ExecuteClaimDeps } from './execute_claim.ts';
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

export function makeWorker(deps: WorkerDeps): Worker {
  const snapshots = makeSnapshotCache(deps.settings.cachedSnapshots);
  const executing = new Set<Promise<void>>();
  let draining: Promise<void> | undefined;
  let wasPoked = false;
  let wake = () => {};

  const begin = (claim: Claim): void => {
    const execution: Promise<void> = (async () => {
      await executeClaim(
        deps,
        claim,
        snapshots.get(claim.snapshot_hash, claim.snapshot),
      );
    })().catch((error) => deps.onError(claim, error)).finally(() => executing.delete(execution));
    executing.add(execution);
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
      await Promise.race([
        ...executing,
        ...(executing.size < deps.settings.concurrency ? [poked] : []),
      ]);
    }
  };

  return {
    drain: () => {
      wasPoked = true;
      wake();
      return draining ??= executeAll().finally(() => draining = undefined);
    },
  };
}
