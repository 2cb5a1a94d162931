import type { Claim } from './claim/claims.ts';
import type { ClaimExecution } from './claim/claim_execution.ts';
import type { FreeSlots } from './slots.ts';
import { nextState, type TransitionTable } from '../engine/state/transitions.ts';
import { makeWakeTimes } from './wake_times.ts';
import type { RunnerSettings } from '../settings.ts';

/**
 * The time for which a worker that gets pokes waits for a run in its last look. A look is a call that claims runs. A
 * poke is a request that wakes a worker. If runs are started one after another, the last look claims the next run
 * before its poke arrives.
 */
const LAST_LOOK_MS = 40;

/** Milliseconds between two looks for reserved slots (`slots.ts`). The time is shorter for a worker that gets pokes. */
const RESERVED_LOOK_MS = 100;
const POKED_RESERVED_LOOK_MS = 25;

/**
 * Time between a look that found runs and the next look, for a worker that may watch the queue. The worker watches only
 * after a look that found no runs, because a watch makes each start of a run send a NOTIFY. Commits with a NOTIFY wait
 * for each other, so that many connections together start only an eighth as many runs.
 */
const QUIET_MS = 20;

/** Represents the run of a poke that names no run. */
const ANY_RUN = '';

/**
 * What a worker knows of the queue. It knows this for its regular and for its reserved slots (`slots.ts`).
 *
 * - `unknown`: the queue may hold runs, so a look is due. The last look filled its slots or failed, or something has
 *   changed since it began.
 * - `looking`: a look is under way.
 * - `taken`: the last look took all runs that it found. More may come soon.
 * - `empty`: the last look found no run.
 */
export type Sight = 'unknown' | 'looking' | 'taken' | 'empty';
type SightEvent = 'change' | 'look' | 'find_some' | 'find_none';

export const SIGHTS: TransitionTable<Sight, SightEvent> = {
  unknown: { change: 'unknown', look: 'looking', find_some: 'unknown', find_none: 'unknown' },
  looking: { change: 'unknown', look: 'looking', find_some: 'taken', find_none: 'empty' },
  taken: { change: 'unknown', look: 'looking' },
  empty: { change: 'unknown', look: 'looking' },
};

type SlotKind = 'regular' | 'reserved';

/** A look at the queue: the runs to claim. */
export interface Look {
  maxRuns: number;
  /** Time to wait for a run if none is queued. */
  waitMs: number;
  /** The owners who hold a slot, if the look is for reserved slots. */
  ownersWithSlots?: string[];
}

/** The events during a wait of the worker. */
interface WaitOutcome {
  /** True if there was a change before the time was over. */
  hasChanged: boolean;
  /** True if the worker executes fewer runs than at the begin of the wait. */
  hasFewerRuns: boolean;
  /** True if no run is executed. */
  isIdle: boolean;
  /** True if a watch notifies the worker of each run that becomes claimable, and was already on at the last look. */
  isWatched: boolean;
}

/** Decides when a look at the queue may find a run for a free slot. */
export interface Polling {
  /** Reports a poke, which may name a new run. */
  poke: (flowRunId?: string) => void;
  /** True if there was a poke since the last look. */
  hasPokes: () => boolean;
  isLookDue: (slots: FreeSlots) => boolean;
  /** True if the last look found no run for the regular slots. A watch is worth its cost only then. */
  isQuiet: () => boolean;
  /** Returns how long to wait for a change until the next look. */
  patienceMs: (slots: FreeSlots) => number;
  /** Begins a look. `isIdle` is true if no run is executed. */
  startLook: (slots: FreeSlots, isIdle: boolean) => Look;
  /** Ends a look that found these claims. `found` is undefined if the queue could not be read. */
  endLook: (look: Look, found: Claim[] | undefined) => void;
  /** Reports the end of a wait. */
  waited: (outcome: WaitOutcome) => void;
  /** Reports the end of an execution. */
  runEnded: (execution: Pick<ClaimExecution, 'isReleased' | 'sleepsUntil'>) => void;
  /** Begins a drain. The queue may have changed since the last look. */
  restart: () => void;
  /**
   * True if the worker is woken by pokes, and a run that it released continues before `endsAt`, the end of its drain.
   * The worker should then wait for that run. Otherwise the run would continue late, after the next sweep of the queue.
   */
  staysForSleepers: (endsAt: number) => boolean;
}

