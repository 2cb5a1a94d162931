import { MAX_TIMER_MS } from '../../platform/pause.ts';
import type { Slice } from '../engine/state/slice.ts';
import type { Claim } from './claim/claims.ts';
import type { ClaimExecution, ExecuteClaimDeps } from './claim/claim_execution.ts';
import { executeClaim } from './claim/execute_claim.ts';
import { makeSnapshotCache } from './snapshots.ts';
import type { Snapshot } from '../../types/flow.ts';

/** The runs that a worker holds. The worker executes them, except a run that waits to be executed alone. */
export interface HeldRuns {
  /** Starts to execute a claimed run. */
  execute: (claim: Claim, slice: Slice) => ClaimExecution;
  executions: () => ClaimExecution[];
  /** Number of runs that are executed. */
  count: () => number;
  isExecuting: (flowRunId: string) => boolean;
  /** Keeps a claim whose run is not executed yet. */
  setAside: (claim: Claim) => void;
  /** Removes and returns the claim that was set aside. */
  takeAside: () => Claim | undefined;
  /** Returns all claims that the worker holds. */
  claims: () => Claim[];
  /**
   * Resolves with true when a run ends or begins to rest, or when `wake` is called. Resolves with false after
   * `timeoutMs`.
   */
  nextChange: (timeoutMs?: number) => Promise<boolean>;
  wake: () => void;
  /** Resolves when no run is executed. */
  whenIdle: () => Promise<void>;
  /**
   * Returns the hashes of the cached snapshots. If a claimed run has one of these snapshots, the claim need not include
   * it.
   */
  knownSnapshots: () => string[];
  /**
   * Drops the least recently used snapshots. Must not be called between a claim and the start of its runs, which may
   * need the dropped snapshots.
   */
  trimSnapshots: () => void;
}

interface HeldRunsEvents {
  /** Called when the worker begins to hold a claim. */
  onHold: () => void;
  /** Called when an execution has ended. */
  onEnd: (execution: ClaimExecution) => void;
}

export function makeHeldRuns(deps: ExecuteClaimDeps, { onHold, onEnd }: HeldRunsEvents): HeldRuns {
  const snapshots = makeSnapshotCache(deps.settings.cachedSnapshots, deps.settings.cachedSnapshotCharacters);
  const executing = new Set<ClaimExecution>();
  let aside: Claim | undefined;
  let wake = () => {};

  /**
   * Parses the snapshot now, because another claim may push it out of the cache. If the snapshot is broken, the error
   * is thrown later, in the execution of the run.
   */
  const readSnapshot = ({ snapshot_hash, snapshot }: Claim): () => Snapshot => {
    try {
      const read = snapshots.get(snapshot_hash, snapshot);
      return () => read;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  };

  const nextChange = async (timeoutMs = Infinity): Promise<boolean> => {
    const woken = new Promise<void>((resolve) => wake = resolve);
    const change = Promise.race([...[...executing].map(({ ended }) => ended), woken]).then(() => true);
    if (timeoutMs === Infinity) return await change;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, Math.min(timeoutMs, MAX_TIMER_MS), false);
    });
    try {
      return await Promise.race([change, late]);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    execute: (claim, slice) => {
      const execution = executeClaim(deps, claim, readSnapshot(claim), slice, () => wake());
      executing.add(execution);
      onHold();
      void execution.ended.then(() => {
        executing.delete(execution);
        onEnd(execution);
      });
      return execution;
    },
    executions: () => [...executing],
    count: () => executing.size,
    isExecuting: (flowRunId) => [...executing].some(({ claim }) => claim.flow_run_id === flowRunId),
    setAside: (claim) => {
      aside = claim;
      onHold();
    },
    takeAside: () => {
      const claim = aside;
      aside = undefined;
      return claim;
    },
    claims: () => [...[...executing].map(({ claim }) => claim), ...(aside === undefined ? [] : [aside])],
    nextChange,
    wake: () => wake(),
    whenIdle: async () => {
      while (executing.size > 0) await Promise.all([...executing].map(({ ended }) => ended));
    },
    knownSnapshots: snapshots.hashes,
    trimSnapshots: snapshots.trim,
  };
}
