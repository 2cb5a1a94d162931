/** The numbers that decide how much the bench measures. */
export interface Plan {
  rounds: number;
  /** The duration of one load in milliseconds. */
  loadMs: number;
  /** The full counts of runs and rows are divided by this number. */
  shrink: number;
}

export const FULL: Plan = Object.freeze({ rounds: 5, loadMs: 1_000, shrink: 1 });

/** A plan for trying the bench. Its figures mean nothing. */
export const QUICK: Plan = Object.freeze({ rounds: 1, loadMs: 200, shrink: 50 });

/**
 * Measures the rounds. Every second round begins with the baseline, and the other rounds end with it. So neither side
 * always runs second, on a warmer machine.
 */
export async function takeRounds(
  rounds: number,
  measure: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<{ measured: number; baseline: number }[]> {
  const taken = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      taken.push({ baseline: await baseline(), measured: await measure() });
    } else {
      taken.push({ measured: await measure(), baseline: await baseline() });
    }
  }
  return taken;
}
