import type { Graph } from '../../types/flow.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { EarlierRunIds } from './earlier_positions.ts';
import type { RunNode } from './graph.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Effect } from './node.ts';
import type { PartialRun } from './partial_run.ts';

/** The node execution that calls a flow. */
export interface CallSite {
  execution: Effect;
  node: RunNode;
  run: TreeRun;
  /**
   * In a redrive: the runs that this execution called in the earlier runs. The newly called run takes over executions
   * from them.
   */
  earlierRuns?: EarlierRunIds | undefined;
  /** The lifecycle of the attempt, which the called run shares. */
  lifecycle: Lifecycle;
  /** Reports the rows that are stored together with the execution's end. */
  atEnd?: () => void;
}

/** One run of a tree: the run that was started, or a run that one of its interflow nodes called. */
export interface TreeRun {
  id: string;
  graph: Graph;
  /** The flow of the run: its id as text, or `entry` for the root. */
  flow: string;
  inputs: ValueMap;
  /** 0 for the root. */
  depth: number;
  /** True if no earlier claim has begun the run. */
  isNew: boolean;
  /** The node execution that called the run; undefined for the root. */
  caller?: CallSite;
  /** The runs from which the run takes over executions. */
  earlierRuns?: EarlierRunIds | undefined;
  /** Set if only some nodes of the run are executed. Called runs are always whole. */
  partial?: PartialRun | undefined;
  /** The pinned outputs of nodes that do not run, by node. Called runs have no pins. */
  pins?: Readonly<Record<string, ValueMap>> | undefined;
  /** The number of its executions that wait for flows that they called. */
  callsUnderWay: number;
  /** True if the run's first instructions are collected for its caller instead of being made into a transaction. */
  isCollected: boolean;
}
