import { apiError } from '../_shared/api_error.ts';
import { makeApp } from '../_shared/app.ts';
import { isSecretKey } from '../_shared/credentials.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/platform.ts';
import { makeClaims } from './claims.ts';
import { nodeRegistry } from './nodes/registry.ts';
import { runnerSettings } from './settings.ts';
import { makeWorker } from './worker.ts';

/** The Edge Function `runner`: a poke makes it execute whatever is queued. Nobody but the project itself finds it. */
export function makeRunnerApp(platform: Platform) {
  const { config, serviceRpc } = makeDeps(platform);
  const worker = makeWorker({
    claims: makeClaims(serviceRpc, runnerSettings.leaseSeconds),
    registry: nodeRegistry,
    settings: runnerSettings,
    now: () => Date.now(),
    onError: (claim, error) =>
      console.error(
        `run ${claim.flow_run_id}, attempt ${claim.attempt}:`,
        error,
      ),
  });

  return makeApp('runner', [{
    method: 'POST',
    path: '/',
    handle: async (context) => {
      if (!await isSecretKey(context.req.raw, config)) {
        throw apiError(
          'route_not_found',
          `There is no route ${context.req.path}.`,
        );
      }
      platform.waitUntil(
        worker.drain().catch((error) => console.error("The queue can't be read:", error.cause ?? error)),
      );
      return context.json({ status: 'poked' }, 202);
    },
  }]);
}
