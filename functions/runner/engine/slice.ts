import { nextTurn } from '../../_shared/pause.ts';
import { NodeError, Released } from './node.ts';

/** How long everything that runs on one thread may work before it lets the event loop have a turn. */
const BREATH_MS = 20;
/** Nothing computed for so long: the event loop has had its turn. */
const IDLE_MS = 1;
/** The share of a slice that brings a run on, even when going through its history took all of it. */
const LEAST_SHARE = 0.25;
/** A computation that began within this share of a slice had the slice to itself. */
const FRESH_SHARE = 0.1;

/**
 * The time that one claim of the thread has: a wall clock and a budget of computing time, shared by all runs that the worker
 * executes at once. When it is over, the runs are released.
 */
export interface Slice {
  /** Aborted when the runs shall be released, as soon as they have brought something. */
  releasing: AbortSignal;
  /** Aborted when they have to, whatever they have come to: the time on the clock is over, or the worker leaves. */
  cutOff: AbortSignal;
  /** Ends it before its time. */
  end: () => void;
  /** Computing begins; every stretch without an await counts. */
  enter: () => void;
  /** Computing pauses. */
  leave: () => void;
  /** Enough was computed in one go: time for a breath. */
  needsBreath: () => boolean;
  /**
   * Lets timers and answers of the network have their turn; then those who wait go on one at a time, the owners in turn: however many
   * runs of one compute, a run of another waits for one stretch of each owner.
   */
  breathe: (ownerId: string) => Promise<void>;
  /** A clock of the computing so far. */
  spentMs: () => number;
  /** Computing that a run may do for itself before it is released, however long it took to get to where it was. */
  leastMs: number;
  /** A check for one computation that starts now; `wasBegun`: an earlier slice had begun it and could not finish. */
  makeCheck: (wasBegun: boolean) => () => void;
}

export interface SliceLimits {
  /** Milliseconds on the clock. */
  wallMs: number;
  /** Milliseconds of computing. */
  busyMs: number;
}

/** No end but `end()`: for workers that are their own masters. */
export const UNLIMITED: SliceLimits = { wallMs: Infinity, busyMs: Infinity };

/** The error of a computation that is longer than a function may compute. */
export const cpuLimitError = (busyMs: number): NodeError =>
  new NodeError(
    `node_cpu_limit: not finished after ${busyMs} ms of computing, all that an Edge Function has; ` +
      'npm run worker runs it without that limit',
  );

export function makeSlice(limits: SliceLimits, now: () => number = () => performance.now()): Slice {
  const controller = new AbortController();
  const cutOff = new AbortController();
  let busyMs = 0;
  let enteredAt = 0;
  /** Runs that are computing: they take turns within one stretch, which counts once. */
  let computing = 0;
  let breathAt = now();
  let leftAt = breathAt;
  const timer = Number.isFinite(limits.wallMs) ? setTimeout(() => end(), limits.wallMs) : undefined;

  const end = () => {
    clearTimeout(timer);
    controller.abort();
    cutOff.abort();
  };
  /** Who waits to go on, by owner, the next one first. */
  const breathing = new Map<string, (() => void)[]>();
  let isLettingGoOn = false;
  const letGoOn = async (): Promise<void> => {
    isLettingGoOn = true;
    for (;;) {
      await nextTurn();
      const [next] = breathing;
      if (next === undefined) break;
      const [ownerId, [goOn, ...others]] = next;
      breathing.delete(ownerId);
      if (others.length > 0) breathing.set(ownerId, others);
      breathAt = now();
      goOn?.();
    }
    isLettingGoOn = false;
  };

  const spentMs = () => busyMs + (computing === 0 ? 0 : now() - enteredAt);

  return {
    releasing: controller.signal,
    cutOff: cutOff.signal,
    end,
    enter: () => {
      if (computing++ > 0) return;
      enteredAt = now();
      if (enteredAt - leftAt >= IDLE_MS) breathAt = enteredAt;
    },
    leave: () => {
      const spent = spentMs();
      if (--computing === 0) {
        busyMs = spent;
        leftAt = now();
      }
      if (spent >= limits.busyMs) controller.abort();
    },
    spentMs,
    leastMs: Number.isFinite(limits.busyMs) ? limits.busyMs * LEAST_SHARE : 0,
    needsBreath: () => now() - breathAt >= BREATH_MS,
    breathe: (ownerId) =>
      new Promise((resolve) => {
        breathing.set(ownerId, [...breathing.get(ownerId) ?? [], resolve]);
        if (!isLettingGoOn) void letGoOn();
      }),
    makeCheck: (wasBegun) => {
      const startMs = spentMs();
      // Begun for the second time it gets a whole budget of its own, whatever ran before it.
      const isLastTry = wasBegun || startMs <= limits.busyMs * FRESH_SHARE;
      const limitMs = limits.busyMs + (wasBegun ? startMs : 0);
      return () => {
        if (spentMs() < limitMs) return;
        if (isLastTry) {
          throw cpuLimitError(limits.busyMs);
        }
        controller.abort();
        throw new Released();
      };
    },
  };
}
