import type { RunRow } from 'flow-deployments-client';
import type { DrawnEdge } from '../graph/drawn_node.ts';
import type { NodeState } from '../graph/node_card.tsx';
import type { ShownExecution } from './use_live_run.ts';

/** The most error lines at a node. */
const FAULTS_SHOWN = 3;
const FAULT_LENGTH = 300;

/**
 * Returns the state of one execution. A failure that went to the output `error` is handled. An unfinished execution of
 * an ended run counts as stopped. An execution that waits for a person counts as waiting.
 */
export const stateOf = (
  { end_time, errors, error_handled, waits_for_person }: ShownExecution,
  hasRunEnded: boolean,
): NodeState =>
  errors !== null
    ? error_handled ? 'handled' : 'failed'
    : end_time !== null
    ? 'succeeded'
    : hasRunEnded
    ? 'stopped'
    : waits_for_person === true
    ? 'waiting'
    : 'running';

/** If the executions of a node have several states, the state with the greatest weight is shown. */
const WEIGHTS: Record<NodeState, number> = {
  'not begun': 0,
  'not run': 0,
  succeeded: 1,
  handled: 1.5,
  stopped: 2,
  waiting: 2.5,
  running: 3,
  failed: 4,
};

/** Returns the state of each node, by its id. */
export function nodeStates(
  nodeIds: Iterable<string>,
  executions: readonly ShownExecution[],
  run: Pick<RunRow, 'end_time'>,
): Map<string, NodeState> {
  const hasEnded = run.end_time !== null;
  const states = new Map<string, NodeState>();
  for (const id of nodeIds) states.set(id, hasEnded ? 'not run' : 'not begun');
  const begun = new Set<string>();
  for (const execution of executions) {
    const { node_id } = execution;
    const state = stateOf(execution, hasEnded);
    if (!begun.has(node_id) || WEIGHTS[state] > WEIGHTS[states.get(node_id) ?? 'not run']) states.set(node_id, state);
    begun.add(node_id);
  }
  return states;
}

/**
 * Returns, for each node that did not run because of failures, the failed nodes before it, with only nodes between them
 * that did not run either. Failures that the flow handles do not count.
 */
export function failuresBefore(
  edges: readonly DrawnEdge[],
  executions: readonly ShownExecution[],
): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { source, target } of edges) targets.set(source, [...targets.get(source) ?? [], target]);
  const begun = new Set(executions.map(({ node_id }) => node_id));
  const failed = new Set(
    executions.filter(({ errors, error_handled }) => errors !== null && !error_handled).map(({ node_id }) => node_id),
  );
  const causes = new Map<string, string[]>();
  for (const cause of failed) {
    const behind = new Set(targets.get(cause));
    for (const id of behind) {
      if (begun.has(id)) continue;
      causes.set(id, [...causes.get(id) ?? [], cause]);
      for (const next of targets.get(id) ?? []) behind.add(next);
    }
  }
  return causes;
}

/** Says which nodes failed, so that another node did not run, such as `because “Get” failed`. */
export function describeFailures(titles: readonly string[]): string {
  const [first, ...others] = titles;
  return others.length === 0
    ? `because “${first}” failed`
    : `because “${first}” and ${others.length === 1 ? 'another node' : `${others.length} other nodes`} failed`;
}

/** Returns the first errors of each node, without the errors that the flow handles. */
export function nodeFaults(executions: readonly ShownExecution[]): Map<string, string[]> {
  const faults = new Map<string, string[]>();
  for (const { node_id, times, errors, error_handled } of executions) {
    const lines = faults.get(node_id) ?? [];
    if (errors === null || error_handled || lines.length >= FAULTS_SHOWN) continue;
    const place = times > 0 ? `#${times} ` : '';
    faults.set(node_id, [...lines, ...errors.map((line) => `${place}${line.slice(0, FAULT_LENGTH)}`)]);
  }
  return faults;
}
