import { nextTurn, pause } from '../../_shared/pause.ts';
import { type Claim, NOTHING } from './claims.ts';
import { makeSlice, type Slice } from '../engine/slice.ts';
import { type ClaimExecution, executeClaim, type ExecuteClaimDeps } from './execute_claim.ts';
import { makeMemoryRoom } from './memory_budget.ts';
import { freePlaces, whoGivesWay } from './places.ts';
import { makeSnapshotCache } from './snapshots.ts';
import { makeWakeTimes } from './wake_times.ts';
import type { Snapshot } from '../../../types/flow.ts';

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
  /** Resolves when nothing is executed any more, what could not be left at the end of its slice included. */
  settled: () => Promise<void>;
}

/** How long the last look for whoever is poked waits: the next of runs that follow each other begins before its poke has come. */
const LAST_LOOK_MS = 40;

/** How long after a look at the queue a worker without a free place looks for owners who have none: one that is told of starts sooner. */
const GUEST_LOOK_MS = 100;
const POKED_GUEST_LOOK_MS = 25;

/**
 * For how long nothing happens after the end of a slice until the next one may begin: what can't be left, such as a request that must
 * not be repeated, goes on beside it, and keeps nobody waiting.
 */
const LEAVE_MS = 1_000;

/** What a poke tells of that names no run. */
const ANY_RUN = '';

/** Workers lost with a run from which on it is executed alone: it may be what ends them. */
const SUSPECT_LOST_CLAIMS = 2;

