import type { Slice } from '../engine/state/slice.ts';
import { type Claim, type Claims, NO_PROGRESS } from './claim/claims.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { HeldRuns } from './held_runs.ts';
import type { FreeSlots } from './slots.ts';
import type { Look, Polling } from './polling.ts';
import { isUsedUp } from './slices.ts';
import { isSuspect } from './suspects.ts';

interface TakeOnDeps {
  claims: Claims;
  runs: HeldRuns;
  polling: Polling;
  heartbeat: Heartbeat;
}

/** The result of a look at the queue. */
interface TakenOn {
  /** A claimed run that has to be executed alone. The claim brought no other runs. */
  suspect?: Claim;
  /** True if the queue could not be read. */
  hasFailed: boolean;
}

/** Makes a function that claims runs for these slots and starts to execute them. */
export function makeTakeOnRuns(
  { claims, runs, polling, heartbeat }: TakeOnDeps,
): (slots: FreeSlots, slice: Slice) => Promise<TakenOn> {
  /**
   * Claims runs. Returns undefined if the queue could not be read while runs are executed. The executed runs continue,
   * and the end of any of them causes another look at the queue.
   */
  const claim = async ({ maxRuns, waitMs, ownersWithSlots }: Look): Promise<Claim[] | undefined> => {
    try {
      await heartbeat.catchUp();
      return await claims.claim(maxRuns, runs.knownSnapshots(), waitMs, ownersWithSlots);
    } catch (error) {
      if (runs.count() === 0) throw error;
      return undefined;
    }
  };

  return async (slots, slice) => {
    const look = polling.startLook(slots, runs.count() === 0);
    const claimed = await claim(look);
    const hasFailed = claimed === undefined;
    const isLate = isUsedUp(slice);
    // If a release fails, the run is claimed again after the end of its lease.
    if (isLate) await Promise.allSettled((claimed ?? []).map((one) => claims.release(one, NO_PROGRESS)));
    const found = isLate ? [] : claimed ?? [];
    const [first] = found;
    if (first !== undefined && isSuspect(first)) return { suspect: first, hasFailed };
    polling.endLook(look, hasFailed ? undefined : found);
    for (const one of found) runs.execute(one, slice);
    runs.trimSnapshots();
    return { hasFailed };
  };
}
