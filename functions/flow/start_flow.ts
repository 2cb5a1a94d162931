import type { Context } from 'hono';
import {
  flowPathSchema,
  startDeploymentParamsSchema,
  type StartFlowResult,
  strictQuerySchema,
} from '../../types/deployment.ts';
import { parse, readBody, readQuery } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';

/** `POST /flow/start/{flow_id}?strict=`: runs the caller's flow as it is now. `pokeRunner` is called once the run is queued. */
export const makeStartFlow =
  ({ config, rpc }: Deps, pokeRunner: (flowRunId: string) => void) => async (context: Context): Promise<Response> => {
    const { flow_id } = parse(flowPathSchema, context.req.param(), 'path');
    const query = readQuery(context, strictQuerySchema);
    const { headers } = requireCredentials(context.req.raw, config, 'user');
    const params = await readBody(context.req.raw, startDeploymentParamsSchema);
    const idempotency_key = context.req.header('idempotency-key');
    const result = await rpc<StartFlowResult>('start_flow', {
      flow_id,
      ...query,
      ...params,
      idempotency_key,
    }, headers);
    pokeRunner(result.flow_run_id);
    return context.json(result);
  };
