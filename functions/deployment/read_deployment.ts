import type { Context } from 'hono';
import type { DeploymentTargetQuery } from '../../types/deployment.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { etagOf, matchesEtag } from './etag.ts';

/**
 * `GET /deployment/read?id=` or `?flow=&tag=`: describes the inputs and outputs of a deployment to callers who may
 * start it. The answer is the database's own text, because bounds and defaults may have more digits than a float.
 */
export const makeReadDeployment =
  ({ config, rpc }: Deps) => async (context: Context, target: DeploymentTargetQuery): Promise<Response> => {
    const { headers, publicKey } = requireCredentials(context.req.raw, config, 'all');
    const args = { ...target, public_key: publicKey };
    const text = await rpc<string>('read_deployment', args, headers, { isText: true });
    const etag = await etagOf(text);
    // Copies must be revalidated before each use, because the owner can change the deployment and its permissions at
    // any time.
    const answerHeaders = { etag, 'cache-control': 'private, no-cache' };
    if (matchesEtag(context.req.header('if-none-match'), etag)) return context.body(null, 304, answerHeaders);
    return context.body(text, 200, { 'content-type': 'application/json', ...answerHeaders });
  };
