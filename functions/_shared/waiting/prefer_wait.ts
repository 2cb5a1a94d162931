import type { Context } from 'hono';
import type { StartResult } from '../../../types/deployment.ts';
import type { EndedRun } from '../../../types/flow_run.ts';
import { requestLimits } from '../../../types/limits/requests.ts';
import { readPreferences } from '../preferences.ts';
import type { RunWaiter } from './run_waiter.ts';

/** Matches one preference of the header's list, if it is `wait`. Source: RFC 7240. */
const WAIT = /^wait ?= ?"?(\d{1,9})"?$/i;

/**
 * Reads from `Prefer: wait=N` how many seconds the request prefers to wait. Returns undefined without the preference. A
 * preference that cannot be read is ignored, as RFC 7240 wants.
 */
export function readPreferredWait(header: string | undefined): number | undefined {
  for (const preference of readPreferences(header)) {
    const seconds = WAIT.exec(preference)?.[1];
    if (seconds !== undefined) return Math.min(Number(seconds), requestLimits.start_wait_seconds.value);
  }
  return undefined;
}

/**
 * Answers a start. If the request prefers to wait, the answer comes when the run has ended or the time is over. If the
 * run has ended, the answer contains its result.
 */
export async function answerStart(
  context: Context,
  started: StartResult,
  waiter: RunWaiter<EndedRun>,
): Promise<Response> {
  const seconds = readPreferredWait(context.req.header('prefer')) ?? 0;
  if (seconds === 0) return context.json(started);
  context.header('preference-applied', `wait=${seconds}`);
  const ended = await waiter.wait(started.flow_run_id, seconds, context.req.raw.signal);
  return context.json({ ...started, ...ended });
}
