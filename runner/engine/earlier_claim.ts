import { codedError } from '../../types/run_errors.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { Tree } from './context.ts';
import { storedErrorOutput } from './error_output.ts';
import type { StoredNodeRun } from './journal.ts';
import { copyMap, type Outcome } from './node_values.ts';
import { TransientError } from './transient_error.ts';
import { measureMap } from './value_size.ts';

// An earlier claim stored a row for a node execution, and then its worker died or released the run. The row decides
// what this claim does:
//   - The execution has ended: it takes the stored outcome, also whether the failure was handled (takeOutcome).
//   - The execution began, and only computes or reads: it executes the node again.
//   - The execution began, and has effects outside: it fails the execution with outcome_unknown (outcomeUnknown), unless
//     the effects are idempotent. If the flow allows further attempts, this was one attempt, and another follows.
//   - An attempt failed, and the execution waits: it makes the next attempt at its time (Attempts.resume).
//   - The execution handed instructions over: it settles the sent transaction (Settlement.sentBefore), and makes no new
//     one.

/** The execution has ended: it is not run again. */
export const hasEndedBefore = (stored: StoredNodeRun | undefined): stored is StoredNodeRun & { end_time: string } =>
  stored?.end_time != null;

/** The outcome of an execution that has ended, as an earlier claim stored it. */
export function takeOutcome(tree: Tree, stored: StoredNodeRun, inputs: ValueMap): Outcome {
  tree.counters.countBytes(measureMap(inputs) + measureMap(stored.output?.M ?? {}));
  const outputs = stored.output === null ? undefined : copyMap(stored.output.M);
  return stored.errors === null
    ? { outputs: outputs ?? copyMap({}) }
    : { error: stored.errors.join('\n'), handedOver: outputs, errorOutput: storedErrorOutput(stored) };
}

const UNKNOWN_OUTCOME = codedError(
  'outcome_unknown',
  'the worker died while the node ran; the effects of the node may have happened',
);

/** The error of an attempt with effects outside whose begin an earlier claim stored: the effects may have happened. */
export const outcomeUnknown = (mayBeTriedAgain: boolean): TransientError =>
  new TransientError(mayBeTriedAgain ? UNKNOWN_OUTCOME : `${UNKNOWN_OUTCOME}, so it was not run again`);
