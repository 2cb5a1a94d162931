import { nextTurn, pause } from '../_shared/pause.ts';
import { type Claim, NOTHING } from './claims.ts';
import { makeSlice, type Slice } from './engine/slice.ts';
import { type ClaimExecution, executeClaim, type ExecuteClaimDeps } from './execute_claim.ts';
import { makeSnapshotCache } from './snapshots.ts';
import type { Snapshot } from '../../types/flow.ts';

/** Executes queued runs. */
export interface Worker {
  /**
   * Resolves when no claimable run is left, or the slice is over and its runs are back in the queue; true: there may be more
   * to do, and whoever is told so sees to it. A call during the work only makes it look once more, unless it names a run that is
   * being executed already.
   */
  drain: (flowRunId?: string) => Promise<boolean>;
  /** Gives the runs back to the queue as soon as they can be left; `drain` resolves then. */
  handBack: () => void;
}

/** How long the last look for whoever is poked waits: the next of runs that follow each other begins before its poke has come. */
const LAST_LOOK_MS = 40;

/** What a poke tells of that names no run. */
const ANY_RUN = '';

/** Workers lost with a run from which on it is executed alone: it may be what ends them. */
const SUSPECT_LOST_CLAIMS = 2;

export function makeWorker(deps: ExecuteClaimDeps): Worker {
  const { claims, settings } = deps;
  const snapshots = makeSnapshotCache(settings.cachedSnapshots);
  const executing = new Set<ClaimExecution>();
  let draining: Promise<boolean> | undefined;
  let slice: Slice | undefined;
  /** A suspect run that waits until the others are gone. */
  let suspect: Claim | undefined;
  /** What pokes have told of since the last look at the queue. */
  const poked = new Set<string>();
  /** The last look at the queue does not tell that nothing is left. */
  let mayBeMore = true;
  let isLeaving = false;
  /** When the claims were held last. */
  let beatAt = 0;
  let wake = () => {};

  /** The snapshot of a claim, read now: another claim may push it out of the cache. What is wrong with it the run will say. */
  const takeSnapshot = ({ snapshot_hash, snapshot }: Claim): () => Snapshot => {
    try {
      const taken = snapshots.get(snapshot_hash, snapshot);
      return () => taken;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  };

  const begin = (claim: Claim, present: Slice): ClaimExecution => {
    const execution = executeClaim(deps, claim, takeSnapshot(claim), present, () => wake());
    executing.add(execution);
    void execution.ended.then(() => {
      executing.delete(execution);
      // What a signature or a stop came for meanwhile can be claimed at once, and whoever gave it has told of it before.
      if (execution.isGivenBack()) mayBeMore = true;
    });
    return execution;
  };

  /** Holds all claims at once, and hands on what became of them. */
  const heartbeat = async (): Promise<void> => {
    const beating = [...executing];
    const held = [...beating.map(({ claim }) => claim), ...(suspect === undefined ? [] : [suspect])];
    const newsOf = new Map((await claims.heartbeat(held)).map((item) => [item.flow_run_id, item]));
    beatAt = performance.now();
    for (const execution of beating) {
      const item = newsOf.get(execution.claim.flow_run_id);
      if (item?.is_lost) execution.lose();
      else if (item?.stop != null) execution.stop(item.stop);
    }
  };

  /** Runs that can be begun now: those that rest leave their place to others, as far as they may be held. */
  const freePlaces = (): number => {
    const { runnerConcurrency, runnerRestingRuns } = settings;
    const working = [...executing].filter((execution) => !execution.isResting()).length;
    return Math.max(Math.min(runnerConcurrency - working, runnerConcurrency + runnerRestingRuns - executing.size), 0);
  };

  /** Undefined where it can't be told whether there is anything to claim. */
  const claimSome = async (count: number, waitMs: number): Promise<Claim[] | undefined> => {
    try {
      // After an outage its own runs would look as if nobody had them.
      if (executing.size > 0 && performance.now() - beatAt > settings.heartbeatMs * 2) await heartbeat();
      return await claims.claim(count, snapshots.hashes(), waitMs);
    } catch (error) {
      // What runs goes on; the end of a run brings the next look.
      if (executing.size === 0) throw error;
      return undefined;
    }
  };

  /** Gives back what was claimed when the slice was over already: it may be what was given back just now. */
  const leave = async (claimed: Claim[]): Promise<Claim[]> => {
    // What can't be given back now is claimed again when its lease is over.
    await Promise.allSettled(claimed.map((claim) => claims.handBack(claim, NOTHING)));
    return [];
  };

  /** Resolves when a run has ended or rests, when somebody pokes, or when the slice is over. */
  const news = async (): Promise<void> => {
    const woken = new Promise<void>((resolve) => wake = resolve);
    await Promise.race([...[...executing].map(({ ended }) => ended), woken]);
  };

  /**
   * Executes a run that may end its worker, until it has got somewhere, only waits, or has lived as long as a claim may be silent.
   */
  const executeAlone = async (claim: Claim, present: Slice): Promise<void> => {
    const execution = begin(claim, present);
    const provenAt = performance.now() + settings.runnerLeaseSeconds * 1_000;
    const isProven = () => execution.hasStored() || execution.isResting() || performance.now() >= provenAt;
    while (executing.has(execution) && !isProven()) await Promise.race([news(), pause(settings.heartbeatMs)]);
  };

  /** Claims and executes until there is nothing left, the slice is over, or a suspect run has to be executed alone. */
  const executeAll = async (present: Slice): Promise<Claim | undefined> => {
    mayBeMore = true;
    const shallLook = () => !present.handBack.aborted && (mayBeMore || poked.size > 0) && freePlaces() > 0;
    for (;;) {
      let hasFailed = false;
      if (shallLook()) {
        const free = freePlaces();
        const isLast = settings.isPoked && executing.size === 0 && poked.size === 0;
        poked.clear();
        mayBeMore = false;
        const claimed = await claimSome(free, isLast ? LAST_LOOK_MS : 0);
        hasFailed = claimed === undefined;
        const found = present.handBack.aborted ? await leave(claimed ?? []) : claimed ?? [];
        const [first] = found;
        if (first !== undefined && first.lost_claim_count >= SUSPECT_LOST_CLAIMS) return first;
        for (const claim of found) {
          poked.delete(claim.flow_run_id);
          begin(claim, present);
        }
        mayBeMore ||= hasFailed || found.length === free;
      }
      snapshots.trim();
      if (shallLook() && (!hasFailed || executing.size === 0)) continue;
      if (executing.size === 0) return undefined;
      const held = executing.size;
      await news();
      // Those that end in one turn make room for one claim of as many.
      await nextTurn();
      // Whom nobody tells of new runs looks for them as often as one ends; everybody does so at last.
      if (executing.size === 0 || (!settings.isPoked && executing.size < held)) mayBeMore = true;
    }
  };

  /** One slice after another, when suspect runs have to be executed alone; the clock goes on. */
  const executeSlices = async (): Promise<boolean> => {
    const startedAt = performance.now();
    for (;;) {
      const wallMs = Math.max(settings.slice.wallMs - (performance.now() - startedAt), 1);
      const present = slice = makeSlice({ ...settings.slice, wallMs });
      present.handBack.addEventListener('abort', () => wake());
      try {
        const alone = suspect;
        suspect = undefined;
        if (alone !== undefined && isLeaving) await claims.handBack(alone, NOTHING);
        else if (alone !== undefined) await executeAlone(alone, present);
        if (isLeaving) present.end();
        suspect = await executeAll(present);
        if (suspect === undefined) return present.handBack.aborted;
      } finally {
        present.end();
      }
      // The others go back to the queue, with all that they have come to.
      while (executing.size > 0) await news();
    }
  };

  const drainQueue = async (): Promise<boolean> => {
    let isBeating = false;
    const timer = setInterval(() => {
      if (isBeating || (executing.size === 0 && suspect === undefined)) return;
      isBeating = true;
      // A missed beat is made up for by the next; a lease outlasts many.
      void heartbeat().catch(() => {}).finally(() => isBeating = false);
    }, settings.heartbeatMs);
    try {
      return await executeSlices();
    } finally {
      clearInterval(timer);
    }
  };

  /** A poke may come when the last look at the queue was over already. */
  const drainWhilePoked = async (): Promise<boolean> => {
    for (;;) {
      const hasMore = await drainQueue();
      if (hasMore || poked.size === 0) return hasMore;
    }
  };

  return {
    drain: (flowRunId = ANY_RUN) => {
      if (![...executing].some(({ claim }) => claim.flow_run_id === flowRunId)) {
        poked.add(flowRunId);
        wake();
      }
      if (draining !== undefined) return draining.then(() => false);
      draining = drainWhilePoked().finally(() => draining = undefined);
      return draining;
    },
    handBack: () => {
      isLeaving = true;
      slice?.end();
    },
  };
}
