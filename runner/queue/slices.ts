import { makeSlice, type Slice, type SliceLimits } from '../engine/state/slice.ts';

/** The slices of a worker, one after the other. A slice is the time that a worker has for its runs (`SliceState`). */
export interface Slices {
  /**
   * Begins a drain. The slices of a drain share one limit of elapsed time, and each slice has computing time of its
   * own.
   */
  startDrain: () => void;
  /** The time at which the drain ends, in milliseconds since 1970. */
  drainEndsAt: () => number;
  next: () => Slice;
  /** Ends the current slice, and each later slice as soon as it begins. */
  endAll: () => void;
  areAllEnded: () => boolean;
}

/**
 * True if the slice is spent or over (`SliceState`). The worker then claims no run, and releases the runs that it
 * executes.
 */
export const isUsedUp = (slice: Slice): boolean => slice.state() !== 'open';

/** Makes the slices of a worker. `onOver` is called when a slice is spent or over, and by `endAll`. */
export function makeSlices(limits: SliceLimits, now: () => number, onOver: () => void): Slices {
  let drainStartedAt = 0;
  let drainEndsAt = Infinity;
  let slice: Slice | undefined;
  let areAllEnded = false;

  return {
    startDrain: () => {
      drainStartedAt = performance.now();
      drainEndsAt = now() + limits.wallMs;
    },
    drainEndsAt: () => drainEndsAt,
    next: () => {
      const wallMs = Math.max(limits.wallMs - (performance.now() - drainStartedAt), 1);
      slice = makeSlice({ ...limits, wallMs });
      slice.spent.addEventListener('abort', onOver);
      if (areAllEnded) slice.end();
      return slice;
    },
    endAll: () => {
      areAllEnded = true;
      slice?.end();
      onOver();
    },
    areAllEnded: () => areAllEnded,
  };
}
