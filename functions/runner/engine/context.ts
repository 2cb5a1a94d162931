import type { Graph, Snapshot } from '../../../types/flow.ts';
import type { ValueMap } from '../../../types/value.ts';
import type { History, Journal, StoredNodeRun } from './journal.ts';
import type { RunLimits } from './limits.ts';
import type { Effect, NodeRegistry, NodeServices, RunInfo } from './node.ts';
import type { Slice } from './slice.ts';

/** The run goes back to the queue, to be gone on with in another claim. */
export interface HandBack {
  status: 'handed_back';
}

/** What a root run and its interflow children share while they are executed. */
export interface Tree {
  snapshot: Snapshot;
  run: Omit<RunInfo, 'id' | 'environment'>;
  registry: NodeRegistry;
  services: NodeServices;
  journal: Journal;
  history: History;
  limits: RunLimits;
  slice: Slice;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Aborted with a Halt. */
  halt: AbortSignal;
  /**
   * Counts a node execution that is about to begin; `stored` is what an earlier claim stored of it. False: it is one too many,
   * and the tree is halted instead.
   */
  countExecution: (stored: StoredNodeRun | undefined) => boolean;
  /** Whether this claim has brought anything new: a run that goes back without would never end. */
  hasProgressed: () => boolean;
  /** Runs a flow for a node, as a run of its own. */
  callFlow: (caller: Effect, depth: number, flowId: number, inputs: ValueMap) => Promise<ValueMap>;
}

/** One run of a tree. */
export interface TreeRun {
  id: string;
  graph: Graph;
  inputs: ValueMap;
  /** 0 for the root. */
  depth: number;
  /** No earlier claim has begun it. */
  isNew: boolean;
}
