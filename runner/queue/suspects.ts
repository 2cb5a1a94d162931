import type { Slice } from '../engine/state/slice.ts';
import type { RunnerSettings } from '../settings.ts';
import { type Claim, type Claims, NO_PROGRESS } from './claim/claims.ts';
import type { ClaimExecution } from './claim/claim_execution.ts';
import type { HeldRuns } from './held_runs.ts';
import { isUsedUp } from './slices.ts';

/**
 * If this many workers in a row were lost while they executed a run, the run may have crashed them. Such a suspect is
 * executed alone, so that no other run loses its worker.
 */
const SUSPECT_LOST_CLAIMS = 2;

export const isSuspect = ({ lost_claim_count }: Claim): boolean => lost_claim_count >= SUSPECT_LOST_CLAIMS;

/** True if the suspect has stored progress, rests or has ended, which shows that it did not crash its worker. */
const isHarmless = (suspect: Pick<ClaimExecution, 'hasStored' | 'isResting'>) =>
  suspect.hasStored() || suspect.isResting();

interface ExecuteAloneDeps {
  claims: Pick<Claims, 'release'>;
  runs: Pick<HeldRuns, 'execute' | 'isExecuting' | 'nextChange'>;
  settings: Pick<RunnerSettings, 'heartbeatMs' | 'runnerLeaseSeconds'>;
}

/**
 * Makes a function that executes a suspect while no other run is executed, until the suspect has ended or proves
 * harmless. A suspect also counts as harmless after the time of a lease, and then continues while other runs are
 * executed.
 */
export function makeExecuteAlone(
  { claims, runs, settings }: ExecuteAloneDeps,
): (suspect: Claim, slice: Slice) => Promise<void> {
  return async (suspect, slice) => {
    if (isUsedUp(slice)) return await claims.release(suspect, NO_PROGRESS);
    const execution = runs.execute(suspect, slice);
    const until = performance.now() + settings.runnerLeaseSeconds * 1_000;
    while (runs.isExecuting(suspect.flow_run_id) && !isHarmless(execution) && performance.now() < until) {
      await runs.nextChange(settings.heartbeatMs);
    }
  };
}
