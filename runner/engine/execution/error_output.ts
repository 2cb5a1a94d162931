import { errorCode, type RunErrorCode } from '../../../types/run_errors.ts';
import type { Value } from '../../../types/values/value.ts';
import type { RunNode } from '../graph/graph.ts';
import type { StoredNodeRun } from '../state/journal.ts';
import type { Lifecycle } from '../state/lifecycle.ts';
import type { Failure } from '../graph/outcome.ts';

// If a node has `data.on_error`, its failure becomes a value of its output `error`, and the run does not fail. The
// stored row keeps the error and, in `error_handled`, that the flow handled it. The value itself is not stored, because
// each claim can make it from the row.

/**
 * The errors that no flow may handle. They end a run, tell that a worker was lost, that a partial run lacks a value, or
 * that a redrive would repeat an effect.
 */
const NEVER_HANDLED: ReadonlySet<string> = new Set<RunErrorCode>([
  'outcome_unknown',
  'worker_lost',
  'node_executions_limit',
  'run_time_limit',
  'run_size_limit',
  'run_outputs_limit',
  'open_nodes_limit',
  'value_missing',
  'effect_already_done',
]);

/** Matches an error line of a called run. The line has the title, the id and the iteration of a node, then the code. */
const LINE_OF_CALLED_RUN = / [0-9a-f-]{36}(?:#\d{1,10})?: ([a-z_]{1,40}): /;

/**
 * Tests whether an error is one that no flow may handle. If the node called a flow, the codes of the errors in that
 * flow also count.
 */
const isNeverHandled = (message: string): boolean =>
  message.split('\n').some((line) =>
    NEVER_HANDLED.has(errorCode(line) ?? '') || NEVER_HANDLED.has(LINE_OF_CALLED_RUN.exec(line)?.[1] ?? '')
  );

/** The value of the output `error`. */
const makeErrorOutput = (nodeId: string, attempt: number, message: string): Value => {
  const code = errorCode(message);
  return {
    M: {
      message: { S: message },
      code: code === undefined ? { N: 0 } : { S: code },
      node_id: { S: nodeId },
      attempt: { U: String(attempt) },
    },
  };
};

/**
 * The value that a stored execution gave to the output `error`. It is undefined if the execution has no handled
 * failure.
 */
export const storedErrorOutput = (
  { node_id, attempt, errors, error_handled }: Pick<StoredNodeRun, 'node_id' | 'attempt' | 'errors' | 'error_handled'>,
): Value | undefined =>
  errors === null || error_handled !== true ? undefined : makeErrorOutput(node_id, attempt, errors.join('\n'));

/** If the flow may handle the last failure of an execution, adds the value of the output `error` to the failure. */
export function handleFailure(node: RunNode, lifecycle: Lifecycle, attempt: number, failure: Failure): Failure {
  if (!node.hasErrorOutput || lifecycle.halt !== undefined || isNeverHandled(failure.error)) return failure;
  return { ...failure, errorOutput: makeErrorOutput(node.id, attempt, failure.error) };
}
