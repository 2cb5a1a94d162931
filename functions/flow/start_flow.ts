import type { Context } from 'hono';
import {
  flowPathSchema,
  startFlowParamsSchema,
  type StartFlowResult,
  type StrictQuery,
} from '../../types/deployment.ts';
import { parse } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { answerStart } from '../_shared/waiting/prefer_wait.ts';
import type { EndedRun } from '../../types/flow_run.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';
import { readStartBody } from '../_shared/start_body.ts';

/**
 * `POST /flow/start/{flow_id}?strict=`: runs the caller's flow as it is now. `pokeRunner` is called after the run is
 * queued. With `Prefer: wait=N` the answer waits for the end of the run.
 */
export const makeStartFlow =
  (deps: Deps, pokeRunner: (flowRunId: string) => void, ends: RunWaiter<EndedRun>) =>
  async (context: Context, query: StrictQuery): Promise<Response> => {
    const { flow_id } = parse(flowPathSchema, context.req.param(), 'path');
    const { headers } = requireCredentials(context.req.raw, deps.config, 'all but public keys');
    const params = await readStartBody(context.req.raw, startFlowParamsSchema);
    const idempotency_key = context.req.header('idempotency-key');
    const args = { flow_id, ...query, ...params, idempotency_key };
    const result = await deps.rpc<StartFlowResult>('start_flow', args, headers);
    pokeRunner(result.flow_run_id);
    return await answerStart(context, result, ends);
  };
