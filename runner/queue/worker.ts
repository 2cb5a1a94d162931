import type { Slice } from '../engine/state/slice.ts';
import type { Claim } from './claim/claims.ts';
import type { ExecuteClaimDeps } from './claim/claim_execution.ts';
import { type Heartbeat, makeHeartbeat } from './heartbeat.ts';
import { makeHeldRuns } from './held_runs.ts';
import { makeMemoryBudget } from './memory/memory_budget.ts';
import { freeSlots, releaseWhenFull } from './slots.ts';
import { makePolling } from './polling.ts';
import type { MakeQueueWatch } from './queue_watch.ts';
import { isUsedUp, makeSlices } from './slices.ts';
import { makeExecuteAlone } from './suspects.ts';
import { makeTakeOnRuns } from './take_on_runs.ts';
import { makeWaitForChange } from './wait_for_change.ts';

/** Executes queued runs. */
export interface Worker {
  /**
   * Executes runs until none can be claimed, or until the slice is over and its runs are released. Resolves with true
   * if the slice is over, because runs may be left. If the worker has a watch, waits for further runs until
   * `releaseAll` is called. While a drain is under way, another call only causes a look at the queue. If `flowRunId` is
   * already being executed, the call has no effect.
   */
  drain: (flowRunId?: string) => Promise<boolean>;
  /** Releases all runs as soon as they can be released, and claims no more; `drain` resolves then. */
  releaseAll: () => void;
  /**
   * Resolves when no run is executed any more. A run that can't be released outlives its slice, so the promise may
   * resolve after the end of the slice.
   */
  whenIdle: () => Promise<void>;
}

interface WorkerDeps extends Omit<ExecuteClaimDeps, 'memory'> {
  /** Makes the watch that notifies a long-lived worker of runs. Without a watch, the worker polls the queue. */
  makeWatch?: MakeQueueWatch | undefined;
  /**
   * Called when a run was released after the end of the drain. The run may be claimable, but no drain of this worker
   * looks for it.
   */
  onLateRelease?: (() => void) | undefined;
}

export function makeWorker({ makeWatch, onLateRelease, ...given }: WorkerDeps): Worker {
  const { claims, settings, now } = given;
  const memory = makeMemoryBudget(settings.runnerMaxHeldBytes);
  const polling = makePolling({ ...settings, isWatching: makeWatch !== undefined }, now);
  const runs = makeHeldRuns({ ...given, memory }, {
    onHold: () => heartbeat.start(),
    onEnd: (execution) => {
      polling.runEnded(execution);
      heartbeat.endIfNothingIsHeld();
      if (draining === undefined && execution.isReleased()) onLateRelease?.();
    },
  });
  const heartbeat: Heartbeat = makeHeartbeat({ claims, runs, everyMs: settings.heartbeatMs, onBeat: () => makeWay() });
  const slices = makeSlices(settings.slice, now, runs.wake);
  const slots = () => freeSlots(runs.executions(), settings);
  const takeOnRuns = makeTakeOnRuns({ claims, runs, polling, heartbeat });
  const watch = makeWatch?.(() => {
    polling.poke();
    runs.wake();
  });
  const waitForChange = makeWaitForChange({ runs, polling, slices, slots, watch });
  const executeAlone = makeExecuteAlone({ claims, runs, settings });
  let draining: Promise<boolean> | undefined;

  /** Releases runs that have been held for the time of a slice, if other runs wait for their slot or memory. */
  const makeWay = (): void => {
    memory.relieve(settings.runnerSliceMs);
    releaseWhenFull(runs.executions(), settings);
  };

  /**
   * Claims and executes runs until none is left or the slice is over. A suspect is a run that may have crashed its
   * workers. If a suspect is claimed, resolves at once with its claim.
   */
  const executeAll = async (slice: Slice): Promise<Claim | undefined> => {
    const isLookDue = () => !isUsedUp(slice) && polling.isLookDue(slots());
    polling.restart();
    for (;;) {
      if (isLookDue()) {
        const { suspect, hasFailed } = await takeOnRuns(slots(), slice);
        if (suspect !== undefined) return suspect;
        if (isLookDue() && (!hasFailed || runs.count() === 0)) continue;
      }
      const waits = watch !== undefined || polling.staysForSleepers(slices.drainEndsAt());
      const stays = runs.count() > 0 || (!isUsedUp(slice) && waits);
      if (!stays || !await waitForChange(slice)) return undefined;
    }
  };

  /**
   * Executes one slice. If a suspect was claimed in it, ends the slice and so releases its other runs. Begins the next
   * slice with the suspect alone.
   */
  const executeSlices = async (): Promise<boolean> => {
    slices.startDrain();
    for (;;) {
      const slice = slices.next();
      try {
        const suspect = runs.takeAside();
        if (suspect !== undefined) await executeAlone(suspect, slice);
        const nextSuspect = await executeAll(slice);
        if (nextSuspect === undefined) return isUsedUp(slice);
        runs.setAside(nextSuspect);
      } finally {
        slice.end();
      }
      await runs.whenIdle();
    }
  };

  /** Drains, and drains again if a poke came after the last look at the queue. */
  const drainWhilePoked = async (): Promise<boolean> => {
    for (;;) {
      const mayBeMore = await executeSlices();
      if (mayBeMore || !polling.hasPokes()) return mayBeMore;
    }
  };

  return {
    drain: (flowRunId) => {
      if (flowRunId === undefined || !runs.isExecuting(flowRunId)) {
        polling.poke(flowRunId);
        runs.wake();
      }
      if (draining !== undefined) return draining.then(() => false);
      draining = drainWhilePoked().finally(() => draining = undefined);
      return draining;
    },
    releaseAll: slices.endAll,
    whenIdle: runs.whenIdle,
  };
}
