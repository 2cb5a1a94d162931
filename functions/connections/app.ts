import { addressRule } from '../../runner/reach/address_rules.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import { connectionLimits } from '../../types/limits/connections.ts';
import { makeApp } from '../_shared/app.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { readWalletKeys } from '../../platform/secrets/sealed_secrets.ts';
import { makeTestConnection } from './test_connection.ts';
import { makeUpsertConnection } from './upsert_connection.ts';

/** The most bytes of a token server's answer. The answer to the test request itself has a far lower limit. */
const MAX_RESPONSE_BYTES = 65_536;

/** Makes the Edge Function `connections`. */
export function makeConnectionsApp(platform: Platform) {
  const deps = makeDeps(platform);
  const keys = readWalletKeys(platform.env);
  const allowsHttp = platform.env('ALLOW_PRIVATE_NETWORK') === '1';
  const http = makeHttpClient({
    isAllowed: addressRule(allowsHttp),
    timeoutMs: connectionLimits.connection_test_ms.value,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  return makeApp('connections', [
    { method: 'POST', path: '/upsert', handle: makeUpsertConnection(deps, keys) },
    { method: 'POST', path: '/test', handle: makeTestConnection(deps, { keys, http, allowsHttp }) },
  ]);
}
