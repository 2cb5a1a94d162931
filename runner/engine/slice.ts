import { codedError } from '../../types/run_errors.ts';
import { nextTurn } from '../../functions/_shared/pause.ts';
import { NodeError, Released } from './node.ts';
import { nextState, type TransitionTable } from './transitions.ts';

/** How long the runs on one thread may compute together before the event loop gets a turn. */
const BREATH_MS = 20;
/** When nothing has computed for so long, the event loop has had its turn. */
const IDLE_MS = 1;
/** The share of a slice that a run gets for new work, even when its history took all of the slice. */
const LEAST_SHARE = 0.25;
/** A computation that began within this first share of a slice had the slice to itself. */
const FRESH_SHARE = 0.1;

/**
 * The states of a slice.
 *
 * - `open`: the runs of the worker compute.
 * - `spent`: the computing time is over. Each run is released as soon as its claim has progressed.
 * - `over`: the time on the clock is over, or the worker is told to end. All runs are released, with or without progress.
 *
 * | state   | `spend` | `end`  |
 * | ------- | ------- | ------ |
 * | `open`  | `spent` | `over` |
 * | `spent` | `spent` | `over` |
 * | `over`  | `over`  | `over` |
 */
export type SliceState = 'open' | 'spent' | 'over';
export type SliceEvent = 'spend' | 'end';

export const SLICE_STATES: TransitionTable<SliceState, SliceEvent> = {
  open: { spend: 'spent', end: 'over' },
  spent: { spend: 'spent', end: 'over' },
  over: { spend: 'over', end: 'over' },
};

/**
 * The time that a worker's thread has: on the clock, and of computing. All runs that the worker executes at once share
 * it. When it is over, the runs are released.
 */
export interface Slice {
  state: () => SliceState;
  /** Aborted when the slice is spent or over. */
  spent: AbortSignal;
  /** Aborted when the slice is over. */
  over: AbortSignal;
  /** Ends it before its time. */
  end: () => void;
  /** Computing begins; every stretch without an await counts. */
  startComputing: () => void;
  /** Computing pauses. */
  stopComputing: () => void;
  /** True if the runs have computed for so long without a pause that others should have a turn. */
  needsBreath: () => boolean;
  /**
   * Lets timers and answers of the network have their turn. Then the runs that wait here continue one at a time, the
   * owners in turn: however many runs of one owner compute, a run of another owner waits for one stretch of each owner.
   */
  breathe: (ownerId: string) => Promise<void>;
  /** A clock of the computing so far. */
  spentMs: () => number;
  /** Computing that a run may do for new work before it is released, however long replaying its history took. */
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

/** Only `end()` ends it: for workers that no platform limits. */
export const UNLIMITED: SliceLimits = { wallMs: Infinity, busyMs: Infinity };

/** The error of a computation that takes longer than an Edge Function may compute. */
export const cpuLimitError = (busyMs: number): NodeError =>
  new NodeError(
    codedError(
      'node_cpu_limit',
      `not finished after ${busyMs} ms of computing, the limit of an Edge Function; ` +
        'npm run worker has no such limit',
    ),
  );

export function makeSlice(limits: SliceLimits, now: () => number = () => performance.now()): Slice {
  const spent = new AbortController();
  const over = new AbortController();
  let state: SliceState = 'open';
  let busyMs = 0;
  let enteredAt = 0;
  /** Runs that are computing. They take turns within one stretch, which is counted once. */
  let computing = 0;
  let breathAt = now();
  let leftAt = breathAt;
  const timer = Number.isFinite(limits.wallMs) ? setTimeout(() => end(), limits.wallMs) : undefined;

  const go = (event: SliceEvent) => {
    state = nextState(SLICE_STATES, state, event);
    spent.abort();
    if (state === 'over') over.abort();
  };
  const end = () => {
    clearTimeout(timer);
    go('end');
  };
  /** The waiting continuations, by owner; the owner with the next turn is first. */
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
    state: () => state,
    spent: spent.signal,
    over: over.signal,
    end,
    startComputing: () => {
      if (computing++ > 0) return;
      enteredAt = now();
      if (enteredAt - leftAt >= IDLE_MS) breathAt = enteredAt;
    },
    stopComputing: () => {
      const sumMs = spentMs();
      if (--computing === 0) {
        busyMs = sumMs;
        leftAt = now();
      }
      if (sumMs >= limits.busyMs) go('spend');
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
      // The second try of a computation gets a whole budget of its own, however much other runs have computed before
      // it.
      const isLastTry = wasBegun || startMs <= limits.busyMs * FRESH_SHARE;
      const limitMs = limits.busyMs + (wasBegun ? startMs : 0);
      return () => {
        if (spentMs() < limitMs) return;
        if (isLastTry) {
          throw cpuLimitError(limits.busyMs);
        }
        go('spend');
        throw new Released();
      };
    },
  };
}