export function makeWorker(given: Omit<ExecuteClaimDeps, 'room'>): Worker {
  const { claims, settings } = given;
  const room = makeMemoryRoom(settings.runnerMaxHeldBytes);
  const deps: ExecuteClaimDeps = { ...given, room };
  const snapshots = makeSnapshotCache(settings.cachedSnapshots);
  const executing = new Set<ClaimExecution>();
  const guestLookMs = settings.isPoked ? POKED_GUEST_LOOK_MS : GUEST_LOOK_MS;
  let draining: Promise<boolean> | undefined;
  let slice: Slice | undefined;
  /** A suspect run that waits until the others are gone. */
  let suspect: Claim | undefined;
  /** What pokes have told of since the last look at the queue. */
  const poked = new Set<string>();
  /** The last look at the queue does not tell that nothing is left. */
  let mayBeMore = true;
  /** Nor does it tell that nobody is left who holds no place. */
  let mayBeGuests = true;
  let lookedAt = -Infinity;
  /** When the runs that were put to sleep here go on. */
  const wakeTimes = makeWakeTimes();
  /** When the function's time is over, in milliseconds since 1970. */
  let endsAt = Infinity;
  let isLeaving = false;
  let beating: ReturnType<typeof setInterval> | undefined;
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
    beatWhileHolding();
    void execution.ended.then(() => {
      executing.delete(execution);
      const until = execution.sleepsUntil();
      if (until !== undefined) wakeTimes.add(until);
      // What a signature or a stop came for meanwhile can be claimed at once, and whoever gave it has told of it before: of one
      // that was to sleep, too.
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

  /** As long as anything is held: what outlives its slice as well. */
  const beatWhileHolding = (): void => {
    if (beating !== undefined) return;
    let isUnderWay = false;
    beating = setInterval(() => {
      if (executing.size === 0 && suspect === undefined) {
        clearInterval(beating);
        beating = undefined;
        return;
      }
      if (isUnderWay) return;
      isUnderWay = true;
      // A missed beat is made up for by the next; a lease outlasts many.
      void heartbeat().catch(() => {}).finally(() => isUnderWay = false);
      makeWay();
    }, settings.heartbeatMs);
  };

  /** Undefined where it can't be told whether there is anything to claim. */
  const claimSome = async (count: number, waitMs: number, passedOver?: string[]): Promise<Claim[] | undefined> => {
    try {
      // After an outage its own runs would look as if nobody had them.
      if (executing.size > 0 && performance.now() - beatAt > settings.heartbeatMs * 2) await heartbeat();
      return await claims.claim(count, snapshots.hashes(), waitMs, passedOver);
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

  /** Resolves when a run has ended or rests, when somebody pokes, or when the slice is over; false: after the time, without news. */
  const news = async (timeoutMs = Infinity): Promise<boolean> => {
    const woken = new Promise<void>((resolve) => wake = resolve);
    const event = Promise.race([...[...executing].map(({ ended }) => ended), woken]).then(() => true);
    if (timeoutMs === Infinity) return await event;
    const hasCome = new AbortController();
    try {
      return await Promise.race([event, pause(timeoutMs, hasCome.signal).then(() => false)]);
    } finally {
      hasCome.abort();
    }
  };

  /** Who holds a place for longer than a slice leaves it where others wait and there is none for them. */
  const makeWay = (): void => {
    room.relieve(settings.runnerSliceMs);
    const { regular, guests } = freePlaces(executing, settings);
    if (regular === 0 && guests === 0) whoGivesWay(executing, settings.runnerSliceMs)?.giveWay();
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

  /** Takes on what there is to claim, as far as there are places; gives back a suspect run that has to be executed alone. */
  const takeOn = async (present: Slice): Promise<{ first?: Claim; hasFailed: boolean }> => {
    const { regular, guests, holders } = freePlaces(executing, settings);
    const isForGuests = regular === 0;
    const count = isForGuests ? guests : regular;
    const isLast = settings.isPoked && executing.size === 0 && poked.size === 0;
    // What a poke tells of may be of an owner who is passed over now.
    mayBeMore = isForGuests && (mayBeMore || poked.size > 0);
    mayBeGuests = false;
    lookedAt = performance.now();
    poked.clear();
    const claimed = await claimSome(count, isLast ? LAST_LOOK_MS : 0, isForGuests ? holders : undefined);
    const hasFailed = claimed === undefined;
    const found = present.releasing.aborted ? await leave(claimed ?? []) : claimed ?? [];
    const [first] = found;
    if (first !== undefined && first.lost_claim_count >= SUSPECT_LOST_CLAIMS) return { first, hasFailed };
    for (const claim of found) {
      poked.delete(claim.flow_run_id);
      begin(claim, present);
    }
    const isFull = hasFailed || found.length === count;
    mayBeMore ||= !isForGuests && isFull;
    mayBeGuests ||= isFull;
    return { hasFailed };
  };

  /** Whether a look at the queue may bring something that there is a place for. */
  const shallLook = (present: Slice): boolean => {
    if (present.releasing.aborted || !(mayBeMore || mayBeGuests || poked.size > 0)) return false;
    const { regular, guests } = freePlaces(executing, settings);
    if (regular > 0) return mayBeMore || poked.size > 0;
    // Where many runs are short a place is free before.
    return guests > 0 && (mayBeGuests || poked.size > 0) && performance.now() - lookedAt >= guestLookMs;
  };

  /**
   * How long to wait for news: whom nobody tells of new runs looks by itself, and everybody for those that were put to sleep, and for
   * owners who have no place.
   */
  const patienceMs = (): number => {
    const { regular, guests } = freePlaces(executing, settings);
    const isForGuests = regular === 0 && guests > 0 && (mayBeGuests || poked.size > 0);
    return Math.max(
      Math.min(
        settings.isPoked ? Infinity : settings.pollMs,
        wakeTimes.first() - deps.now(),
        isForGuests ? lookedAt + guestLookMs - performance.now() : Infinity,
      ),
      0,
    );
  };

  /** Claims and executes until there is nothing left, the slice is over, or a suspect run has to be executed alone. */
  const executeAll = async (present: Slice): Promise<Claim | undefined> => {
    mayBeMore = true;
    wakeTimes.dropDue(deps.now());
    for (;;) {
      let hasFailed = false;
      if (shallLook(present)) {
        const taken = await takeOn(present);
        if (taken.first !== undefined) return taken.first;
        hasFailed = taken.hasFailed;
      }
      snapshots.trim();
      if (shallLook(present) && (!hasFailed || executing.size === 0)) continue;
      if (executing.size === 0 && !isAwaitingSleepers(present)) return undefined;
      const held = executing.size;
      const spentMs = present.spentMs();
      const hasNews = await news(present.releasing.aborted ? LEAVE_MS : patienceMs());
      if (present.releasing.aborted && !hasNews && present.spentMs() === spentMs && !isLeaving) return undefined;
      // Those that end in one turn make room for one claim of as many.
      await nextTurn();
      const isDue = wakeTimes.dropDue(deps.now());
      // Whom nobody tells of new runs looks for them now and then, and as often as one ends; everybody does so at last.
      if (executing.size === 0 || isDue || (!settings.isPoked && (executing.size < held || !hasNews))) mayBeMore = true;
      mayBeGuests = true;
    }
  };

  /** A function stays for runs that were put to sleep and go on within its slice: the sweeper, which wakes the others, is late. */
  const isAwaitingSleepers = (present: Slice): boolean =>
    settings.isPoked && wakeTimes.first() < endsAt && !present.releasing.aborted;

  /** One slice after another, when suspect runs have to be executed alone; the clock goes on. */
  const executeSlices = async (): Promise<boolean> => {
    const startedAt = performance.now();
    endsAt = deps.now() + settings.slice.wallMs;
    for (;;) {
      const wallMs = Math.max(settings.slice.wallMs - (performance.now() - startedAt), 1);
      const present = slice = makeSlice({ ...settings.slice, wallMs });
      present.releasing.addEventListener('abort', () => wake());
      try {
        const alone = suspect;
        suspect = undefined;
        if (alone !== undefined && isLeaving) await claims.handBack(alone, NOTHING);
        else if (alone !== undefined) await executeAlone(alone, present);
        if (isLeaving) present.end();
        suspect = await executeAll(present);
        if (suspect === undefined) return present.releasing.aborted;
      } finally {
        present.end();
      }
      beatWhileHolding();
      // The others go back to the queue, with all that they have come to.
      while (executing.size > 0) await news();
    }
  };

  /** A poke may come when the last look at the queue was over already. */
  const drainWhilePoked = async (): Promise<boolean> => {
    for (;;) {
      const hasMore = await executeSlices();
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
      wake();
    },
    settled: async () => {
      while (executing.size > 0) await Promise.all([...executing].map(({ ended }) => ended));
    },
  };
}
