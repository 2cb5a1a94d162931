import type { Config } from '../../platform/config.ts';
import { pause } from '../../platform/pause.ts';
import type { Platform } from './edge_platform.ts';
import { withTimeLimit } from '../../platform/time_limit.ts';

/** The longest time for which an unanswered poke delays the next one. */
const LONGEST_POKE_MS = 1_000;
/** The least time between two pokes of an isolate, because hosted Supabase limits the calls between functions. */
const SHORTEST_POKE_MS = 200;
/** The time limit of a poke's request. A runner answers before it executes runs, so a slower request hangs. */
const TIMEOUT_MS = 30_000;

/**
 * Makes a function that pokes functions/runner: it asks the runner to look for queued runs, and does not wait for the
 * answer. A lost or refused poke is no error, because the sweep finds the run later. While a poke is under way, and
 * within 200 ms after its beginning, further pokes are merged into a single poke that follows it. That poke is needed, because the first one may have come before
 * the later runs were queued. A single poke is enough, because the runner looks at the whole queue. If a poke is for
 * one run, it names the run. A runner that already executes the named run need not look at the queue. If the runner is
 * switched off, no poke is sent.
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
    const sent = send(flowRunId);
    const followed = Promise.all([sent, pause(SHORTEST_POKE_MS)]).then(() => {
      if (underWay === followed) underWay = undefined;
    });
    underWay = followed;
    return sent;
  };
  return (flowRunId) => {
    if (underWay === undefined) platform.waitUntil(begin(flowRunId));
    else platform.waitUntil(next ??= underWay.then(() => begin()));
  };
}
