import type { Snapshot } from '../../types/flow.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { Counters } from './counters.ts';
import type { HasCalledEffects } from './graph.ts';
import type { History, Journal } from './journal.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { NodeRegistry, NodeServices, RunInfo } from './node.ts';
import type { Settlement } from './settlement.ts';
import type { Sleepers } from './sleepers.ts';
import type { Slice } from './slice.ts';
import type { Standstill } from './standstill.ts';
import type { CallSite } from './tree_run.ts';

/** The frozen flows of a tree, and the modules of their nodes. */
export interface TreeFlows {
  snapshot: Snapshot;
  registry: NodeRegistry;
  hasCalledEffects: HasCalledEffects;
}

/** The services of the nodes, and five more that the engine of a tree itself calls. */
export interface TreeServices extends NodeServices {
  /** Receives reports of the events in this claim. */
  journal: Journal;
  /** The stored results of earlier claims. */
  history: History;
  /** Settles the instructions that executions hand over. */
  settlement: Settlement;
  slice: Slice;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Runs flows for nodes, each as a run of its own. */
export interface FlowCalls {
  /** Runs a flow to its end, and returns its outputs. */
  call: (caller: CallSite, flowId: number, inputs: ValueMap) => Promise<ValueMap>;
  /** Runs a flow up to its first instructions, and returns these. */
  collectInstructions: (caller: CallSite, flowId: number, inputs: ValueMap) => Promise<unknown>;
}

/** The parts that a root run and all runs that its nodes call share while one claim executes them. */
export interface Tree {
  run: Omit<RunInfo, 'id' | 'environment'>;
  flows: TreeFlows;
  services: TreeServices;
  counters: Counters;
  lifecycle: Lifecycle;
  /** Decides what all runs do together when none of them can continue by itself. */
  standstill: Standstill;
  /** The executions that wait for a known time. */
  sleepers: Sleepers;
  calls: FlowCalls;
}
