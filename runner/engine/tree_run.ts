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
   * The runs that this execution called in earlier runs, if the run is a redrive. The run that it calls now takes over
   * from them.
   */
  earlierRuns?: EarlierRunIds | undefined;
  /** The life of its attempt, which the called run shares. */
  lifecycle: Lifecycle;
  /** Reports the rows that are stored together with the execution's end. */
  atEnd?: () => void;
}

/** One run of a tree: the run that was started, or one that an interflow node of it called. */
export interface TreeRun {
  id: string;
  graph: Graph;
  /** The flow whose graph it is, by its id as text; `entry` for the root. */
  flow: string;
  inputs: ValueMap;
  /** 0 for the root. */
  depth: number;
  /** True if no earlier claim has begun the run. */
  isNew: boolean;
  /** The node execution that called the run; undefined for the root. */
  caller?: CallSite;
  /** The runs that it takes executions over from. */
  earlierRuns?: EarlierRunIds | undefined;
  /** Set if only some nodes of the run are executed. Called runs are always whole. */
  partial?: PartialRun | undefined;
  /** Outputs that nodes give instead of running, by node. Called runs have none. */
  pins?: Readonly<Record<string, ValueMap>> | undefined;
  /** Executions of its nodes that wait for flows that they called. */
  callsUnderWay: number;
  /** True if the first instructions of the run are collected for its caller instead of settled. */
  isCollected: boolean;
}
