import { makeTree, type TreeOptions, type TreeSignals } from './make_tree.ts';
import type { Tree } from './tree/tree.ts';
import { executeRun } from './run/execute_run.ts';
import type { RunResult } from './state/journal.ts';
import type { Halt } from './node.ts';
import { copyMap } from './graph/outcome.ts';
import type { Release, Suspension } from './state/unended_run.ts';
import type { TreeRun } from './tree/tree_run.ts';

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

const rootRun = ({ root, snapshot, history }: TreeOptions): TreeRun => ({
  id: root.id,
  inputs: copyMap(root.inputs),
  graph: snapshot.entry,
  flow: 'entry',
  flowId: root.flowId,
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
