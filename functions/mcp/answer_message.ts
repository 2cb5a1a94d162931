import type { Context } from 'hono';
import { ApiError, apiError } from '../../platform/api_error.ts';
import type { PublicAddress } from '../../platform/public_address.ts';
import { deploymentPathSchema } from '../../types/deployment.ts';
import type { ToolPage } from '../../types/deployment_description.ts';
import { readJsonText } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import type { Runs } from './accepted_request.ts';
import { readMessage } from './message.ts';
import { challenge } from './resource_metadata.ts';

/** The deployment that an address serves, as list_tools takes it. Empty for the address that serves a user's tools. */
type Target = { id?: string; flow?: number; tag?: string };

/** Reads the target from the path. A malformed path gets the same answer as a deployment that does not exist. */
function readTarget(context: Context): Target {
  const params = context.req.param();
  if (Object.keys(params).length === 0) return {};
  const target = deploymentPathSchema.safeParse(params);
  if (target.success) return target.data;
  throw apiError('deployment_not_found', 'There is no such deployment.');
}

/** Tells a client that has no valid token where to get one. */
function withChallenge(error: unknown, address: PublicAddress): unknown {
  if (!(error instanceof ApiError && error.status === 401)) return error;
  const headers = { ...error.headers, ...challenge(address) };
  return new ApiError(401, error.toBody(), { headers, cause: error });
}

/**
 * `POST /mcp`, `/mcp/d/{deployment_id}` and `/mcp/f/{flow_id}/{tag}`: answers a message of the Model Context Protocol.
 * The database checks the caller before the package of the protocol is loaded, because loading takes longer than all
 * the rest of a refused request.
 */
export const makeAnswerMessage =
  (deps: Deps, address: PublicAddress, runs: Runs) => async (context: Context): Promise<Response> => {
    const request = context.req.raw;
    try {
      const credentials = requireCredentials(request, deps.config, 'all');
      const target = readTarget(context);
      const message = readMessage(await readJsonText(request));
      const args = { ...target, public_key: credentials.publicKey, ...message.wanted };
      const page = await deps.rpc<ToolPage>('list_tools', args, credentials.headers);
      const { serve } = await import('./serving/serve.ts');
      return await serve(request, { message, page, credentials, isOwn: Object.keys(target).length === 0 }, deps, runs);
    } catch (error) {
      throw withChallenge(error, address);
    }
  };
