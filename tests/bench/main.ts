import { open, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isUsageError } from '../../dev/stack/stack_error.ts';
import { type FigureSpec, figureSpecs, takeFigure } from './figures.ts';
import { FULL, type Plan, QUICK } from './plan.ts';
import { formatTable } from './table.ts';

const IDS = figureSpecs.map(({ id }) => id).join(', ');

const USAGE = `npm run bench [-- [--only <ids>] [--rounds <N>] [--json <file>] [--quick]]

Measures the project's figures, as ratios against baselines of the same run. docs/performance.md says what each of them is.

  --only    figures to take, by id, with commas between: ${IDS}
  --rounds  how often each ratio is taken; default ${FULL.rounds}
  --json    a file for the figures
  --quick   small counts and short loads, to try the bench; its figures mean nothing

A missed goal is told, and is not an error.`;

class UsageError extends Error {}

function readRounds(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`--rounds ${text}: must be a number from 1 to 9999`);
  return Number(text);
}

function readIds(text: string | undefined): FigureSpec[] {
  if (text === undefined) return [...figureSpecs];
  const ids = text.split(',').map((id) => id.trim().toUpperCase());
  const unknown = ids.find((id) => figureSpecs.every((spec) => spec.id !== id));
  if (unknown !== undefined) throw new UsageError(`--only ${text}: there is no figure ${unknown}, only ${IDS}`);
  return figureSpecs.filter(({ id }) => ids.includes(id));
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean' },
    },
  });
  const basis = values.quick ? QUICK : FULL;
  const plan: Plan = { ...basis, rounds: readRounds(values.rounds, basis.rounds) };
  const specs = readIds(values.only);
  // Report an unwritable file now, and not only after the first figure.
  if (values.json !== undefined) await (await open(values.json, 'a')).close();
  const figures = [];
  for (const spec of specs) {
    console.log(`${spec.id}  ${spec.name} …`);
    const began = performance.now();
    figures.push(await takeFigure(spec, plan));
    console.log(`    ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    // Write the file after each figure, so that a failure of a later figure does not lose this one.
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  console.log(`\n${formatTable(figures)}`);
  const missed = figures.filter(({ held }) => held === false).map(({ id }) => id);
  console.log(missed.length === 0 ? '\nAll goals held.' : `\nMissed: ${missed.join(', ')}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError || isUsageError(error);
  console.error(isUsage ? `${(error as Error).message}\n\n${USAGE}` : error);
  process.exitCode = 1;
}
process.exit();
