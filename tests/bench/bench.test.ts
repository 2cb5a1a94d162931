import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectDir } from '../../dev/stack/paths.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { npmScript } from '../support/npm_script.ts';
import { type Figure, makeFigure, makePart } from './figure.ts';
import { percentile } from './statistics.ts';
import { formatTable } from './table.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'flow-bench-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const run = (command: string, args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: projectDir }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });

/** Runs the same program as `npm run bench`. */
const bench = (...args: string[]): Promise<Ended> => run(process.execPath, npmScript('bench', ...args));

it.runIf(runsLongTests)('npm run bench prints the chosen figures, and writes them as JSON', async () => {
  const file = join(dir, 'figures.json');
  const options = ['--quick', '--only', 'p6', '--rounds', '2', '--json', file];
  const { code, stdout, stderr } = await run('npm', ['run', '--silent', 'bench', '--', ...options]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^\| id +\| name +\| ratio +\| spread +\| goal +\| held +\| measured +\| baseline +\| unit +\|$/m,
  );
  const figures = JSON.parse(await readFile(file, 'utf8')) as Figure[];
  expect(figures.map(({ id }) => id)).toEqual(['P6']);
  const [figure] = figures;
  expect(figure).toMatchObject({ goal_kind: 'at most', unit: 'ms' });
  expect(figure!.ratio).toBeGreaterThan(0);
  expect(figure!.held).toBe(figure!.ratio <= figure!.goal!);
  expect(figure!.parts.length).toBe(7);
  for (const { name, rounds } of figure!.parts) {
    expect(stdout).toContain(name);
    expect(rounds.length).toBe(2);
    expect(rounds.every(({ measured, baseline }) => measured > 0 && baseline > 0)).toBe(true);
  }
});

it('npm run bench measures nothing if its figures can not be written', async () => {
  const file = join(dir, 'missing/figures.json');
  const { code, stdout, stderr } = await bench('--quick', '--only', 'P8', '--rounds', '1', '--json', file);
  expect(code).toBe(1);
  expect(stderr).toContain('missing/figures.json');
  expect(stdout).toBe('');
});

it.each([
  [['--only', 'P99'], '--only P99: there is no figure P99'],
  [['--rounds', '0'], '--rounds 0: must be a number from 1 to 9999'],
  [['--fast'], "Unknown option '--fast'"],
])('npm run bench refuses %s', async (args, message) => {
  const { code, stderr } = await bench(...args);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr).toContain('npm run bench [--');
});

const rounds = (...ratios: number[]) => ratios.map((measured) => ({ measured, baseline: 1 }));

it('a ratio is the median of the ratios within rounds', () => {
  const part = makePart({
    name: 'a',
    unit: 'ms',
    goal: 2,
    rounds: [{ measured: 30, baseline: 10 }, { measured: 2, baseline: 2 }, { measured: 8, baseline: 4 }],
  });
  expect(part).toMatchObject({ ratio: 2, held: true });
});

it('a figure has the ratio and the goal of its worst part, for both kinds of goals', () => {
  const parts = [
    makePart({ name: 'no goal', unit: 'ms', rounds: rounds(100) }),
    makePart({ name: 'well below', unit: 'ms', goal: 2, rounds: rounds(1) }),
    makePart({ name: 'just missed', unit: 'a second', goal: 0.6, goalKind: 'at least', rounds: rounds(0.59) }),
  ];
  expect(makeFigure('P0', 'figure', parts)).toMatchObject({ name: 'figure: just missed', ratio: 0.59, held: false });
  expect(makeFigure('P0', 'figure', parts.slice(0, 2))).toMatchObject({ name: 'figure: well below', held: true });
  expect(formatTable([makeFigure('P0', 'figure', parts)])).toMatch(/just missed +\| 0\.59 .*≥ 0\.6 \| NO/);
});

it('rounds without a ratio are an error', () => {
  expect(() => makePart({ name: 'a', unit: 'ms', rounds: [{ measured: 1, baseline: 0 }] })).toThrow('no ratio');
});

it('a percentile is the nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile([7], 0.5)]).toEqual([50, 99, 7]);
  expect(percentile([], 0.5)).toBeNaN();
});
