import type { Snapshot } from '../../types/flow.ts';
import { makeEffectsOfCalledFlow } from './graph/called_effects.ts';
import { CalledRuns } from './called_runs.ts';
import type { FlowCalls, Tree, TreeServices } from './tree/tree.ts';
import { Counters } from './tree/counters.ts';
import { executeRun } from './run/execute_run.ts';
import type { RunResult } from './state/journal.ts';
import { Lifecycle } from './state/lifecycle.ts';
import type { RunLimits } from './limits/run_limits.ts';
import type { Halt, NodeRegistry, NodeServices } from './node.ts';
import { copyMap } from './graph/outcome.ts';
import type { OutputBudget } from './limits/output_budget.ts';
import type { Release, Suspension } from './state/unended_run.ts';
import { Sleepers } from './tree/sleepers.ts';
import { Standstill } from './tree/standstill.ts';
import type { TreeRun } from './tree/tree_run.ts';

/** The signals by which a claim ends the execution of a tree. */
export interface TreeSignals {
  /** Aborted, with a Halt as its reason, when the tree must end. */
  stop?: AbortSignal | undefined;
  /** Aborted when the tree must be released, or its claim is lost. */
  releasing?: AbortSignal | undefined;
}

export interface TreeOptions extends TreeSignals, Omit<TreeServices, keyof NodeServices> {
  root: Pick<TreeRun, 'id' | 'inputs' | 'partial' | 'pins'>;
  run: Tree['run'];
  snapshot: Snapshot;
  registry: NodeRegistry;
  services: NodeServices;
  limits: RunLimits;
  outputs: OutputBudget;
  /** A waiting tree is released only if it will wait for at least this time, in milliseconds. */
  leastSleepMs: number;
}

/**
 * Calls `listener` when the signal is aborted, or now if it is aborted already. Returns a function that removes the
 * listener.
 */
function whenAborted(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  signal?.addEventListener('abort', listener);
  return () => signal?.removeEventListener('abort', listener);
}

/**
 * Halts or releases a tree when the claim's signals are aborted. Returns a function that removes the listeners, because
 * the slice outlives the tree. AbortSignal.any is not used, because its weak references to long-lived signals slow down
 * each garbage collection.
 */
function obeySignals({ lifecycle, counters, services: { slice } }: Tree, signals: TreeSignals): () => void {
  const { stop, releasing } = signals;
  const release = () => lifecycle.release();
  // Replaying the history may take a whole slice. A tree that has begun nothing new is not released then. Otherwise
  // every claim could end like this, and the run would never end.
  const onSpent = () => {
    if (counters.hasBegunAnything) release();
  };
  const removers = [
    whenAborted(slice.spent, onSpent),
    whenAborted(slice.over, release),
    whenAborted(releasing, release),
    // SAFETY: callers abort `stop` only with a Halt.
    whenAborted(stop, () => lifecycle.haltWith(stop?.reason as Halt)),
  ];
  return () => removers.forEach((remove) => remove());
}

/** Puts the parts of a tree together. */
function makeTree(options: TreeOptions): { tree: Tree; calledRuns: CalledRuns } {
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

const rootRun = ({ root, snapshot, history }: TreeOptions): TreeRun => ({
  id: root.id,
  inputs: copyMap(root.inputs),
  graph: snapshot.entry,
  flow: 'entry',
  partial: root.partial,
  pins: root.pins,
  depth: 0,
  isNew: history.isEmpty,
  earlierRuns: history.earlierRuns.roots.length > 0
    ? history.earlierRuns.roots.map((id) => ({ id, hasSameInputs: true }))
    : undefined,
  callsUnderWay: 0,
  isCollected: false,
});

/**
 * Executes a root run, and all runs that interflow nodes of the tree start. Resolves when the root run ends or is
 * released.
 */
export async function executeTree(options: TreeOptions): Promise<RunResult | Release | Suspension> {
  const { tree, calledRuns } = makeTree(options);
  const { lifecycle, standstill } = tree;
  const ignoreSignals = obeySignals(tree, options);
  try {
    const result = await executeRun(tree, rootRun(options));
    await calledRuns.settled();
    await standstill.settled();
    if (result.status === 'released') return standstill.releaseOf(result);
    for (const [name, value] of Object.entries(standstill.putOut ?? {})) result.output.M[name] ??= value;
    return result;
  } finally {
    ignoreSignals();
    lifecycle.end();
  }
}
