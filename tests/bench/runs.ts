import { connect } from '../../supabase/local/postgres.ts';
import { textFlow } from '../support/flow_builder.ts';
import type { WorkerProcess } from '../support/worker_process.ts';
import { type BenchStack, withBenchStack } from './bench_stack.ts';
import { measureEngineOverhead } from './engine_overhead.ts';
import { makePart, type Part, type Round } from './figure.ts';
import { type Plan, takeRounds } from './plan.ts';
import { time } from './statistics.ts';
import { measureTransactionTime } from './transaction_time.ts';
import { addWorker, allSucceeded, IN_FLIGHT, makeSqlStarter, repeat } from './worker_load.ts';

const GOAL = 0.6;
const RUNS = 2_000;
/** With more workers than the one that the goal is for; fewer runs tell how it grows. */
const WORKERS = [2, 4];
const RUNS_OF_MORE_WORKERS = 500;

/** The least that a run of three nodes costs, by one loop over the database itself: bare, a claim, three inserts, an update. */
function makeFloor({ stack }: BenchStack) {
  const sql = connect(stack.superuserUrl, { max: IN_FLIGHT });
  const deploymentId = '00000000-0000-7000-8000-000000000001';
  const value = sql.json({ value: { D: '7' } });
  const row = sql.json({ input: { M: { value: { D: '7' } } }, output: { M: { value: { D: '7' } } } });
  /** Of two at a time, one may take the only message that the other sees; there is one for each. */
  const claim = async (): Promise<string> => {
    const [claimed] = await sql`select message ->> 'flow_run_id' as id from pgmq.pop('bench')`;
    return claimed?.id ?? await claim();
  };
  const run = async (): Promise<void> => {
    await sql`select bench.start(${deploymentId}::uuid, ${value})`;
    const id = await claim();
    for (let node = 0; node < 3; node++) {
      await sql`insert into bench.node_runs (run_id, node, data) values (${id}, ${node}, ${row})`;
    }
    await sql`update bench.runs set output = ${value}, end_time = clock_timestamp() where id = ${id}`;
  };
  return { run, close: () => sql.end() };
}

/** Runs a second, from their start in SQL to their end by worker processes, against a floor; and what the engine adds to a node. */
export const measureRuns = async (plan: Plan): Promise<Part[]> => [
  ...await withBenchStack('runs', async (bench) => {
    const starter = makeSqlStarter(bench, await bench.deploy(await bench.storeFlow(textFlow())));
    const floor = makeFloor(bench);
    const workers: WorkerProcess[] = [];
    const count = Math.ceil(RUNS / plan.shrink);
    const fewer = Math.ceil(RUNS_OF_MORE_WORKERS / plan.shrink);
    const perSecond = async (count: number, work: () => Promise<unknown>) => {
      await bench.clearRuns();
      return count / (await time(work) / 1_000);
    };
    const runAll = (count: number) => perSecond(count, () => starter.start(count).then(() => allSucceeded(bench)));
    const runFloor = () => perSecond(count, () => repeat(count, floor.run));
    try {
      workers.push(await addWorker(bench));
      await runAll(fewer);
      const one = await takeRounds(plan.rounds, () => runAll(count), runFloor);
      const alone: number[] = [];
      for (let round = 0; round < plan.rounds; round++) alone.push(await runAll(fewer));
      const parts = [
        makePart({
          name: 'one worker against the floor',
          unit: 'a second',
          goalKind: 'at least',
          goal: GOAL,
          rounds: one,
        }),
      ];
      for (const total of WORKERS) {
        while (workers.length < total) workers.push(await addWorker(bench));
        const rounds: Round[] = [];
        for (let round = 0; round < plan.rounds; round++) {
          rounds.push({ measured: await runAll(fewer), baseline: alone[round]! });
        }
        parts.push(makePart({ name: `${total} workers against one`, unit: 'a second', goalKind: 'at least', rounds }));
      }
      return parts;
    } finally {
      await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
      await Promise.all([starter.close(), floor.close()]);
    }
  }),
  ...await measureEngineOverhead(plan),
  await measureTransactionTime(plan),
];
