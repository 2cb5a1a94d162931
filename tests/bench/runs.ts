import { textFlow } from '../support/flow_builder.ts';
import type { WorkerProcess } from '../support/worker_process.ts';
import { withBenchStack } from './bench_stack.ts';
import { measureEngineOverhead } from './engine_overhead.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { makeFloor } from './floor.ts';
import { type Plan, takeRounds } from './plan.ts';
import { time } from './statistics.ts';
import { measureTransactionTime } from './transaction_time.ts';
import { addWorker, allSucceeded, IN_FLIGHT, makeSqlStarter, repeat } from './worker_load.ts';

const GOAL = 0.85;
const RUNS = 2_000;
/** Cases with fewer runs: more workers, and a worker over HTTP. Their results have no goals and are only printed. */
const WORKERS = [2, 4];
const FEWER_RUNS = 500;

/**
 * Measures the runs per second, from their start in SQL to their end by worker processes. The baseline is the floor.
 * Also measures the engine's overhead per node.
 */
export const measureRuns = async (plan: Plan): Promise<Part[]> => [
  ...await withBenchStack('runs', async (bench) => {
    const starter = makeSqlStarter(bench, await bench.deploy(await bench.storeFlow(textFlow())));
    const floor = makeFloor(bench, IN_FLIGHT);
    const workers: WorkerProcess[] = [];
    const endWorkers = () => Promise.all(workers.splice(0).map((worker) => worker.end('SIGTERM')));
    const count = Math.ceil(RUNS / plan.shrink);
    const fewer = Math.ceil(FEWER_RUNS / plan.shrink);
    const perSecond = async (count: number, work: () => Promise<unknown>) => {
      await bench.clearRuns();
      return count / (await time(work) / 1_000);
    };
    const runAll = (count: number) => perSecond(count, () => starter.start(count).then(() => allSucceeded(bench)));
    const runFloor = (count: number) => perSecond(count, () => repeat(count, floor.run));
    const perSecondOf = { unit: 'a second', goalKind: 'at least' } as const;
    try {
      workers.push(await addWorker(bench, 'HTTP'));
      await runAll(fewer);
      const overHttp = await takeRounds(plan.rounds, () => runAll(fewer), () => runFloor(fewer));
      await endWorkers();
      workers.push(await addWorker(bench));
      await runAll(fewer);
      const one = await takeRounds(plan.rounds, () => runAll(count), () => runFloor(count));
      const alone: number[] = [];
      for (let round = 0; round < plan.rounds; round++) alone.push(await runAll(fewer));
      const parts = [
        makePart({ ...perSecondOf, name: 'one worker over Postgres against the floor', goal: GOAL, rounds: one }),
        makePart({ ...perSecondOf, name: 'one worker over HTTP against the floor', rounds: overHttp }),
      ];
      for (const total of WORKERS) {
        while (workers.length < total) workers.push(await addWorker(bench));
        const rounds: Round[] = [];
        for (let round = 0; round < plan.rounds; round++) {
          rounds.push({ measured: await runAll(fewer), baseline: alone[round]! });
        }
        parts.push(makePart({ ...perSecondOf, name: `${total} workers over Postgres against one`, rounds }));
      }
      return parts;
    } finally {
      await endWorkers();
      await Promise.all([starter.close(), floor.close()]);
    }
  }),
  ...await measureEngineOverhead(plan),
  await measureTransactionTime(plan),
];
