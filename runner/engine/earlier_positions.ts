/** The position of an execution, or of an entry among those of its edge, in an earlier run. */
export interface EarlierPosition {
  /** Counts from 0: for an execution it is its `times`. */
  index: number;
  /** True if the value of an entry, or all inputs of an execution, are the same as in the earlier run. */
  isSame: boolean;
}

/** Positions in each of the earlier runs; undefined in a run that had nothing there. */
export type EarlierPositions = readonly (EarlierPosition | undefined)[];

/** The runs that a run takes executions over from, by id, the newest first; undefined: in this one the flow was not called from here. */
export type EarlierRunIds = readonly (string | undefined)[];
