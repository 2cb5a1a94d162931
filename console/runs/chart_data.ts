import type { RunStatus } from 'flow-deployments-client';
import { msBetween } from '../shared/run/duration.ts';
import { STATUSES } from './run_filter.ts';
import { type ChartedRun, HOURS_CHARTED } from './run_rows.ts';

export type Counts = Record<RunStatus, number>;

const HOUR_MS = 3_600_000;

const noRuns = (): Counts => ({ queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 0, stopped: 0 });

/** Counts the runs of each status. */
export function countByStatus(runs: readonly ChartedRun[]): Counts {
  const counts = noRuns();
  for (const { status } of runs) counts[status] += 1;
  return counts;
}

/** Counts the runs of each of the last hours by status, the oldest hour first; the last one ends now. */
export function countByHour(runs: readonly ChartedRun[], now: number): Counts[] {
  const hours = Array.from({ length: HOURS_CHARTED }, noRuns);
  for (const { created_at, status } of runs) {
    const hoursAgo = Math.trunc(Math.max(0, now - Date.parse(created_at)) / HOUR_MS);
    const counts = hours[HOURS_CHARTED - 1 - hoursAgo];
    if (counts !== undefined) counts[status] += 1;
  }
  return hours;
}

/** An ended run as a point of the chart. Both coordinates are from 0 to 1. */
export interface DurationPoint {
  id: string;
  status: RunStatus;
  /** The position in the last day: 1 is now. */
  x: number;
  /** The position on the scale: 0 is its bottom. */
  y: number;
}

/** The durations of runs on a scale of powers of ten, because they range from milliseconds to days. */
export interface DurationChart {
  points: DurationPoint[];
  /** The durations of the grid lines in milliseconds, from the bottom of the scale to its top. */
  lines: { ms: number; y: number }[];
}

export function chartDurations(runs: readonly ChartedRun[], now: number): DurationChart {
  const ended = runs.flatMap((run) => {
    const ms = msBetween(run.start_time, run.end_time);
    return ms === undefined ? [] : [{ run, ms: Math.max(1, ms) }];
  });
  const exponents = ended.map(({ ms }) => Math.log10(ms));
  const bottom = Math.floor(Math.min(...exponents, 2));
  const top = Math.max(Math.ceil(Math.max(...exponents, 0)), bottom + 1);
  const place = (ms: number) => (Math.log10(ms) - bottom) / (top - bottom);
  return {
    points: ended.map(({ run: { id, status, created_at }, ms }) => ({
      id,
      status,
      x: Math.min(1, Math.max(0, 1 - (now - Date.parse(created_at)) / (HOURS_CHARTED * HOUR_MS))),
      y: place(ms),
    })),
    lines: Array.from({ length: top - bottom + 1 }, (_, index) => ({
      ms: 10 ** (bottom + index),
      y: index / (top - bottom),
    })),
  };
}

/** Describes counts in words, such as `3 succeeded, 1 failed`. */
export const describeCounts = (counts: Counts): string =>
  STATUSES.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`).join(', ');
