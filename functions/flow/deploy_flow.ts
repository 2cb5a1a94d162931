import type { Context } from 'hono';
import { z } from 'zod';
import { type DeployFlowResult, flowIdSchema } from '../../types/deployment.ts';
import { parse, readBody } from '../_shared/body.ts';
import type { Config } from '../_shared/config.ts';
import { forwardedCredentials } from '../_shared/credentials.ts';
import type { Rpc } from '../_shared/database.ts';

const paramsSchema = z.object({ flow_id: flowIdSchema });

/** `POST /flow/deploy/{flow_id}`: freezes the caller's flow into a new deployment. */
export const makeDeployFlow = (deps: { config: Config; rpc: Rpc }) => async (context: Context): Promise<Response> => {
  const { flow_id } = parse(paramsSchema, context.req.param(), 'path');
  await readBody(context.req.raw, z.strictObject({}));
  const result = await deps.rpc<DeployFlowResult>(
    'deploy_flow',
    { flow_id },
    forwardedCredentials(context.req.raw, deps.config),
  );
  return context.json(result);
};
