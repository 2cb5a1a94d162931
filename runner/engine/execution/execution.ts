import type { Failure, Outcome } from '../graph/outcome.ts';
import type { Again, Handover } from '../tree/settlement.ts';

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
