import type { NodeRegistry } from '../../engine/node.ts';
import type { Snapshot } from '../../../types/flow.ts';
import type { WriteLog } from '../../log_line.ts';
import type { RunnerSettings } from '../../settings.ts';
import type { MemoryBudget } from '../memory/memory_budget.ts';
import type { MakeRunServices } from './claim_tree.ts';
import type { Claim, Claims } from './claims.ts';
import type { RunControl } from './run_control.ts';

/** Makes the registry for the nodes of a snapshot. Loads the code for its described nodes. */
type RegistryOfSnapshot = (snapshot: Snapshot) => Promise<NodeRegistry> | NodeRegistry;

export interface ExecuteClaimDeps {
  claims: Claims;
  registryOf: RegistryOfSnapshot;
  makeServices: MakeRunServices;
  settings: RunnerSettings;
  log: WriteLog;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Limits the memory that the runs of the worker use together. */
  memory: MemoryBudget;
}

/** A claimed run that is being executed. */
export interface ClaimExecution extends RunControl {
  claim: Claim;
  /** Resolves when this worker has finished its work on the run; never rejects. */
  ended: Promise<void>;
  /** True if the run was released and may be in the queue again. */
  isReleased: () => boolean;
  /** True if a node execution that ended in this claim is stored. The claims of lost workers did not get as far. */
  hasStored: () => boolean;
  /** True while the run waits for a time, an answer, memory, or the database that stores its outcome. */
  isResting: () => boolean;
  /** The time at which the run continues, in milliseconds since 1970, if it was released to sleep. */
  sleepsUntil: () => number | undefined;
  /** Milliseconds since the run was claimed. */
  heldMs: () => number;
  /** True if `release` was called or the claim was lost. */
  isReleasing: () => boolean;
}
