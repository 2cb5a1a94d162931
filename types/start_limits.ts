import type { StartLimits } from './deployment.ts';
import { deploymentLimits } from './limits/deployments.ts';

const { open_starts_per_minute, starts_per_minute, open_runs_in_flight, runs_in_flight } = deploymentLimits;

/**
 * The default limits: `anonymous` for deployments that anybody may start, `others` for all other deployments. A default
 * applies while the limit in the deployment's row is null.
 */
const DEFAULT_START_LIMITS = {
  anonymous: { max_starts_per_minute: open_starts_per_minute.value, max_runs_in_flight: open_runs_in_flight.value },
  others: { max_starts_per_minute: starts_per_minute.value, max_runs_in_flight: runs_in_flight.value },
} as const satisfies Record<string, StartLimits>;

export const defaultStartLimits = (startPermission: string): StartLimits =>
  startPermission === 'Anonymous' ? DEFAULT_START_LIMITS.anonymous : DEFAULT_START_LIMITS.others;

/** Returns the part of a limit that callers without an account may use together. */
export const guestsShare = (limit: number): number => Math.ceil(limit / 2);
