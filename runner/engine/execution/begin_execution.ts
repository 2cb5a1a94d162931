import type { ValueMap } from '../../../types/values/value.ts';
import type { RunNode } from '../graph/graph.ts';
import type { Failure } from '../graph/outcome.ts';
import { heldByMap } from '../limits/value_size.ts';
import type { Tree } from '../tree/tree.ts';
import type { TreeRun } from '../tree/tree_run.ts';
import { AttemptedExecution } from './attempted_execution.ts';
import { hasEndedBefore, takeOutcome } from './earlier_claim.ts';
import type { Execution, KnownExecution } from './execution.ts';
import { pinnedExecution } from './pinned_outputs.ts';

/**
 * Begins one execution of a node. If an earlier claim has stored a row for the execution, `earlier_claim.ts` describes
 * what follows.
 */
export function beginExecution(
  tree: Tree,
  run: TreeRun,
  node: RunNode,
  times: number,
  inputs: ValueMap,
  known: KnownExecution,
): Execution {
  const { stored, takenOver } = known;
  const asStored = { record: () => {}, handle: (failure: Failure) => failure };
  if (hasEndedBefore(stored)) return { outcome: takeOutcome(tree, stored, inputs), ...asStored };
  const tooMuch = takenOver && tree.counters.outputs.take(heldByMap(takenOver.output?.M ?? {}));
  if (takenOver !== undefined && tooMuch === undefined) {
    tree.services.journal.nodeTakenOver({ flow_run_id: run.id, node_id: node.id, times }, takenOver);
    return { outcome: takeOutcome(tree, takenOver, inputs), ...asStored };
  }
  const fault = tooMuch ?? known.fault;
  const pinned = run.pins?.[node.id];
  if (pinned !== undefined && fault === undefined) return pinnedExecution(tree, run, { node, times, inputs, pinned });
  return new AttemptedExecution(tree, run, node, times, inputs, known, fault).begin();
}
