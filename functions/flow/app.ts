import { makeApp } from '../_shared/app.ts';
import { readConfig } from '../_shared/config.ts';
import { makeRpc } from '../_shared/database.ts';
import type { Platform } from '../_shared/platform.ts';
import { makeDeployFlow } from './deploy_flow.ts';

/** The Edge Function `flow`. */
export function makeFlowApp(platform: Platform) {
  const config = readConfig(platform.env);
  const rpc = makeRpc({
    supabaseUrl: config.supabaseUrl,
    apikey: config.publicKey,
    fetch: platform.fetch,
  });
  return makeApp('flow', [
    {
      method: 'POST',
      path: '/deploy/:flow_id',
      handle: makeDeployFlow({ config, rpc }),
    },
  ]);
}
