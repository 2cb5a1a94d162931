import { makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/platform.ts';
import { lookForEnded, lookForSignatureRequests, makeRunWaiter } from './run_waiter.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { makeDeployFlow } from './deploy_flow.ts';
import { makeFlowOutput } from './flow_output.ts';
import { makeSignatureRequest } from './signature_request.ts';
import { makeStartFlow } from './start_flow.ts';
import { makeStopFlow } from './stop_flow.ts';

/** Makes the Edge Function `flow`. */
export function makeFlowApp(platform: Platform) {
  const deps = makeDeps(platform);
  const poke = makeRunnerPoke(platform, deps.config);
  return makeApp('flow', [
    { method: 'POST', path: '/deploy/:flow_id', handle: makeDeployFlow(deps) },
    { method: 'POST', path: '/start/:flow_id', handle: makeStartFlow(deps, poke) },
    {
      method: 'GET',
      path: '/output/:flow_run_id',
      handle: makeFlowOutput(deps, makeRunWaiter(lookForEnded(deps.serviceRead)), poke),
    },
    {
      method: 'GET',
      path: '/signature_request/:flow_run_id',
      handle: makeSignatureRequest(deps, makeRunWaiter(lookForSignatureRequests(deps.serviceRpc)), poke),
    },
    { method: 'POST', path: '/stop/:flow_run_id', handle: makeStopFlow(deps, poke) },
  ]);
}
