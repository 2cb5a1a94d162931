import type { Rpc } from '../platform/database/rpc.ts';
import { type WriteLog, writeLog } from './log_line.ts';
import { registryOf } from './described/registry.ts';
import { nodeRegistry } from './nodes/registry.ts';
import { makeClaims } from './queue/claim/claims.ts';
import type { MakeQueueWatch } from './queue/queue_watch.ts';
import { makeWorker, type Worker } from './queue/worker.ts';
import { makeWebhookClient } from './services/http_clients.ts';
import { makeServicesOfRuns } from './services/run_services.ts';
import type { RunnerSettings } from './settings.ts';
import type { SpawnScriptThread } from './threads/script_threads.ts';
import { makeWebhooks, type Webhooks } from './webhooks/webhooks.ts';

interface RunnerWorkerOptions {
  /** Calls as service role. */
  rpc: Rpc;
  settings: RunnerSettings;
  /** The environment. WALLET_KEYS and HELIUS_API_KEY are read when they are needed. */
  env: (name: string) => string | undefined;
  registry?: typeof nodeRegistry;
  log?: WriteLog;
  /** Starts the thread for long scripts. If undefined, long scripts run in the engine's thread. */
  spawnScriptThread?: SpawnScriptThread;
  /** Makes the watch that notifies the worker of runs. */
  makeWatch?: MakeQueueWatch | undefined;
  /** Called when the worker finds no more runs, and a webhook is due to be delivered. */
  onDueWebhook?: (() => void) | undefined;
  /** Called when a run was released after the end of the drain, so that the caller can drain again. */
  onLateRelease?: (() => void) | undefined;
}

/** Makes a worker with all services that nodes use. */
export function makeRunnerWorker(
  {
    rpc,
    settings,
    env,
    registry = nodeRegistry,
    log = writeLog,
    spawnScriptThread,
    makeWatch,
    onDueWebhook,
    onLateRelease,
  }: RunnerWorkerOptions,
): Worker {
  const claims = makeClaims(rpc, settings, onDueWebhook);
  return makeWorker({
    claims,
    makeWatch,
    onLateRelease,
    registryOf: (snapshot) => registryOf(registry, snapshot),
    makeServices: makeServicesOfRuns({ rpc, claims, settings, env, spawnScriptThread }),
    settings,
    log,
    now: () => Date.now(),
  });
}

/** Makes the poster of webhooks. */
export const makeRunnerWebhooks = (
  { rpc, settings, log = writeLog }: Pick<RunnerWorkerOptions, 'rpc' | 'settings' | 'log'>,
): Webhooks => makeWebhooks({ rpc, http: makeWebhookClient(settings), settings, log });
