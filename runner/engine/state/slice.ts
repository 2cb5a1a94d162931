import { codedError } from '../../../types/run_errors.ts';
import { makeComputingLine } from '../../../platform/computing_line.ts';
import { networkTurn } from '../../../platform/pause.ts';
import { NodeError, Released } from '../node.ts';
import { nextState, type TransitionTable } from './transitions.ts';

/** The time for which the runs on one thread may compute together before the event loop gets a turn. */
const BREATH_MS = 20;
/** Computing of this length is brief: the next run computes without a turn for the network before it. */
const BRIEF_MS = 5;
/** If no run has computed for this time, the event loop has had a turn meanwhile. */
const IDLE_MS = 1;
/**
 * The share of a slice that a run gets for new work. It gets this share even if replaying its history took the whole
 * slice.
 */
const LEAST_SHARE = 0.25;
/** If a computation begins within this first share of a slice, the whole slice counts as available to it. */
const FRESH_SHARE = 0.1;

/**
 * The states of a slice.
 *
 * - `open`: the runs of the worker compute.
 * - `spent`: the computing time is over. Each run is released as soon as its claim has progressed.
 * - `over`: the wall-clock time is over, or the worker must end. All runs are released, with or without progress.
 */
export type SliceState = 'open' | 'spent' | 'over';
type SliceEvent = 'spend' | 'end';

export const SLICE_STATES: TransitionTable<SliceState, SliceEvent> = {
  open: { spend: 'spent', end: 'over' },
  spent: { spend: 'spent', end: 'over' },
  over: { spend: 'over', end: 'over' },
};

/**
 * The wall-clock time and the computing time that a worker's thread has. All runs that the worker executes at the same
 * time share the slice. When its time is over, the runs are released.
 */
export interface Slice {
  state: () => SliceState;
  /** Aborted when the slice is spent or over. */
  spent: AbortSignal;
  /** Aborted when the slice is over. */
  over: AbortSignal;
  /** `over`, if the slice has a limit of wall-clock time; undefined in a long-lived worker. */
  wallEnd: AbortSignal | undefined;
  /** Ends the slice before its time. */
  end: () => void;
  /** Starts the computing clock. It counts every stretch without an await. */
  startComputing: () => void;
  /** Stops the computing clock. */
  stopComputing: () => void;
  /** True if the runs have computed for so long without a pause that timers and network answers should get a turn. */
  needsBreath: () => boolean;
  /**
   * Gives timers and network answers their turn. Then the runs that called `breathe` continue one at a time, and owners
   * take turns (`makeComputingLine`).
   */
  breathe: (ownerId: string) => Promise<void>;
  /** Returns the milliseconds of computing so far. */
  spentMs: () => number;
  /**
   * The computing time that a run has for new work before it is released. It does not depend on the time for replaying
   * the history.
   */
  leastMs: number;
  /**
   * Makes the time check of one computation that starts now. `wasBegun` is true if an earlier slice began the same
   * computation and could not finish it.
   */
  makeCheck: (wasBegun: boolean) => () => void;
}

export interface SliceLimits {
  /** Milliseconds of wall-clock time. */
  wallMs: number;
  /** Milliseconds of computing. */
  busyMs: number;
}

/** The limits of a worker that no platform limits. Only `end()` ends its slice. */
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
  /** The number of computing runs. Their computing overlaps in time, so it is counted once for all of them. */
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
  /** After a run that computed briefly, the network gets no turn, because in Deno that takes longer than the run. */
  const giveWay = async (): Promise<void> => {
    if (now() - breathAt < BRIEF_MS) return;
    await networkTurn();
    breathAt = now();
  };

  const spentMs = () => busyMs + (computing === 0 ? 0 : now() - enteredAt);

  return {
    state: () => state,
    spent: spent.signal,
    over: over.signal,
    wallEnd: Number.isFinite(limits.wallMs) ? over.signal : undefined,
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
    breathe: makeComputingLine(giveWay),
    makeCheck: (wasBegun) => {
      const startMs = spentMs();
      // The second try of a computation gets a whole budget from now on. The earlier computing of
      // other runs does not count.
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
