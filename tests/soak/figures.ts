export type Counts = { [name: string]: number };

export interface Percentiles {
  count: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

/** Computes percentiles of measured values; zeros without values. */
export function percentiles(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

/** Formats counts by name on one line. */
export const counted = (counts: Counts): string =>
  Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(', ');

/** Formats percentiles of milliseconds on one line. */
export const inMs = ({ count, p50, p90, p99, max }: Percentiles): string =>
  `p50 ${p50}, p90 ${p90}, p99 ${p99}, at most ${max} ms (${count})`;
