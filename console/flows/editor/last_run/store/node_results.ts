import type { ValueMap } from 'flow-deployments-client';
import type { DrawnEdge } from '../../../../shared/graph/drawn_node.ts';
import type { NodeState } from '../../../../shared/graph/node_card.tsx';
import { describeFailures, failuresBefore, nodeFaults, nodeStates } from '../../../../shared/run/node_states.ts';
import type { ShownExecution } from '../../../../shared/run/use_live_run.ts';

/** The parts of a run from which the results of its nodes are computed. */
export interface DraftRun {
  id: string;
  end_time: string | null;
  /** The nodes that never started; null until the run has ended. */
  not_run: readonly string[] | null;
  /** The nodes of a partial run; undefined for a run of all nodes. */
  only: ReadonlySet<string> | undefined;
  executions: readonly ShownExecution[];
  /** The outputs of the first execution of each node. */
  outputs: ReadonlyMap<string, ValueMap>;
}

/** The result of a node, from the newest run that executes this node. */
export interface NodeResult {
  runId: string;
  state: NodeState;
  /** Why the node did not run, such as `because “Get” failed`; undefined if no failure is the reason. */
  reason: string | undefined;
  /** The executions of the node. In a loop a node has several. */
  executions: readonly ShownExecution[];
  /** The outputs of the first execution; undefined until it has outputs. */
  outputs: ValueMap | undefined;
  /** The first errors that the flow does not handle. */
  faults: readonly string[];
  /** True if the run used the pinned outputs instead of executing the node. */
  isPinned: boolean;
  /** True if `runId` is the newest run. If false, all newer runs executed only other nodes. */
  isNewest: boolean;
}

const NO_FAULTS: readonly string[] = [];
const NO_FAILURES: ReadonlyMap<string, readonly string[]> = new Map();

/** Returns the nodes that a run executes. */
function selectedBy({ end_time, not_run, only, executions }: DraftRun, nodeIds: readonly string[]): Set<string> {
  // After the end of a run, `not_run` has the nodes that the run should have executed but did not.
  const others = end_time !== null ? not_run ?? [] : only ?? nodeIds;
  return new Set([...executions.map(({ node_id }) => node_id), ...others]);
}

function executionsByNode(executions: readonly ShownExecution[]): Map<string, ShownExecution[]> {
  const byNode = new Map<string, ShownExecution[]>();
  for (const execution of executions) {
    const known = byNode.get(execution.node_id);
    if (known === undefined) byNode.set(execution.node_id, [execution]);
    else known.push(execution);
  }
  return byNode;
}

/** The parts of the drawn flow that the results depend on. */
export interface DrawnFlow {
  /** The titles of the nodes, by their ids. */
  titles: ReadonlyMap<string, string>;
  edges: readonly DrawnEdge[];
}

/**
 * Returns the result of each node. If the newest run executed only some nodes, the results of the others come from
 * earlier runs.
 *
 * @param runs The runs, the newest first.
 */
export function nodeResults(runs: readonly DraftRun[], { titles, edges }: DrawnFlow): Map<string, NodeResult> {
  const nodeIds = [...titles.keys()];
  const results = new Map<string, NodeResult>();
  for (const run of runs) {
    const decided = [...selectedBy(run, nodeIds)].filter((id) => !results.has(id));
    const states = nodeStates(decided, run.executions, run);
    const faults = nodeFaults(run.executions);
    const failures = run.end_time === null ? NO_FAILURES : failuresBefore(edges, run.executions);
    const byNode = executionsByNode(run.executions);
    for (const id of decided) {
      const executions = byNode.get(id) ?? [];
      const failed = failures.get(id);
      results.set(id, {
        runId: run.id,
        state: states.get(id) ?? 'not begun',
        reason: failed && describeFailures(failed.map((cause) => titles.get(cause) ?? cause)),
        executions,
        outputs: run.outputs.get(id),
        faults: faults.get(id) ?? NO_FAULTS,
        isPinned: executions[0]?.is_pinned === true,
        isNewest: run === runs[0],
      });
    }
  }
  return results;
}
