import type { RunFacts, RunnerEvent, WriteLog } from '../../log_line.ts';
import type { Claim } from './claims.ts';

/** Writes a claim's events to the log, each with the run's ids and counts. */
export interface ClaimLog {
  write: (level: 'info' | 'warn' | 'error', event: RunnerEvent) => void;
  /** Counts a node execution that has ended. */
  countExecution: () => void;
  /** Milliseconds since the run was claimed. */
  heldMs: () => number;
}

/** Makes the log of a run that is claimed now. */
export function makeClaimLog(claim: Claim, log: WriteLog, now: () => number): ClaimLog {
  const claimedAt = now();
  let executions = 0;
  const heldMs = () => now() - claimedAt;
  const facts = (): RunFacts => ({
    flow_run_id: claim.flow_run_id,
    claim_number: claim.claim_number,
    duration_ms: Math.round(heldMs()),
    node_executions: executions,
  });
  return {
    write: (level, event) => log(level, { ...event, ...facts() }),
    countExecution: () => void executions++,
    heldMs,
  };
}
