import { apiError } from '../../platform/api_error.ts';
import { makeApp } from '../_shared/app.ts';
import { isSecretKey } from '../_shared/credentials.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeRunnerPoke } from '../_shared/runner_poke.ts';
import { errorText, writeLog } from '../../runner/log_line.ts';
import { makeSliceLog } from '../../runner/slice_log.ts';
import { makeRunnerWebhooks, makeRunnerWorker } from '../../runner/runner_worker.ts';
import { readRunnerSettings } from '../../runner/settings.ts';
import { spawnWebScriptThread } from '../../runner/threads/web_script_thread.ts';

/**
 * Makes the Edge Function `runner`. A request to it (a poke) makes it execute queued runs. Callers without the
 * project's secret key get a 404.
 */
export function makeRunnerApp(platform: Platform) {
  const { config, serviceRpc } = makeDeps(platform);
  const pokeRunner = makeRunnerPoke(platform, config);
  const settings = readRunnerSettings(platform.env, true);
  const log = makeSliceLog(writeLog, () => Date.now());
  const webhooks = makeRunnerWebhooks({ rpc: serviceRpc, settings, log: log.write });
  /** True if a webhook delivery is due. A claim that finds no more runs reports this. */
  let isWebhookDue = false;
  const worker = makeRunnerWorker({
    rpc: serviceRpc,
    settings,
    env: platform.env,
    log: log.write,
    spawnScriptThread: spawnWebScriptThread,
    onDueWebhook: () => isWebhookDue = true,
    onLateRelease: pokeRunner,
  });

  const drain = async (flowRunId?: string): Promise<void> => {
    const isOver = new AbortController();
    const posted = webhooks.postUntil(isOver.signal);
    try {
      // The platform limits the time of each request. If runs are left at the end of this request, a new request is
      // started for them.
      if (await worker.drain(flowRunId)) pokeRunner();
      await worker.whenIdle();
    } catch (error) {
      log.write('error', { event: 'queue_unreadable', error: errorText(error) });
    }
    isOver.abort();
    await posted;
    if (!isWebhookDue) return;
    isWebhookDue = false;
    await webhooks.postDue();
  };

  return makeApp('runner', [{
    method: 'POST',
    path: '/',
    // The query is not checked: an error about it would reveal the route to callers without the key.
    query: 'any',
    handle: async (context) => {
      if (!isSecretKey(context.req.raw, config)) {
        throw apiError('route_not_found', `There is no route ${context.req.path}.`);
      }
      // If the function is disabled, the project's long-lived workers execute all runs.
      if (platform.env('RUNNER_DISABLED') === '1') return context.json({ status: 'disabled' }, 202);
      platform.waitUntil(drain(context.req.query('flow_run_id')).finally(log.endSlice));
      return context.json({ status: 'poked' }, 202);
    },
  }]);
}
