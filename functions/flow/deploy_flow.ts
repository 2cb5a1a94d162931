import type { Context } from 'hono';
import { z } from 'zod';
import { type DeployFlowResult, flowPathSchema } from '../../types/deployment.ts';
import { parse, readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';

/** `POST /flow/deploy/{flow_id}`: freezes the caller's flow into a new deployment. */
export const makeDeployFlow = ({ config, rpc }: Deps) => async (context: Context): Promise<Response> => {
  const { flow_id } = parse(flowPathSchema, context.req.param(), 'path');
  const { headers } = requireCredentials(context.req.raw, config, 'user');
  await readBody(context.req.raw, z.strictObject({}));
  return context.json(
    await rpc<DeployFlowResult>('deploy_flow', { flow_id }, headers),
  );
};
