import type { Claim } from './claims.ts';
import type { ClaimExecution } from './execute_claim.ts';
import type { FreePlaces } from './places.ts';
import { makeWakeTimes } from './wake_times.ts';
import type { RunnerSettings } from '../settings.ts';

/**
 * How long the last look at the queue waits for a run, when the worker is poked. Runs that are started one after the other then begin
 * before their pokes arrive.
 */
const LAST_LOOK_MS = 40;

/** Milliseconds between two looks for reserved places. A worker that is poked knows when runs are started, and looks sooner. */
const RESERVED_LOOK_MS = 100;
const POKED_RESERVED_LOOK_MS = 25;

/**
 * How long a worker that may watch waits for another look after one that has found runs. It watches only after one that has found none:
 * to notify orders all commits, which makes starts on many connections a ninth of what they could be.
 */
const QUIET_MS = 20;

/** Stands for the run of a poke that names none. */
const ANY_RUN = '';

/** A look at the queue: what to claim. */
export interface Look {
  maxRuns: number;
  /** How long to wait for a run when there is none. */
  waitMs: number;
  /** Given when the look is for reserved places: the owners who hold a place. */
  ownersWithPlaces?: string[];
}

/** What has happened while a worker waited. */
export interface WaitOutcome {
  /** Something has happened before the time was over. */
  hasChanged: boolean;
  /** A run has ended. */
  hasFewerRuns: boolean;
  /** No run is executed. */
  isIdle: boolean;
  /** The worker is told of each run that becomes claimable, and was so already at its last look. */
  isWatched: boolean;
}

/** Knows when a look at the queue may bring a run that there is a place for. */
export interface Polling {
  /** Somebody tells of a new run. */
  poke: (flowRunId?: string) => void;
  /** There was a poke since the last look. */
  hasPokes: () => boolean;
  isLookDue: (places: FreePlaces) => boolean;
  /** The last look has found no run for the regular places, so that it is worth being told of the next one. */
  isQuiet: () => boolean;
  /** How long to wait for a change until the next look. */
  patienceMs: (places: FreePlaces) => number;
  /** Begins a look; `isIdle`: no run is executed. */
  startLook: (places: FreePlaces, isIdle: boolean) => Look;
  /** Ends a look that found these claims; undefined when the queue could not be read. */
  endLook: (look: Look, found: Claim[] | undefined) => void;
  /** Time has passed, with this outcome. */
  waited: (outcome: WaitOutcome) => void;
  /** An execution has ended. */
  runEnded: (execution: Pick<ClaimExecution, 'isReleased' | 'sleepsUntil'>) => void;
  /** A drain begins: whatever was known of the queue may have changed. */
  restart: () => void;
  /** A function that is poked stays for runs that go on before this time: the sweep, which wakes others, comes late. */
  staysForSleepers: (endsAt: number) => boolean;
}

