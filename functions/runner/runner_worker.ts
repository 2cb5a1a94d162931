import type { Rpc } from '../_shared/database.ts';
import { makeClaims } from './claims.ts';
import { writeLog } from './log_line.ts';
import { nodeRegistry } from './nodes/registry.ts';
import { isPublicAddress, isPublicOrPrivateAddress } from './reach/address_rules.ts';
import { makeHttpClient } from './reach/http_client.ts';
import { makeKvStores } from './reach/kv_stores.ts';
import type { RunnerSettings } from './settings.ts';
import { makeWorker, type Worker } from './worker.ts';

/** A worker with what its nodes reach; `rpc` acts as service role. */
export function makeRunnerWorker(rpc: Rpc, settings: RunnerSettings, registry = nodeRegistry): Worker {
  const http = makeHttpClient({
    isAllowed: settings.allowPrivateNetwork ? isPublicOrPrivateAddress : isPublicAddress,
    timeoutMs: settings.httpTimeoutMs,
    maxResponseBytes: settings.httpMaxResponseBytes,
  });
  return makeWorker({
    claims: makeClaims(rpc, settings),
    registry,
    makeServices: (claim) => ({ http, kv: makeKvStores(rpc, claim) }),
    settings,
    log: writeLog,
    now: () => Date.now(),
  });
}
