import type { StartLimits } from './deployment.ts';

/** The default limits of deployments that anybody may start, and of all others. They apply while the row holds null. */
export const DEFAULT_START_LIMITS = {
  anonymous: { max_starts_per_minute: 1_200, max_runs_in_flight: 2_000 },
  others: { max_starts_per_minute: 60_000, max_runs_in_flight: 10_000 },
} as const satisfies Record<string, StartLimits>;

export const defaultStartLimits = (startPermission: string): StartLimits =>
  startPermission === 'Anonymous' ? DEFAULT_START_LIMITS.anonymous : DEFAULT_START_LIMITS.others;

/** Returns the part of a limit that callers without an account may use together. */
export const guestsShare = (limit: number): number => Math.ceil(limit / 2);
