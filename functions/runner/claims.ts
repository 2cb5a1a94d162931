import type { Rpc } from '../_shared/database.ts';
import type { ExecuteResult, LogLine, NodeRun } from './engine/execute.ts';
import type { ValueMap } from '../../types/value.ts';

/** A run that this worker may execute until its lease is over. */
export interface Claim {
  flow_run_id: string;
  message_id: number;
  /** Which claim of the run this is; what an older one writes is refused. */
  attempt: number;
  flow_id: number;
  user_id: string;
  started_by: string | null;
  inputs: { M: ValueMap };
  snapshot_hash: string;
  /** JSON text; null when the worker said that it knows the hash. */
  snapshot: string | null;
  /** What earlier claims stored. */
  node_runs: NodeRun[];
  /** Log lines that earlier claims stored. */
  log_count: number;
}

/** What a worker stores of a run's progress. */
export interface Progress {
  node_runs: NodeRun[];
  logs: (LogLine & { log_index: number })[];
}

/** News of a held claim. */
export interface ClaimNews {
  flow_run_id: string;
  /** Somebody else has the run, or it has ended. */
  is_lost: boolean;
  is_stop_requested: boolean;
  stop_reason: string | null;
  stop_timeout_millies: number | null;
}

/** The queue of runs and their records, through the runner's SQL functions. */
export interface Claims {
  claim: (maxRuns: number, knownSnapshots: string[]) => Promise<Claim[]>;
  /** Stores progress and holds the claim for another lease. */
  checkpoint: (claim: Claim, progress: Progress) => Promise<void>;
  /** Holds the claims for another lease; tells which are lost or shall stop. */
  heartbeat: (claims: Claim[]) => Promise<ClaimNews[]>;
  /** Stores the rest and ends the run. */
  finish: (
    claim: Claim,
    progress: Progress,
    result: ExecuteResult,
  ) => Promise<void>;
}

export const makeClaims = (rpc: Rpc, leaseSeconds: number): Claims => {
  const held = ({ flow_run_id, message_id, attempt }: Claim) => ({
    flow_run_id,
    message_id,
    attempt,
  });
  return {
    claim: (maxRuns, knownSnapshots) =>
      rpc('claim_flow_runs', {
        max_runs: maxRuns,
        lease_seconds: leaseSeconds,
        known_snapshots: knownSnapshots,
      }),
    checkpoint: (claim, progress) =>
      rpc('checkpoint_flow_run', {
        ...held(claim),
        lease_seconds: leaseSeconds,
        ...progress,
      }),
    heartbeat: (claims) =>
      rpc('heartbeat_flow_runs', {
        claims: claims.map(held),
        lease_seconds: leaseSeconds,
      }),
    finish: (claim, progress, result) => rpc('finish_flow_run', { ...held(claim), ...progress, ...result }),
  };
};
