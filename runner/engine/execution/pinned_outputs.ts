import type { ValueMap } from '../../../types/values/value.ts';
import type { Tree } from '../tree/tree.ts';
import { ExecutionRecord } from './reported_row.ts';
import type { RunNode } from '../graph/graph.ts';
import type { Execution } from './execution.ts';
import { copyMap, toOutcome } from '../graph/outcome.ts';
import type { TreeRun } from '../tree/tree_run.ts';
import { measureMap } from '../limits/value_size.ts';

interface PinnedNode {
  node: RunNode;
  times: number;
  inputs: ValueMap;
  pinned: ValueMap;
}

/**
 * Begins an execution of a pinned node. The start of the run has fixed the outputs of such a node, so the node does not
 * run. The execution records the node's inputs, and ends at once with the fixed outputs.
 */
export function pinnedExecution(tree: Tree, run: TreeRun, { node, times, inputs, pinned }: PinnedNode): Execution {
  const { counters } = tree;
  counters.countBytes(measureMap(inputs));
  const record = new ExecutionRecord(tree, { flow_run_id: run.id, node_id: node.id, times }, inputs, undefined);
  record.row.is_pinned = true;
  const limits = { maxBytes: counters.limits.outputBytes, take: counters.outputs.take };
  return {
    outcome: toOutcome(node, inputs, copyMap(pinned), limits),
    record: (outcome) => record.end(outcome),
    handle: (failure) => failure,
  };
}
