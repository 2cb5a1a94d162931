import type { Context } from 'hono';
import type { HealthcheckResult } from '../../types/project_info.ts';
import { unavailable } from '../../platform/database/database_errors.ts';

/** The time for which an outcome is reused for all callers. */
export const KEPT_MS = 1_000;
/** After this time without an answer, the database counts as down. */
export const LIMIT_MS = 5_000;

/** Rejects with service_unavailable if the work fails, or takes longer than LIMIT_MS. */
const withinLimit = (work: Promise<unknown>): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable(new Error(`no answer within ${LIMIT_MS} ms`))), LIMIT_MS);
    work.then(() => resolve(), (error: unknown) => reject(unavailable(error))).finally(() => clearTimeout(timer));
  });

/**
 * `GET /healthcheck`: checks whether the database answers through PostgREST. Anybody may call it. To limit the load,
 * all callers share one check at a time, and its outcome is reused for a second. `ask` queries the database; `now` is a
 * monotonic clock in milliseconds.
 */
export function makeHealthcheck(ask: () => Promise<unknown>, now: () => number) {
  /** The newest check; `endedAt` is Infinity until it ends. */
  let newest = { outcome: Promise.resolve(), endedAt: -Infinity };

  const check = (): Promise<void> => {
    if (now() - newest.endedAt < KEPT_MS) return newest.outcome;
    const begun = { outcome: withinLimit(ask()), endedAt: Infinity };
    const end = () => void (begun.endedAt = now());
    begun.outcome.then(end, end);
    newest = begun;
    return begun.outcome;
  };

  return async (context: Context): Promise<Response> => {
    await check();
    const result: HealthcheckResult = { success: true };
    return context.json(result);
  };
}
