/**
 * The position, in an earlier run, of an execution among the executions of its node, or of an entry among the entries
 * of its edge.
 */
export interface EarlierPosition {
  /** Counts from 0. For an execution, the index is its `times`. */
  index: number;
  /** True if the value of an entry, or all inputs of an execution, are the same as in the earlier run. */
  isSame: boolean;
}

/** The position in each of the earlier runs; undefined for a run that has no such position. */
export type EarlierPositions = readonly (EarlierPosition | undefined)[];

/**
 * The ids of the runs from which a run takes executions over, the newest first. An id is undefined if that earlier run
 * did not call the flow at this place.
 */
export type EarlierRunIds = readonly (string | undefined)[];
