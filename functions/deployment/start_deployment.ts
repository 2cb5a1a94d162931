import type { Context } from 'hono';
import { startDeploymentParamsSchema, type StartResult, startTargetSchema } from '../../types/deployment.ts';
import { parse, readBody } from '../_shared/body.ts';
import type { Config } from '../_shared/config.ts';
import { forwardedCredentials } from '../_shared/credentials.ts';
import type { Rpc } from '../_shared/database.ts';

export interface StartDeploymentDeps {
  config: Config;
  rpc: Rpc;
  /** Called once the run is queued. */
  pokeRunner: () => void;
}

/** `POST /deployment/start?id=` or `?flow=&tag=`: starts a deployment, as its start_permission allows. */
export const makeStartDeployment = (deps: StartDeploymentDeps) =>
async (
  context: Context,
): Promise<Response> => {
  const target = parse(startTargetSchema, context.req.query(), 'query');
  const params = await readBody(context.req.raw, startDeploymentParamsSchema);
  const result = await deps.rpc<StartResult>(
    'start_deployment',
    { ...target, ...params },
    forwardedCredentials(context.req.raw, deps.config),
  );
  deps.pokeRunner();
  return context.json(result);
};
