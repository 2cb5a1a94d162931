import { makeApp } from '../_shared/app.ts';
import { readConfig } from '../../platform/config.ts';
import { makeReadRows } from '../../platform/database/rpc.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeHealthcheck } from './healthcheck.ts';

/** Makes the Edge Function `healthcheck`. */
export function makeHealthcheckApp(platform: Platform) {
  const { restUrl, secretKey } = readConfig(platform.env);
  const { fetch } = platform;
  const read = makeReadRows({ restUrl, apikey: secretKey, authorization: `Bearer ${secretKey}`, fetch });
  // The query reads no row, so it costs only a round trip to the database.
  const handle = makeHealthcheck(() => read('kv_stores', 'select=name&limit=0'), () => performance.now());
  return makeApp('healthcheck', [{ method: 'GET', path: '/', handle }]);
}
