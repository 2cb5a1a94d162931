import { makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/platform.ts';
import { readWalletKeys } from '../_shared/sealed_secrets.ts';
import { makeUpsertConnection } from './upsert_connection.ts';

/** Makes the Edge Function `connections`. */
export function makeConnectionsApp(platform: Platform) {
  const deps = makeDeps(platform);
  const keys = readWalletKeys(platform.env);
  return makeApp('connections', [
    { method: 'POST', path: '/upsert', handle: makeUpsertConnection(deps, keys) },
  ]);
}
