import type { Claim } from './claims.ts';
import { makeSlice, type Slice } from './engine/slice.ts';
import { type ClaimExecution, executeClaim, type ExecuteClaimDeps } from './execute_claim.ts';
import { makeSnapshotCache } from './snapshots.ts';

/** Executes queued runs. */
export interface Worker {
  /**
   * Resolves when no claimable run is left, or the slice is over and its runs are back in the queue; true: there may be more
   * to do. A call during the work only makes it look once more.
   */
  drain: () => Promise<boolean>;
  /** Gives the runs back to the queue as soon as they can be left; `drain` resolves then. */
  handBack: () => void;
}

/** Workers lost with a run from which on it is executed alone: it may be what ends them. */
const SUSPECT_LOST_CLAIMS = 2;

export function makeWorker(deps: ExecuteClaimDeps): Worker {
  const { claims, settings } = deps;
  const snapshots = makeSnapshotCache(settings.cachedSnapshots);
  const executing = new Set<ClaimExecution>();
  let draining: Promise<boolean> | undefined;
  let slice: Slice | undefined;
  let wasPoked = false;
  let wake = () => {};

  const begin = (claim: Claim, present: Slice): void => {
    const execution = executeClaim(deps, claim, snapshots.get(claim.snapshot_hash, claim.snapshot), present);
    executing.add(execution);
    void execution.ended.then(() => executing.delete(execution));
  };

  /** Holds all claims at once, and hands on what became of them. */
  const heartbeat = async (): Promise<void> => {
    const held = [...executing];
    const news = await claims.heartbeat(held.map(({ claim }) => claim));
    const newsOf = new Map(news.map((item) => [item.flow_run_id, item]));
    for (const execution of held) {
      const item = newsOf.get(execution.claim.flow_run_id);
      if (item?.is_lost) execution.lose();
      else if (item?.stop != null) execution.stop(item.stop);
    }
  };

  const claimSome = async (count: number): Promise<Claim[]> => {
    try {
      return await claims.claim(count, snapshots.hashes());
    } catch (error) {
      // What runs goes on; its end brings the next look.
      if (executing.size === 0) throw error;
      return [];
    }
  };

  /** True: it ended because the slice is over. */
  const executeAll = async (present: Slice): Promise<boolean> => {
    for (;;) {
      const isOver = present.handBack.aborted;
      const isAlone = [...executing].some(({ claim }) => claim.lost_claim_count >= SUSPECT_LOST_CLAIMS);
      const free = isOver || isAlone ? 0 : settings.runnerConcurrency - executing.size;
      wasPoked = false;
      const found = free > 0 ? await claimSome(free) : [];
      const [first] = found;
      if (first !== undefined && first.lost_claim_count >= SUSPECT_LOST_CLAIMS) {
        // Nothing else shall go down with it.
        const others = [...executing].map(({ ended }) => ended);
        const waiting = { claim: first, ended: Promise.all(others).then(() => {}), stop: () => {}, lose: () => {} };
        executing.add(waiting);
        await waiting.ended;
        executing.delete(waiting);
      }
      found.forEach((claim) => begin(claim, present));
      // As many as asked for: there may be more. Poked meanwhile: there are.
      if (!isOver && (wasPoked || (found.length === free && free > 0))) continue;
      if (executing.size === 0) return isOver;
      const poked = new Promise<void>((resolve) => wake = resolve);
      await Promise.race([...[...executing].map(({ ended }) => ended), ...(free > found.length ? [poked] : [])]);
    }
  };

  const drainSlice = async (): Promise<boolean> => {
    const present = makeSlice(settings.slice);
    slice = present;
    const timer = setInterval(() => {
      // A missed beat is made up for by the next; a lease outlasts many.
      if (executing.size > 0) heartbeat().catch(() => {});
    }, settings.heartbeatMs);
    present.handBack.addEventListener('abort', () => wake());
    try {
      return await executeAll(present);
    } finally {
      clearInterval(timer);
      present.end();
    }
  };

  return {
    drain: () => {
      wasPoked = true;
      wake();
      return draining ??= drainSlice().finally(() => draining = undefined);
    },
    handBack: () => slice?.end(),
  };
}
