import type { Snapshot } from '../../types/flow.ts';
import { CalledRuns } from './called_runs.ts';
import { makeEffectsOfCalledFlow } from './graph/called_effects.ts';
import type { OutputBudget } from './limits/output_budget.ts';
import type { RunLimits } from './limits/run_limits.ts';
import type { NodeRegistry, NodeServices } from './node.ts';
import { Lifecycle } from './state/lifecycle.ts';
import { Counters } from './tree/counters.ts';
import { Sleepers } from './tree/sleepers.ts';
import { Standstill } from './tree/standstill.ts';
import type { FlowCalls, Tree, TreeServices } from './tree/tree.ts';
import type { TreeRun } from './tree/tree_run.ts';

/** The signals by which a claim ends the execution of a tree. */
export interface TreeSignals {
  /** Aborted, with a Halt as its reason, when the tree must end. */
  stop?: AbortSignal | undefined;
  /** Aborted when the tree must be released, or its claim is lost. */
  releasing?: AbortSignal | undefined;
}

export interface TreeOptions extends TreeSignals, Omit<TreeServices, keyof NodeServices> {
  root: Pick<TreeRun, 'id' | 'flowId' | 'inputs' | 'partial' | 'pins'>;
  run: Tree['run'];
  snapshot: Snapshot;
  registry: NodeRegistry;
  services: NodeServices;
  limits: RunLimits;
  outputs: OutputBudget;
  /** A waiting tree is released only if it will wait for at least this time, in milliseconds. */
  leastSleepMs: number;
}

/** Puts the parts of a tree together. */
export function makeTree(options: TreeOptions): { tree: Tree; calledRuns: CalledRuns } {
  const { snapshot, registry, journal, history, settlement, slice, now, limits, outputs } = options;
  const lifecycle = new Lifecycle(() => journal.leftIncomplete());
  const counters = new Counters({
    limits,
    slice,
    outputs,
    endedExecutions: history.endedExecutions,
    exceed: (message) => lifecycle.haltWith({ status: 'failed', message, graceMs: 0 }),
  });
  // If an execution falls asleep, it may have been the last awake execution of the tree, while its run already waits.
  // So the standstill checks the tree each time.
  const sleepers = new Sleepers(() => standstill.consider());
  const standstill = new Standstill({ settlement, sleepers, lifecycle, now, leastSleepMs: options.leastSleepMs });
  const calls: FlowCalls = {
    call: (...of) => calledRuns.call(...of),
    collectInstructions: (...of) => calledRuns.collectInstructions(...of),
    runSteps: (...of) => calledRuns.runSteps(...of),
  };
  const tree: Tree = {
    run: options.run,
    flows: { snapshot, registry, effectsOfCalledFlow: makeEffectsOfCalledFlow(snapshot, registry) },
    services: { ...options.services, journal, history, settlement, slice, now },
    counters,
    lifecycle,
    standstill,
    sleepers,
    calls,
  };
  const calledRuns = new CalledRuns(tree);
  return { tree, calledRuns };
}
