import type { Context } from 'hono';
import { z } from 'zod';
import { type DeployFlowResult, flowPathSchema, strictQuerySchema } from '../../types/deployment.ts';
import { parse, readBody, readQuery } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';

/** `POST /flow/deploy/{flow_id}?strict=`: freezes the caller's flow into a new deployment. */
export const makeDeployFlow = ({ config, rpc }: Deps) => async (context: Context): Promise<Response> => {
  const { flow_id } = parse(flowPathSchema, context.req.param(), 'path');
  const query = readQuery(context, strictQuerySchema);
  const { headers } = requireCredentials(context.req.raw, config, 'user');
  await readBody(context.req.raw, z.strictObject({}));
  return context.json(
    await rpc<DeployFlowResult>('deploy_flow', { flow_id, ...query }, headers),
  );
};
