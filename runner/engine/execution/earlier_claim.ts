import { codedError } from '../../../types/run_errors.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { Tree } from '../tree/tree.ts';
import { storedErrorOutput } from './error_output.ts';
import type { StoredNodeRun } from '../state/journal.ts';
import { copyMap, type Outcome } from '../graph/outcome.ts';
import { TransientError } from '../failures/transient_error.ts';
import { measureMap } from '../limits/value_size.ts';

// An earlier claim stored a row for a node execution, and then its worker died or released the run. The row decides
// what this claim does:
//   - The execution has ended: the claim takes the stored outcome (takeOutcome). The row tells whether the flow handled
//     a failure.
//   - The execution began, and only computes or reads: the claim executes the node again.
//   - The execution began, and has effects outside: the execution fails with outcome_unknown (outcomeUnknown), unless
//     the effects are idempotent. If the flow allows further attempts, the failure counts as one attempt, and another
//     follows.
//   - An attempt failed, and the execution waits: the claim makes the next attempt at the stored time
//     (Attempts.resume).
//   - The execution handed over instructions: the claim settles the transaction that was sent (Settlement.sentBefore),
//     and makes no new one.

/** Tests whether an earlier claim ended the execution, so that it is not run again. */
export const hasEndedBefore = (stored: StoredNodeRun | undefined): stored is StoredNodeRun & { end_time: string } =>
  stored?.end_time != null;

/** Returns the outcome that an earlier claim stored for an ended execution. */
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

/** Makes the error of an attempt that an earlier claim began. The effects of the attempt may have happened. */
export const outcomeUnknown = (mayBeTriedAgain: boolean): TransientError =>
  new TransientError(mayBeTriedAgain ? UNKNOWN_OUTCOME : `${UNKNOWN_OUTCOME}, so it was not run again`);