export function makePolling(
  settings: Pick<RunnerSettings, 'wakesByPokes' | 'pollMs' | 'watchedPollMs' | 'idleWaitMs'> & {
    /** A watch tells it of runs while a regular place is free. */
    isWatching: boolean;
  },
  /** Milliseconds since 1970. */
  now: () => number,
  /** Milliseconds of a clock that nobody sets. */
  elapsedMs: () => number = () => performance.now(),
): Polling {
  const reservedLookMs = settings.wakesByPokes ? POKED_RESERVED_LOOK_MS : RESERVED_LOOK_MS;
  /** The runs that pokes have told of since the last look. */
  const poked = new Set<string>();
  /** When the runs go on that this worker has released to sleep. */
  const wakeTimes = makeWakeTimes();
  /** False when the last look has shown that the queue holds nothing more. */
  let mayBeMore = true;
  /** False when it has shown that nobody waits who could have a reserved place. */
  let mayBeForReserved = true;
  /** How many runs the last look has found for regular places; undefined when it could not be read, or was for reserved ones. */
  let lastFound: number | undefined;
  let lookedAt = -Infinity;

  /** When regular places are free they are looked for alone: nobody needs a reserved place then. */
  const isForReserved = ({ regular }: FreePlaces) => regular === 0;
  const isReservedWanted = () => mayBeForReserved || poked.size > 0;

  /** Nobody tells a worker that is neither poked nor watching of new runs. A watch hears of none whose time comes. */
  const lookEveryMs = (places: FreePlaces): number => {
    if (settings.wakesByPokes) return Infinity;
    if (!settings.isWatching || isForReserved(places) || lastFound === undefined) return settings.pollMs;
    return lastFound === 0 ? settings.watchedPollMs : QUIET_MS;
  };

  return {
    poke: (flowRunId = ANY_RUN) => void poked.add(flowRunId),
    hasPokes: () => poked.size > 0,
    isLookDue: (places) => {
      if (!isForReserved(places)) return mayBeMore || poked.size > 0;
      // Short runs free a regular place sooner than this, and cost no look of their own.
      return places.reserved > 0 && isReservedWanted() && elapsedMs() - lookedAt >= reservedLookMs;
    },
    isQuiet: () => lastFound === 0,
    patienceMs: (places) => {
      const waitsForReserved = isForReserved(places) && places.reserved > 0 && isReservedWanted();
      const waits = [
        lookEveryMs(places),
        wakeTimes.first() - now(),
        waitsForReserved ? lookedAt + reservedLookMs - elapsedMs() : Infinity,
      ];
      return Math.max(Math.min(...waits), 0);
    },
    startLook: (places, isIdle) => {
      const isLast = settings.wakesByPokes && isIdle && poked.size === 0;
      const { regular, reserved, ownersWithPlaces } = places;
      // A look for reserved places passes owners over, and pokes may have told of their runs.
      mayBeMore = isForReserved(places) && (mayBeMore || poked.size > 0);
      mayBeForReserved = false;
      lookedAt = elapsedMs();
      poked.clear();
      const waitMs = isLast ? LAST_LOOK_MS : isIdle ? settings.idleWaitMs : 0;
      return isForReserved(places) ? { maxRuns: reserved, waitMs, ownersWithPlaces } : { maxRuns: regular, waitMs };
    },
    endLook: ({ maxRuns, ownersWithPlaces }, found) => {
      // Pokes of runs that this look has found need no other look.
      for (const { flow_run_id } of found ?? []) poked.delete(flow_run_id);
      const mayBeOthers = found === undefined || found.length === maxRuns;
      lastFound = ownersWithPlaces === undefined ? found?.length : undefined;
      mayBeMore ||= ownersWithPlaces === undefined && mayBeOthers;
      mayBeForReserved ||= mayBeOthers;
    },
    waited: ({ hasChanged, hasFewerRuns, isIdle, isWatched }) => {
      const isSleeperDue = wakeTimes.dropDue(now());
      mayBeForReserved = true;
      if (isSleeperDue) mayBeMore = true;
      // A look would find nothing of which the watch has not told. After a while there is one all the same.
      if (isWatched && hasChanged) return;
      // A worker that is not poked looks at intervals, and whenever a run has ended.
      const isTime = !settings.wakesByPokes && (hasFewerRuns || !hasChanged);
      if (isIdle || isTime) mayBeMore = true;
    },
    runEnded: ({ isReleased, sleepsUntil }) => {
      const until = sleepsUntil();
      if (until !== undefined) wakeTimes.add(until);
      // A signature or a stop that came while the run was being released makes it claimable at once, and its poke was before that.
      if (isReleased()) mayBeMore = true;
    },
    restart: () => {
      mayBeMore = true;
      wakeTimes.dropDue(now());
    },
    staysForSleepers: (endsAt) => settings.wakesByPokes && wakeTimes.first() < endsAt,
  };
}
