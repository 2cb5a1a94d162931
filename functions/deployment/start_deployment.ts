import type { Context } from 'hono';
import { startDeploymentParamsSchema, type StartResult, startTargetSchema } from '../../types/deployment.ts';
import { readBody, readQuery } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';

/**
 * `POST /deployment/start?id=` or `?flow=&tag=`: starts a deployment, as its start_permission allows.
 * `pokeRunner` is called once the run is queued.
 */
export const makeStartDeployment =
  ({ config, rpc }: Deps, pokeRunner: (flowRunId: string) => void) => async (context: Context): Promise<Response> => {
    const target = readQuery(context, startTargetSchema);
    const { headers, publicKey } = requireCredentials(context.req.raw, config, 'user or public key');
    const params = await readBody(context.req.raw, startDeploymentParamsSchema);
    const idempotency_key = context.req.header('idempotency-key');
    const result = await rpc<StartResult>(
      'start_deployment',
      { ...target, ...params, public_key: publicKey, idempotency_key },
      headers,
    );
    pokeRunner(result.flow_run_id);
    return context.json(result);
  };
