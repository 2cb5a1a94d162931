import type { Failure, Outcome } from '../graph/outcome.ts';
import type { EarlierRunsOf } from '../state/earlier_positions.ts';
import type { StoredNodeRun } from '../state/journal.ts';
import type { Again, Handover } from '../tree/settlement.ts';

/**
 * The facts that are known about an execution before it begins. They come from the rows of earlier claims and of
 * earlier runs.
 */
export interface KnownExecution {
  /** The row that an earlier claim stored for the execution. */
  stored: StoredNodeRun | undefined;
  /** The execution at the same position in a run from which this run was redriven. */
  takenOver: StoredNodeRun | undefined;
  /** The runs that the execution called in the earlier runs of a redrive. */
  calledRuns: EarlierRunsOf | undefined;
  /** The error of an edge's expression, with which the execution fails. */
  fault: string | undefined;
}

/** One execution of a node that has begun. */
export interface Execution {
  /**
   * The outcome, or a promise of it. If the node stops because its run is released, the promise rejects with Released.
   * An instruction node gives a handover instead of an outcome, because it ends only when its instructions are settled.
   */
  outcome: Outcome | Handover | Promise<Outcome | Handover>;
  /** Records the outcome, once. */
  record: (outcome: Outcome) => void;
  /**
   * Returns the failure. If the flow handles the failure, the result has the value of the output `error`. Called before
   * `record`.
   */
  handle: (failure: Failure) => Failure;
  /** Present only if the execution may be tried again after its transaction has failed. */
  again?: Again | undefined;
}
