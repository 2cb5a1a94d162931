import type { ClaimExecution } from './execute_claim.ts';
import type { RunnerSettings } from '../settings.ts';

/** The places that a worker has free. */
export interface FreePlaces {
  /** Places for runs of any owner. */
  regular: number;
  /** Reserved places: each takes one run of an owner who holds no place. They are used when no regular place is free. */
  reserved: number;
  /** The owners who hold a place. */
  ownersWithPlaces: string[];
}

type HeldRun = Pick<ClaimExecution, 'claim' | 'isResting'>;

/**
 * Counts the free places. A run that rests leaves its place to others, up to the number of resting runs that a worker may hold.
 * Owners who hold no place find a reserved one, even when one owner holds all the others.
 */
export function freePlaces(
  executing: Iterable<HeldRun>,
  { runnerConcurrency, runnerRestingRuns, runnerReservedPlaces }: RunnerSettings,
): FreePlaces {
  const held = [...executing];
  const working = held.filter((execution) => !execution.isResting());
  const most = runnerConcurrency + runnerRestingRuns;
  const regular = Math.max(Math.min(runnerConcurrency - working.length, most - held.length), 0);
  const reserved = Math.max(
    runnerReservedPlaces - Math.max(working.length - runnerConcurrency, held.length - most, 0),
    0,
  );
  // When resting runs fill the worker, they are what owners share; else it is the runs that work.
  const holding = held.length >= most ? held : working;
  return { regular, reserved, ownersWithPlaces: [...new Set(holding.map(({ claim }) => claim.user_id))] };
}

/**
 * Chooses the run that is released when no place is free for others: of the owner who holds most runs, the one that has been held
 * longest. Undefined when none has been held for a slice.
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

/** When a worker has no place free, releases one of its runs that has been held for a slice: others may wait. */
export function releaseWhenFull(executing: ClaimExecution[], settings: RunnerSettings): void {
  const { regular, reserved } = freePlaces(executing, settings);
  if (regular === 0 && reserved === 0) chooseRunToRelease(executing, settings.runnerSliceMs)?.release();
}
