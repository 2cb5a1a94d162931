import { nextTurn } from '../../platform/pause.ts';
import type { Slice } from '../engine/state/slice.ts';
import type { HeldRuns } from './held_runs.ts';
import type { FreeSlots } from './slots.ts';
import type { Polling } from './polling.ts';
import type { QueueWatch } from './queue_watch.ts';
import { isUsedUp, type Slices } from './slices.ts';

/** Time for which the worker waits for the release of its runs when the slice is used up. */
const RELEASE_MS = 200;

/** After that time, the worker waits this long at a time to see whether a run computes. */
const COMPUTING_MS = 20;

interface WaitForChangeDeps {
  runs: Pick<HeldRuns, 'count' | 'nextChange'>;
  polling: Pick<Polling, 'isQuiet' | 'patienceMs' | 'waited'>;
  slices: Pick<Slices, 'areAllEnded'>;
  slots: () => FreeSlots;
  /** Notifies the worker of claimable runs. */
  watch?: QueueWatch | undefined;
}

/**
 * Makes a function that waits for a change. A change is a run that ends or rests, a poke, the end of the slice, or the
 * time for a look at the queue.
 *
 * The function resolves with false if the slice has been used up for a while and its runs do not compute. Each of these
 * runs waits for a request that must not be repeated, or is still being stored. Such a run continues during the next
 * slice and delays no other run, however often the worker is poked. A worker that releases all runs waits even for such
 * runs.
 */
export function makeWaitForChange(
  { runs, polling, slices, slots, watch }: WaitForChangeDeps,
): (slice: Slice) => Promise<boolean> {
  /** The slice that was used up last, and the time until which the worker waits for the release of its runs. */
  let usedUp: { slice: Slice; until: number } | undefined;

  const waitMs = (slice: Slice): number => {
    if (!isUsedUp(slice)) return polling.patienceMs(slots());
    if (slices.areAllEnded()) return Infinity;
    if (usedUp?.slice !== slice) usedUp = { slice, until: performance.now() + RELEASE_MS };
    return Math.max(usedUp.until - performance.now(), COMPUTING_MS);
  };

  return async (slice) => {
    if (isUsedUp(slice) || slots().regular === 0) watch?.stop();
    else if (polling.isQuiet()) watch?.start();
    const count = runs.count();
    const spentMs = slice.spentMs();
    const hasChanged = await runs.nextChange(waitMs(slice));
    const isLate = usedUp?.slice === slice && performance.now() >= usedUp.until;
    if (isLate && slice.spentMs() === spentMs && !slices.areAllEnded()) return false;
    // Waits for the other runs that end in this turn of the event loop, so that one claim can fill all freed slots.
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
