import { codedError } from '../../types/run_errors.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { Tree } from './context.ts';
import { storedErrorOutput } from './error_output.ts';
import type { StoredNodeRun } from './journal.ts';
import { copyMap, type Outcome } from './node_values.ts';
import { TransientError } from './transient_error.ts';
import { measureMap } from './value_size.ts';

// What a claim does with a node execution of which an earlier claim stored something, because that claim's worker died or
// released the run:
//   it has ended                            its outcome is taken as it is, also that its failure was handled (takeOutcome)
//   it began, and computes or only reads    it runs again
//   it began, and has effects outside       it fails with outcome_unknown (outcomeUnknown), unless they are idempotent; where its
//                                           flow lets it be tried again, that is one attempt, and another one follows
//   an attempt failed, and it waits         it goes on to the next attempt when its time comes (Attempts.resume)
//   its instructions were given out         what was sent is settled (Settlement.sentBefore), and nothing is built anew

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
  'its worker died while it ran; what it does outside may have happened',
);

/** The error of an attempt with effects outside whose begin an earlier claim stored: what it does may have happened. */
export const outcomeUnknown = (mayBeTriedAgain: boolean): TransientError =>
  new TransientError(mayBeTriedAgain ? UNKNOWN_OUTCOME : `${UNKNOWN_OUTCOME}, so it was not run again`);
