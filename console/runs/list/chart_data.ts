import type { RunStatus } from 'flow-deployments-client';
import type { RunOverview } from './find_runs.ts';
import { STATUSES } from './run_filter.ts';

export type Counts = Partial<Record<RunStatus, number>>;

/** The number of equal parts into which the database divides the period. */
const PARTS = 24;

/** Returns the counts of each part of the period, the oldest first. */
export function countsOfParts({ parts }: RunOverview): Counts[] {
  const counts = Array.from({ length: PARTS }, (): Counts => ({}));
  for (const { part, status, count } of parts) {
    const ofPart = counts[part];
    if (ofPart !== undefined) ofPart[status] = count;
  }
  return counts;
}

/** An ended run as a point of the chart. Both coordinates are from 0 to 1. */
interface DurationPoint {
  id: string;
  status: RunStatus;
  /** The time: 0 is the beginning of the overview's period, and 1 is its end. */
  x: number;
  /** The duration: 0 is the bottom of the scale, and 1 is its top. */
  y: number;
}

/** The durations of runs on a logarithmic scale, because durations range from milliseconds to days. */
interface DurationChart {
  points: DurationPoint[];
  /** The durations of the grid lines in milliseconds, from the bottom of the scale to its top. */
  lines: { ms: number; y: number }[];
}

export function chartDurations({ durations, since, until }: RunOverview): DurationChart {
  const exponents = durations.map(({ ms }) => Math.log10(Math.max(1, ms)));
  const bottom = Math.floor(Math.min(...exponents, 2));
  const top = Math.max(Math.ceil(Math.max(...exponents, 0)), bottom + 1);
  const [from, to] = [Date.parse(since), Date.parse(until)];
  return {
    points: durations.map(({ id, status, created_at }, index) => ({
      id,
      status,
      x: Math.min(1, Math.max(0, (Date.parse(created_at) - from) / (to - from))),
      y: ((exponents[index] ?? 0) - bottom) / (top - bottom),
    })),
    lines: Array.from({ length: top - bottom + 1 }, (_, index) => ({
      ms: 10 ** (bottom + index),
      y: index / (top - bottom),
    })),
  };
}

/** Describes counts in words, such as `3 succeeded, 1 failed`. */
export const describeCounts = (counts: Counts): string =>
  STATUSES.filter((status) => (counts[status] ?? 0) > 0).map((status) => `${counts[status]} ${status}`).join(', ');
