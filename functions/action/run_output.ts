import type { ValueMap } from '../../types/values/value.ts';
import { apiError } from '../../platform/api_error.ts';
import type { Config } from '../../platform/config.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { withTimeLimit } from '../../platform/time_limit.ts';
import type { StartResult } from '../../types/deployment.ts';

/** The time that the answer may take in addition to the requested wait. */
const GRACE_MS = 5_000;

const tryAgain = (cause?: unknown) =>
  apiError('service_unavailable', 'The transaction is not ready yet. Try again in a moment.', {
    headers: { 'retry-after': '2' },
    cause,
  });

/**
 * Makes a reader that waits for the output of a run. The reader calls the public route of outputs, where one query
 * serves all waiting callers. The error for a failed run contains nothing of the graph, because the user of an action
 * may not see the graph.
 */
export const makeOutputReader =
  ({ fetch }: Platform, { supabaseUrl }: Config, waitSeconds: number) =>
  async ({ flow_run_id, token }: StartResult, gone: AbortSignal): Promise<ValueMap> => {
    const { status, body } = await withTimeLimit(waitSeconds * 1_000 + GRACE_MS, async (overdue) => {
      const response = await fetch(`${supabaseUrl}/functions/v1/flow/output/${flow_run_id}?wait=${waitSeconds}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.any([overdue, gone]),
      });
      return { status: response.status, body: await response.json() as { M: ValueMap } };
    }).catch((error: unknown) => {
      throw tryAgain(error);
    });
    if (status === 200) return body.M;
    if (status === 409) {
      throw apiError(
        'action_failed',
        'The action could not make its transaction. Nothing was paid. Try again in a minute.',
      );
    }
    throw tryAgain();
  };
