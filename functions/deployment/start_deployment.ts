import type { Context } from 'hono';
import { type DeploymentTargetQuery, startDeploymentParamsSchema, type StartResult } from '../../types/deployment.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { answerStart } from '../_shared/waiting/prefer_wait.ts';
import type { EndedRun } from '../../types/flow_run.ts';
import type { RunWaiter } from '../_shared/waiting/run_waiter.ts';
import { readStartBody } from '../_shared/start_body.ts';

/**
 * `POST /deployment/start?id=` or `?flow=&tag=`: starts a deployment, as its start_permission allows. `pokeRunner` is
 * called after the run is queued. With `Prefer: wait=N` the answer waits for the end of the run.
 */
export const makeStartDeployment =
  (deps: Deps, pokeRunner: (flowRunId: string) => void, ends: RunWaiter<EndedRun>) =>
  async (context: Context, target: DeploymentTargetQuery): Promise<Response> => {
    const { headers, publicKey } = requireCredentials(context.req.raw, deps.config, 'all');
    const params = await readStartBody(context.req.raw, startDeploymentParamsSchema);
    const idempotency_key = context.req.header('idempotency-key');
    const args = { ...target, ...params, public_key: publicKey, idempotency_key };
    const result = await deps.rpc<StartResult>('start_deployment', args, headers);
    pokeRunner(result.flow_run_id);
    return await answerStart(context, result, ends);
  };
