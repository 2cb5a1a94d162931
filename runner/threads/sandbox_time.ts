import { scriptLimits } from '../../types/limits/scripts.ts';
import { codedError } from '../../types/run_errors.ts';
import { NodeError } from '../engine/node.ts';

/**
 * The computing time that one execution in the sandbox may take. The first limit holds if the runtime has threads, the
 * second one if it has none.
 */
export const SANDBOX_MS = scriptLimits.sandbox_ms.value;
export const SANDBOX_MS_WITHOUT_THREADS = scriptLimits.sandbox_ms_without_threads.value;

/** The error of an execution in the sandbox that computes for too long, in any thread. */
export const sandboxLimitError = (): NodeError =>
  new NodeError(
    codedError('node_cpu_limit', `not finished after ${SANDBOX_MS} ms of computing, the limit of a script`),
  );

/** The same error if the runtime has no threads, so that all runs wait for the script. */
export const sandboxLimitErrorWithoutThreads = (): NodeError =>
  new NodeError(
    codedError(
      'node_cpu_limit',
      `not finished after ${SANDBOX_MS_WITHOUT_THREADS} ms of computing, the limit of a script in an Edge Function ` +
        `without threads; with npm run worker it is ${SANDBOX_MS} ms`,
    ),
  );
