import type { Snapshot } from '../../../types/flow.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { Counters } from './counters.ts';
import type { EffectsOfCalledFlow } from '../graph/graph.ts';
import type { History, Journal } from '../state/journal.ts';
import type { Lifecycle } from '../state/lifecycle.ts';
import type { NodeRegistry, NodeServices, RunInfo, StepPlan } from '../node.ts';
import type { Settlement } from './settlement.ts';
import type { Sleepers } from './sleepers.ts';
import type { Slice } from '../state/slice.ts';
import type { Standstill } from './standstill.ts';
import type { CallSite } from './tree_run.ts';

/** The frozen flows of a tree, and the modules of their nodes. */
interface TreeFlows {
  snapshot: Snapshot;
  registry: NodeRegistry;
  effectsOfCalledFlow: EffectsOfCalledFlow;
}

/** The services that nodes call, and five more that only the engine calls. */
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
  /** Runs the steps of a plan to their end, and returns the outputs of the plan. */
  runSteps: (caller: CallSite, plan: StepPlan, inputs: ValueMap) => Promise<ValueMap>;
}

/**
 * The parts that all runs of a tree share while one claim executes them. A tree is a root run with the runs that its
 * nodes call.
 */
export interface Tree {
  run: Omit<RunInfo, 'id' | 'environment'>;
  flows: TreeFlows;
  services: TreeServices;
  counters: Counters;
  lifecycle: Lifecycle;
  /** Decides what happens when no run of the tree can continue by itself. */
  standstill: Standstill;
  /** The executions that wait for a known time. */
  sleepers: Sleepers;
  calls: FlowCalls;
}
