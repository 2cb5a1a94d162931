import type { Graph } from '../../../types/flow.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { EarlierRunsOf } from '../state/earlier_positions.ts';
import type { RunNode } from '../graph/graph.ts';
import type { Lifecycle } from '../state/lifecycle.ts';
import type { Effect, StepPlan } from '../node.ts';
import type { PartialRun } from '../graph/partial_run.ts';

/** The node execution that calls a flow. */
export interface CallSite {
  execution: Effect;
  node: RunNode;
  run: TreeRun;
  /**
   * In a redrive, the runs that this execution called in the earlier runs. The run that it calls now takes over
   * executions from these runs.
   */
  earlierRuns?: EarlierRunsOf | undefined;
  /** The lifecycle of the attempt. The called run has the same lifecycle. */
  lifecycle: Lifecycle;
  /** Reports further rows, which are stored together with the execution's end. */
  atEnd?: () => void;
}

/** One run of a tree: the run that was started, or a run that one of its nodes called. */
export interface TreeRun {
  id: string;
  /** For a run of steps, a graph without nodes. */
  graph: Graph;
  /** The flow of the run, by its key in the snapshot: its id as text, or `entry`. A run of steps belongs to its caller's. */
  flow: string;
  flowId: number;
  /** Set if the run has steps instead of the nodes of a flow. */
  plan?: StepPlan | undefined;
  inputs: ValueMap;
  /** 0 for the root. */
  depth: number;
  /** True if no earlier claim has begun the run. */
  isNew: boolean;
  /** The node execution that called the run; undefined for the root. */
  caller?: CallSite;
  /** The runs from which the run takes over executions. */
  earlierRuns?: EarlierRunsOf | undefined;
  /** Set if only some nodes of the run are executed. Called runs are always whole. */
  partial?: PartialRun | undefined;
  /** The outputs that the start has fixed ("pinned"), by node. Such nodes do not run. Called runs have no pins. */
  pins?: Readonly<Record<string, ValueMap>> | undefined;
  /** The number of the run's executions that wait for a called flow. */
  callsUnderWay: number;
  /** True if the run's first instructions go to its caller instead of into a transaction. */
  isCollected: boolean;
}
