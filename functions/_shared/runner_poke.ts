import type { Config } from './config.ts';
import { pause } from './pause.ts';
import type { Platform } from './platform.ts';
import { withTimeLimit } from './time_limit.ts';

/** How long a poke that is not answered keeps the next one back. */
const LONGEST_POKE_MS = 1_000;
/** How long its request stays open at most: a runner answers before it begins, so this one hangs. */
const TIMEOUT_MS = 30_000;

/**
 * Makes what tells functions/runner that there is work, without waiting for it. A poke that is lost or refused is no error: the
 * sweeper finds the run. Of pokes that come while one is under way, one goes out after it: the runner looks at the whole queue, and
 * that one may have looked already. A poke names the run that it is for, if it is for one: a runner that executes that one by then
 * need not look. Where the runner is switched off, nobody needs to be told.
 */
export function makeRunnerPoke(platform: Platform, config: Config): (flowRunId?: string) => void {
  if (platform.env('RUNNER_DISABLED') === '1') return () => {};
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const send = async (flowRunId?: string): Promise<void> => {
    const query = flowRunId === undefined ? '' : `?flow_run_id=${flowRunId}`;
    const isAnswered = new AbortController();
    const answered = withTimeLimit(TIMEOUT_MS, async (signal) => {
      const response = await platform.fetch(`${config.supabaseUrl}/functions/v1/runner${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${config.secretKey}` },
        signal,
      });
      await response.arrayBuffer();
    }).catch(() => {}).finally(() => isAnswered.abort());
    await Promise.race([answered, pause(LONGEST_POKE_MS, isAnswered.signal)]);
  };
  const begin = (flowRunId?: string): Promise<void> => {
    next = undefined;
    const sent = send(flowRunId).finally(() => {
      if (underWay === sent) underWay = undefined;
    });
    return underWay = sent;
  };
  return (flowRunId) => {
    if (underWay === undefined) platform.waitUntil(begin(flowRunId));
    else platform.waitUntil(next ??= underWay.then(() => begin()));
  };
}
