import type { Context } from 'hono';
import { z } from 'zod';
import { type DeployFlowResult, flowPathSchema, type StrictQuery } from '../../types/deployment.ts';
import { parse, readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/platform.ts';

/**
 * `POST /flow/deploy/{flow_id}?strict=`: freezes the caller's flow into a new deployment. What it takes and gives is
 * computed after the answer, since a deploy has no time to spare: its first reader finds it there.
 */
export const makeDeployFlow =
  ({ config, rpc, rpcText }: Deps, { waitUntil }: Pick<Platform, 'waitUntil'>) =>
  async (context: Context, query: StrictQuery): Promise<Response> => {
    const { flow_id } = parse(flowPathSchema, context.req.param(), 'path');
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    await readBody(context.req.raw, z.strictObject({}));
    const deployed = await rpc<DeployFlowResult>('deploy_flow', { flow_id, ...query }, headers);
    // Where this is lost, the first reader computes it.
    waitUntil(rpcText('read_deployment', { id: deployed.deployment_id }, headers).then(() => {}, () => {}));
    return context.json(deployed);
  };
