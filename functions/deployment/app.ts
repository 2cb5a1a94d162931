import { deploymentTargetSchema } from '../../types/deployment.ts';
import { makeApp, withQuery } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { lookForEnded, makeRunWaiter } from '../_shared/waiting/run_waiter.ts';
import { makeReadDeployment } from './read_deployment.ts';
import { makeReceiveWebhook } from './receive_webhook.ts';
import { makeStartDeployment } from './start_deployment.ts';

/** Makes the Edge Function `deployment`. */
export function makeDeploymentApp(platform: Platform) {
  const deps = makeDeps(platform);
  const pokeRunner = makeRunnerPoke(platform, deps.config);
  const ends = makeRunWaiter(lookForEnded(deps.serviceRead));
  return makeApp('deployment', [
    withQuery({ method: 'GET', path: '/read', query: deploymentTargetSchema, handle: makeReadDeployment(deps) }),
    withQuery({
      method: 'POST',
      path: '/start',
      query: deploymentTargetSchema,
      handle: makeStartDeployment(deps, pokeRunner, ends),
    }),
    { method: 'POST', path: '/hook/:token', query: 'any', handle: makeReceiveWebhook(deps, pokeRunner, ends) },
  ]);
}
