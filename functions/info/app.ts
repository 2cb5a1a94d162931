import type { ProjectInfo } from '../../types/project_info.ts';
import { makeApp } from '../_shared/app.ts';
import { readConfig } from '../../platform/config.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { readPublicAddress } from '../../platform/public_address.ts';

const PATH = '/functions/v1/info';

/** Makes the Edge Function `info`. It returns what a client must know of a project before its first call. */
export function makeInfoApp(platform: Platform) {
  const { supabaseUrl, publicKey } = readConfig(platform.env);
  const { url } = readPublicAddress('info', platform.env, supabaseUrl);
  if (!url.endsWith(PATH)) throw new Error(`Wrong in the environment: INFO_URL must end in ${PATH}`);
  const supabase_url = url.slice(0, -PATH.length);
  const info: ProjectInfo = { supabase_url, anon_key: publicKey, base_url: `${supabase_url}/functions/v1` };
  return makeApp('info', [
    { method: 'GET', path: '/', handle: (context) => Promise.resolve(context.json(info)) },
  ]);
}
