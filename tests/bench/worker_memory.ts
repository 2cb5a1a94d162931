import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { textFlow } from '../support/flow_builder.ts';
import { withBenchStack } from './bench_stack.ts';
import { measureLoopHeap } from './engine_overhead.ts';
import { makePart, type Part, type Round } from './figure.ts';
import type { Plan } from './plan.ts';
import { addWorker, allSucceeded, makeSqlStarter } from './worker_load.ts';

const GOAL = 1.2;
const FIRST_RUNS = 100;
const ALL_RUNS = 10_000;
/**
 * The number of runs between two measurements. With this number, each measurement is at the same point of the worker's
 * cycle.
 */
const RUNS_A_LOOK = 50;

/** Returns a process's resident set in KiB. */
function residentKiB(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (existsSync(file)) return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1]);
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}

/**
 * Measures a worker's resident set after its first runs and after all runs. Each round measures the same worker again,
 * `RUNS_A_LOOK` runs later. A new worker for each round would take longer than all other figures.
 */
export const measureWorkerMemory = async (plan: Plan): Promise<Part[]> => [
  await withBenchStack('worker-memory', async (bench) => {
    const starter = makeSqlStarter(bench, await bench.deploy(await bench.storeFlow(textFlow())));
    const worker = await addWorker(bench);
    let done = 0;
    const runUntil = async (count: number): Promise<number> => {
      if (count > done) await starter.start(count - done);
      done = Math.max(count, done);
      await allSucceeded(bench);
      return residentKiB(worker.process.pid!);
    };
    const look = async (runs: number): Promise<number[]> => {
      const looks = [];
      for (let round = 0; round < plan.rounds; round++) looks.push(await runUntil(runs + round * RUNS_A_LOOK));
      return looks;
    };
    try {
      const early = await look(FIRST_RUNS);
      const late = await look(ALL_RUNS / plan.shrink);
      const rounds: Round[] = early.map((baseline, round) => ({ measured: late[round]!, baseline }));
      const name = `a worker's resident set after ${ALL_RUNS / plan.shrink} runs against ${FIRST_RUNS}`;
      return makePart({ name, unit: 'KiB', goal: GOAL, rounds });
    } finally {
      await worker.end('SIGTERM');
      await starter.close();
    }
  }),
  await measureLoopHeap(plan),
];
