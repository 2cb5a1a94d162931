import type { ClaimExecution } from './claim/claim_execution.ts';
import type { RunnerSettings } from '../settings.ts';

/** The free slots of a worker. */
export interface FreeSlots {
  /** Number of slots for runs of any owner. */
  regular: number;
  /**
   * Number of reserved slots, which are used if no regular slot is free. Each of them takes one run of an owner who
   * holds no slot.
   */
  reserved: number;
  /** The owners who hold a slot. */
  ownersWithSlots: string[];
}

type HeldRun = Pick<ClaimExecution, 'claim' | 'isResting'>;

/**
 * Counts the free slots. A resting run frees its slot, up to the number of resting runs that a worker may hold. Owners
 * who hold no slot can use a reserved slot, even if one owner holds all regular slots.
 */
export function freeSlots(
  executing: Iterable<HeldRun>,
  { runnerConcurrency, runnerRestingRuns, runnerReservedSlots }: RunnerSettings,
): FreeSlots {
  const held = [...executing];
  const working = held.filter((execution) => !execution.isResting());
  const most = runnerConcurrency + runnerRestingRuns;
  const regular = Math.max(Math.min(runnerConcurrency - working.length, most - held.length), 0);
  const reserved = Math.max(
    runnerReservedSlots - Math.max(working.length - runnerConcurrency, held.length - most, 0),
    0,
  );
  // The owner of a working run holds a slot. If the worker holds as many runs as it may, each resting run takes a slot,
  // too.
  const holding = held.length >= most ? held : working;
  return { regular, reserved, ownersWithSlots: [...new Set(holding.map(({ claim }) => claim.user_id))] };
}

/**
 * Chooses the run to release when no slot is free. From the runs of the owner who holds the most slots, takes the one
 * that has been held longest. Undefined if no run has been held for the time of a slice.
 */
export function chooseRunToRelease<Run extends HeldRun & Pick<ClaimExecution, 'heldMs' | 'isReleasing'>>(
  executing: Iterable<Run>,
  sliceMs: number,
): Run | undefined {
  const held = [...executing];
  const counts = new Map<string, number>();
  for (const { claim } of held) counts.set(claim.user_id, (counts.get(claim.user_id) ?? 0) + 1);
  const countOf = ({ claim }: Run) => counts.get(claim.user_id) ?? 0;
  return held
    .filter((execution) => !execution.isReleasing() && execution.heldMs() >= sliceMs)
    .sort((a, b) => countOf(b) - countOf(a) || b.heldMs() - a.heldMs())[0];
}

/**
 * If no slot is free, releases a run that has been held for at least the time of a slice. Other runs may wait for its
 * slot.
 */
export function releaseWhenFull(executing: ClaimExecution[], settings: RunnerSettings): void {
  const { regular, reserved } = freeSlots(executing, settings);
  if (regular === 0 && reserved === 0) chooseRunToRelease(executing, settings.runnerSliceMs)?.release();
}
