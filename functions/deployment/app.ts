import { makeApp } from '../_shared/app.ts';
import { readConfig } from '../_shared/config.ts';
import { makeRpc } from '../_shared/database.ts';
import type { Platform } from '../_shared/platform.ts';
import { pokeRunner } from '../_shared/runner_poke.ts';
import { makeStartDeployment } from './start_deployment.ts';

/** The Edge Function `deployment`. */
export function makeDeploymentApp(platform: Platform) {
  const config = readConfig(platform.env);
  const rpc = makeRpc({
    supabaseUrl: config.supabaseUrl,
    apikey: config.publicKey,
    fetch: platform.fetch,
  });
  const deps = { config, rpc, pokeRunner: () => pokeRunner(platform, config) };
  return makeApp('deployment', [
    { method: 'POST', path: '/start', handle: makeStartDeployment(deps) },
  ]);
}
