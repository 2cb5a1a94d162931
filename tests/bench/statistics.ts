/** Returns a percentile by the nearest rank; NaN without values. `share` 0.5 is the median. */
export function percentile(values: readonly number[], share: number): number {
  const rank = Math.max(Math.ceil(values.length * share), 1);
  return values.toSorted((a, b) => a - b)[rank - 1] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Returns the duration of some work in milliseconds. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
