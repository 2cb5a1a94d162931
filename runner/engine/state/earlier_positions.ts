/**
 * A position in an earlier run. It is the position of an execution among the executions of its node, or of an entry
 * among the entries of its edge.
 */
export interface EarlierPosition {
  /** Counts from 0. For an execution, the index is its `times`. */
  index: number;
  /** True if the entry's value, or each input of the execution, is the same as in the earlier run. */
  isSame: boolean;
}

/** The position of an element of a list that the earlier run's list did not have. No entry has this index. */
export const NEW_ELEMENT: EarlierPosition = { index: -1, isSame: false };

/** The position in each of the earlier runs; undefined if the position in that run is unknown. */
export type EarlierPositions = readonly (EarlierPosition | undefined)[];

/** A run from which another run takes over executions. */
interface EarlierRun {
  id: string;
  /** True if both runs have the same inputs. A flow that was called with other inputs is also continued. */
  hasSameInputs: boolean;
}

/**
 * The runs from which a run takes over executions, the newest first. For a called run, these are the runs that the same
 * node called earlier. A run is undefined if the node made no such call.
 */
export type EarlierRunsOf = readonly (EarlierRun | undefined)[];
