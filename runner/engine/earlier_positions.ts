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

/** The position in each of the earlier runs; undefined for a run that has no such position. */
export type EarlierPositions = readonly (EarlierPosition | undefined)[];

/**
 * The ids of the runs from which a run takes over executions, the newest first. For a called run, these are the runs
 * that the same node called earlier. An id is undefined if the node made no such call.
 */
export type EarlierRunIds = readonly (string | undefined)[];
