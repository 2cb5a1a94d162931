import type { Snapshot } from '../../types/flow.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { HasCalledEffects } from './graph.ts';
import type { History, Journal, StoredNodeRun } from './journal.ts';
import type { RunLimits } from './limits.ts';
import type { NodeRegistry, NodeServices, RunInfo } from './node.ts';
import type { OutputBudget } from './output_budget.ts';
import type { Settlement } from './settlement.ts';
import type { Sleepers } from './sleepers.ts';
import type { Slice } from './slice.ts';
import type { Standstill } from './standstill.ts';
import type { CallSite } from './tree_run.ts';

/** The run is released: another claim continues it. */
export interface Release {
  status: 'released';
  /** When it continues, in milliseconds since 1970. Undefined: at once. */
  until?: number;
}

/** The run is released until somebody outside has answered, or the time for that is over. */
export interface Suspension {
  status: 'waiting';
}

/** What a root run and its interflow children share while they are executed. */
export interface Tree {
  snapshot: Snapshot;
  run: Omit<RunInfo, 'id' | 'environment'>;
  registry: NodeRegistry;
  hasCalledEffects: HasCalledEffects;
  services: NodeServices;
  journal: Journal;
  history: History;
  limits: RunLimits;
  slice: Slice;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Aborted with a Halt: no node starts any more. */
  halt: AbortSignal;
  /** Aborted with the Halt when the time is over that it leaves to running nodes. */
  cancel: AbortSignal;
  /** Aborted when the run is to be released. */
  releasing: AbortSignal;
  /** Releases the run. */
  release: () => void;
  /**
   * Counts a node execution, or another attempt of one, that is about to begin; `stored` is what an earlier claim stored of it. False: the run has had all
   * that it may have, and the tree is halted instead.
   */
  countExecution: (stored: StoredNodeRun | undefined) => boolean;
  /** Counts elements of loops: each of them is executed later, or passed over. */
  countElements: (count: number) => void;
  /** Counts bytes of values that are kept: inputs and outputs of node executions. */
  countBytes: (bytes: number) => void;
  /** How much the nodes of all runs may still put out. */
  outputs: OutputBudget;
  /** The executions that wait for a known time. */
  sleepers: Sleepers;
  /** Whether this claim has brought the run on. A run that were released each time without any progress would never end. */
  hasProgressed: () => boolean;
  /** Runs a flow for a node, as a run of its own. */
  callFlow: (caller: CallSite, flowId: number, inputs: ValueMap) => Promise<ValueMap>;
  /** Runs a flow for a node up to its first instructions, and returns these. */
  collectInstructions: (caller: CallSite, flowId: number, inputs: ValueMap) => Promise<unknown>;
  /** Settles the instructions that executions hand over. */
  settlement: Settlement;
  /** What the runs do together when none of them can continue by itself. */
  standstill: Standstill;
}
