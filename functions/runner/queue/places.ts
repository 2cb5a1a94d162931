import type { ClaimExecution } from './execute_claim.ts';
import type { RunnerSettings } from '../settings.ts';

/** What a worker can take on now. */
export interface FreePlaces {
  /** Runs of anybody. */
  regular: number;
  /** Runs of owners who hold no place, when no other is left: one of each. */
  guests: number;
  /** The owners who hold a place. */
  holders: string[];
}

type Held = Pick<ClaimExecution, 'claim' | 'isResting'>;

/**
 * Counts the places that are free. Runs that rest leave theirs to others, as far as they may be held. Whoever holds all places keeps
 * nobody else from having one: for those who have none there are places besides.
 */
export function freePlaces(
  executing: Iterable<Held>,
  { runnerConcurrency, runnerRestingRuns, runnerGuestRuns }: RunnerSettings,
): FreePlaces {
  const held = [...executing];
  const working = held.filter((execution) => !execution.isResting());
  const most = runnerConcurrency + runnerRestingRuns;
  const regular = Math.max(Math.min(runnerConcurrency - working.length, most - held.length), 0);
  const guests = Math.max(runnerGuestRuns - Math.max(working.length - runnerConcurrency, held.length - most, 0), 0);
  // Where resting runs are too many, they are what is shared out.
  const holding = held.length >= most ? held : working;
  return { regular, guests, holders: [...new Set(holding.map(({ claim }) => claim.user_id))] };
}

/** A run that makes room where others wait: of the owner who holds most, the one that was begun first, if it has had its time. */
export function whoGivesWay<T extends Held & Pick<ClaimExecution, 'heldMs' | 'isLeaving'>>(
  executing: Iterable<T>,
  sliceMs: number,
): T | undefined {
  const held = [...executing];
  const counts = new Map<string, number>();
  for (const { claim } of held) counts.set(claim.user_id, (counts.get(claim.user_id) ?? 0) + 1);
  const countOf = ({ claim }: T) => counts.get(claim.user_id) ?? 0;
  return held
    .filter((execution) => !execution.isLeaving() && execution.heldMs() >= sliceMs)
    .sort((a, b) => countOf(b) - countOf(a) || b.heldMs() - a.heldMs())[0];
}
