/** How often each figure is taken. */
export const ROUNDS = 5;

/** One measured figure: what was measured, against the baseline of the same round. */
export interface Figure {
  id: string;
  name: string;
  ratio: number;
  goal: number | null;
  held: boolean | null;
  rounds: { measuredMs: number; baselineMs: number }[];
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** A figure of rounds; the goal is the greatest ratio that holds it, or null where there is none. */
export function makeFigure(id: string, name: string, rounds: Figure['rounds'], goal: number | null = null): Figure {
  const ratio = median(rounds.map(({ measuredMs, baselineMs }) => measuredMs / baselineMs));
  return { id, name, ratio, goal, held: goal === null ? null : ratio <= goal, rounds };
}

export function printFigures(figures: Figure[]): void {
  for (const { id, name, ratio, goal, held, rounds } of figures) {
    const spread = rounds.map(({ measuredMs, baselineMs }) => `${measuredMs.toFixed(1)}/${baselineMs.toFixed(1)} ms`)
      .join(', ');
    const verdict = goal === null ? '' : `, goal ${goal}: ${held ? 'held' : 'MISSED'}`;
    console.log(`${id}  ${name}\n    ratio ${ratio.toFixed(2)}${verdict}\n    rounds ${spread}`);
  }
}
