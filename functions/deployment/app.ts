import { makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { makeStartDeployment } from './start_deployment.ts';

/** Makes the Edge Function `deployment`. */
export function makeDeploymentApp(platform: Platform) {
  const deps = makeDeps(platform);
  return makeApp('deployment', [
    {
      method: 'POST',
      path: '/start',
      handle: makeStartDeployment(deps, makeRunnerPoke(platform, deps.config)),
    },
  ]);
}
