import type { Failure, Outcome } from './node_values.ts';
import type { Again, Handover } from './settlement.ts';

/** One execution of a node that has begun. */
export interface Execution {
  /**
   * The outcome, at once or later. Rejects with Released if the node stopped because its run is released. For an
   * instruction node it is the handover, because the node ends only when its instructions are settled.
   */
  outcome: Outcome | Handover | Promise<Outcome | Handover>;
  /** Records the outcome, once. */
  record: (outcome: Outcome) => void;
  /** Makes a failure the output of the node, if the flow handles it. Called before `record`. */
  handle: (failure: Failure) => Failure;
  /** Only of an execution that may be tried again after its transaction has failed. */
  again?: Again | undefined;
}
