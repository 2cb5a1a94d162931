import { nextTurn } from '../../_shared/pause.ts';
import type { Slice } from '../engine/slice.ts';
import type { HeldRuns } from './held_runs.ts';
import type { FreePlaces } from './places.ts';
import type { Polling } from './polling.ts';
import type { QueueWatch } from './queue_watch.ts';
import { isOver, type Slices } from './slices.ts';

/** How long the worker waits for a change in a slice that is over. */
const RELEASE_MS = 1_000;

export interface WaitForChangeDeps {
  runs: Pick<HeldRuns, 'count' | 'nextChange'>;
  polling: Pick<Polling, 'isQuiet' | 'patienceMs' | 'waited'>;
  slices: Pick<Slices, 'areAllEnded'>;
  places: () => FreePlaces;
  /** Tells of runs that it may claim. */
  watch?: QueueWatch | undefined;
}

/**
 * Makes a function that waits until a run has ended or rests, somebody pokes, the slice is over, or it is time for a look at the queue.
 *
 * It resolves with false when the slice is over and its runs neither end nor compute for a while. Such a run can't be released now,
 * because of a request that must not be repeated: it goes on beside the next slice and keeps nobody waiting. A worker that releases
 * all runs waits for such runs too.
 */
export function makeWaitForChange(
  { runs, polling, slices, places, watch }: WaitForChangeDeps,
): (slice: Slice) => Promise<boolean> {
  return async (slice) => {
    if (isOver(slice) || places().regular === 0) watch?.stop();
    else if (polling.isQuiet()) watch?.start();
    const count = runs.count();
    const spentMs = slice.spentMs();
    const hasChanged = await runs.nextChange(isOver(slice) ? RELEASE_MS : polling.patienceMs(places()));
    const isStuck = isOver(slice) && !hasChanged && slice.spentMs() === spentMs;
    if (isStuck && !slices.areAllEnded()) return false;
    // Runs that end in the same turn of the event loop leave their places to one claim.
    await nextTurn();
    polling.waited({
      hasChanged,
      hasFewerRuns: runs.count() < count,
      isIdle: runs.count() === 0,
      isWatched: watch?.isOn() ?? false,
    });
    return true;
  };
}