export function makePolling(
  settings: Pick<RunnerSettings, 'wakesByPokes' | 'pollMs' | 'watchedPollMs' | 'idleWaitMs'> & {
    /** If true, a watch notifies the worker of runs while a regular slot is free. */
    isWatching: boolean;
  },
  /** Milliseconds since 1970. */
  now: () => number,
  /** Milliseconds of a monotonic clock. */
  elapsedMs: () => number = () => performance.now(),
): Polling {
  const reservedLookMs = settings.wakesByPokes ? POKED_RESERVED_LOOK_MS : RESERVED_LOOK_MS;
  const sights: Record<SlotKind, Sight> = { regular: 'unknown', reserved: 'unknown' };
  /** The runs that pokes have named since the last look. */
  const poked = new Set<string>();
  /** The times at which sleeping runs continue. Only runs that this worker has released are known. */
  const wakeTimes = makeWakeTimes();
  let lookedAt = -Infinity;

  const go = (kind: SlotKind, event: SightEvent) => void (sights[kind] = nextState(SIGHTS, sights[kind], event));
  /** While a regular slot is free, no owner needs a reserved slot. */
  const kindOf = ({ regular }: FreeSlots): SlotKind => regular === 0 ? 'reserved' : 'regular';
  const isWanted = (kind: SlotKind) => sights[kind] === 'unknown' || poked.size > 0;
  /** Returns how long to wait for the next look for reserved slots; Infinity if none is wanted. */
  const untilReservedLook = (slots: FreeSlots): number =>
    slots.reserved > 0 && isWanted('reserved') ? lookedAt + reservedLookMs - elapsedMs() : Infinity;

  /**
   * Returns the interval between looks. A worker that is neither poked nor watching learns of new runs only by polling.
   * A watch does not report sleeping runs whose time has come, so `patienceMs` also ends when the first of them is due.
   */
  const lookEveryMs = (kind: SlotKind): number => {
    if (settings.wakesByPokes) return Infinity;
    if (!settings.isWatching || kind === 'reserved' || sights.regular === 'unknown') return settings.pollMs;
    return sights.regular === 'empty' ? settings.watchedPollMs : QUIET_MS;
  };

  return {
    poke: (flowRunId = ANY_RUN) => void poked.add(flowRunId),
    hasPokes: () => poked.size > 0,
    // If runs are short, a regular slot is free before the interval is over, and no look for reserved slots is needed.
    isLookDue: (slots) => kindOf(slots) === 'regular' ? isWanted('regular') : untilReservedLook(slots) <= 0,
    isQuiet: () => sights.regular === 'empty',
    patienceMs: (slots) => {
      const kind = kindOf(slots);
      const waits = [lookEveryMs(kind), wakeTimes.first() - now()];
      if (kind === 'reserved') waits.push(untilReservedLook(slots));
      return Math.max(Math.min(...waits), 0);
    },
    startLook: (slots, isIdle) => {
      const kind = kindOf(slots);
      const isLast = settings.wakesByPokes && isIdle && poked.size === 0;
      // A look for reserved slots excludes the owners who hold a slot. If pokes have named runs, these may be runs of
      // the excluded owners.
      if (kind === 'reserved' && poked.size > 0) go('regular', 'change');
      go(kind, 'look');
      lookedAt = elapsedMs();
      poked.clear();
      const waitMs = isLast ? LAST_LOOK_MS : isIdle ? settings.idleWaitMs : 0;
      const { regular, reserved, ownersWithSlots } = slots;
      return kind === 'reserved' ? { maxRuns: reserved, waitMs, ownersWithSlots } : { maxRuns: regular, waitMs };
    },
    endLook: ({ maxRuns, ownersWithSlots }, found) => {
      // If this look has found the run that a poke names, that poke needs no other look.
      for (const { flow_run_id } of found ?? []) poked.delete(flow_run_id);
      if (found === undefined || found.length === maxRuns) {
        go('regular', 'change');
        go('reserved', 'change');
      } else {
        go(ownersWithSlots === undefined ? 'regular' : 'reserved', found.length === 0 ? 'find_none' : 'find_some');
      }
    },
    waited: ({ hasChanged, hasFewerRuns, isIdle, isWatched }) => {
      const isSleeperDue = wakeTimes.dropDue(now());
      // The watch reports every run that a look would find, so the worker looks again only when the wait times out.
      const isToldOfRuns = isWatched && hasChanged;
      // A worker that gets no pokes looks at intervals, and whenever a run has ended.
      const isTime = !settings.wakesByPokes && (hasFewerRuns || !hasChanged);
      if (isSleeperDue || (!isToldOfRuns && (isIdle || isTime))) go('regular', 'change');
      go('reserved', 'change');
    },
    runEnded: ({ isReleased, sleepsUntil }) => {
      const until = sleepsUntil();
      if (until !== undefined) wakeTimes.add(until);
      // If a signature or a stop comes during the release, its poke comes too early. The run is claimable right after
      // the release, so another look is due.
      if (isReleased()) go('regular', 'change');
    },
    restart: () => {
      go('regular', 'change');
      wakeTimes.dropDue(now());
    },
    staysForSleepers: (endsAt) => settings.wakesByPokes && wakeTimes.first() < endsAt,
  };
}
