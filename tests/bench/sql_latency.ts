import { textFlow } from '../support/flow_builder.ts';
import { withBenchStack } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { watchFinishedRuns } from './finished_runs.ts';
import { makeFloor } from './floor.ts';
import type { Plan } from './plan.ts';
import { percentile, time } from './statistics.ts';
import { addWorker, makeSqlStarter } from './worker_load.ts';

const P50_GOAL = 1.6;
const P99_GOAL = 5;
/** The runs of a round, one at a time, and the same number for the floor. */
const RUNS = 500;
/**
 * The turns of runs and floor in a round. Runs and floor take turns because the machine's speed changes from second to
 * second.
 */
const TURNS = 20;

/** The milliseconds of a run: of its start alone, and from its start to its end. */
interface Timed {
  start: number;
  finished: number;
}

/**
 * Measures the time from a start in SQL until a worker over Postgres has ended the run. The baseline is the floor. Both
 * use one connection, with one run at a time.
 */
export const measureSqlLatency = (plan: Plan): Promise<Part[]> =>
  withBenchStack('sql-latency', async (bench) => {
    const starter = makeSqlStarter(bench, await bench.deploy(await bench.storeFlow(textFlow())), 1);
    const floor = makeFloor(bench, 1);
    const worker = await addWorker(bench);
    const runs = watchFinishedRuns(worker);
    const runOne = async (): Promise<Timed> => {
      const began = performance.now();
      const flowRunId = await starter.startOne();
      const start = performance.now() - began;
      return { start, finished: await runs.finishedAt(flowRunId) - began };
    };
    const many = async <Result>(count: number, work: () => Promise<Result>): Promise<Result[]> => {
      const results = [];
      for (let index = 0; index < count; index++) results.push(await work());
      return results;
    };
    /** Times `count` runs and `count` loops of the floor, in turns. Every second turn begins with the floor. */
    const inTurns = async (count: number): Promise<{ timed: Timed[]; floors: number[] }> => {
      const timed: Timed[] = [];
      const floors: number[] = [];
      const some = Math.ceil(count / TURNS);
      for (let turn = 0; turn < TURNS; turn++) {
        if (turn % 2 === 0) timed.push(...await many(some, runOne));
        floors.push(...await many(some, () => time(floor.run)));
        if (turn % 2 !== 0) timed.push(...await many(some, runOne));
      }
      return { timed, floors };
    };
    const count = Math.ceil(RUNS / Math.min(plan.shrink, 10));
    const p50: Round[] = [];
    const p99: Round[] = [];
    const starts: Round[] = [];
    try {
      for (let round = 0; round < plan.rounds; round++) {
        await bench.clearRuns();
        // Warms up processes and cached plans.
        await inTurns(round === 0 ? count : TURNS * 5);
        const { timed, floors } = await inTurns(count);
        const baseline = percentile(floors, 0.5);
        const finished = timed.map(({ finished }) => finished);
        p50.push({ measured: percentile(finished, 0.5), baseline });
        p99.push({ measured: percentile(finished, 0.99), baseline });
        starts.push({ measured: percentile(timed.map(({ start }) => start), 0.5), baseline });
      }
    } finally {
      await worker.end('SIGTERM');
      await Promise.all([starter.close(), floor.close()]);
    }
    return [
      makePart({ name: "one at a time, p50 against the floor's", unit: 'ms', goal: P50_GOAL, rounds: p50 }),
      makePart({ name: "one at a time, p99 against the floor's p50", unit: 'ms', goal: P99_GOAL, rounds: p99 }),
      makePart({ name: "its start alone, p50 against the floor's", unit: 'ms', rounds: starts }),
    ];
  });
