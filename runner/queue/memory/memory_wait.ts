import type { Slice } from '../../engine/state/slice.ts';
import type { Claim } from '../claim/claims.ts';
import type { HeldMemory, MemoryBudget } from './memory_budget.ts';
import type { OwnRunControl } from '../claim/run_control.ts';

interface MemoryWaitOptions {
  memory: MemoryBudget;
  claim: Claim;
  control: OwnRunControl;
  slice: Slice;
  heldMs: () => number;
  /** Called when the run has to wait. */
  onRest: () => void;
}

/** A claimed run's wait until its stored outputs fit into the worker's memory. */
interface MemoryWait {
  /** Resolves with undefined if the run must be released before it fits. */
  admitted: () => Promise<HeldMemory | undefined>;
  isWaiting: () => boolean;
}

export function makeMemoryWait(options: MemoryWaitOptions): MemoryWait {
  const { memory, claim, control, slice, heldMs, onRest } = options;
  const { release, stopping, releasing } = control;
  let isWaiting = false;
  return {
    admitted: async () => {
      const admitting = memory.admit(
        {
          ownerId: claim.user_id,
          bytes: claim.output_bytes + (claim.earlier_output_bytes ?? 0),
          release,
          heldMs,
          stopping,
        },
        [slice.spent, releasing],
      );
      if (!(admitting instanceof Promise)) return admitting;
      isWaiting = true;
      onRest();
      return await admitting.finally(() => isWaiting = false);
    },
    isWaiting: () => isWaiting,
  };
}
