import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { textFlow } from '../support/flow_builder.ts';
import { type BenchStack, withBenchStack } from './bench_stack.ts';
import { makePart, type Part } from './figure.ts';
import type { Plan } from './plan.ts';
import { storeQueue } from './queue_rows.ts';
import { median, time } from './statistics.ts';

/** The runs that are claimed at a time, and the claims of a round. The round's result is the median of its claims. */
const CLAIMED = 16;
const CLAIMS = 100;
const HELD = 10_000;
const SLEEPING_OR_WAITING = 1_000_000;
/** The owners of a queue in which each owner has one run. */
const OWNERS = 10_000;
const GOAL = 1.3;

/** Stores jobs that no claim may take for an hour. There are no rows of their runs. */
const storeUndueJobs = (sql: Sql, ownerId: string, state: string, count: number) =>
  sql`
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state, due_at)
    select gen_random_uuid(), ${ownerId}, (select hash from private.flow_snapshots limit 1), '{}', ${state}::private.job_state,
      now() + interval '1 hour' + i * interval '1 millisecond'
    from generate_series(1, ${count}::integer) as i`;

/** Claims runs, of one owner or of as many as there are runs, and ends them. Returns the median of the claims in milliseconds. */
async function measureRound({ sql }: BenchStack, owners = 1): Promise<number> {
  const [snapshot] = await sql`select encode(hash, 'hex') as hash from private.flow_snapshots limit 1`;
  await storeQueue(sql, { queued: Math.max(CLAIMED * CLAIMS, owners), owners, held: 0 });
  await sql`vacuum analyze private.flow_run_jobs`;
  const times: number[] = [];
  for (let claim = 0; claim < CLAIMS; claim++) {
    times.push(
      await time(() =>
        sql`select flow_run_id from private.claim_flow_runs(${CLAIMED}, 3600, array[${snapshot!.hash}], 5, 0)`
      ),
    );
  }
  await sql`update private.flow_run_jobs set state = 'ended', due_at = null where claim_number > 0 or state = 'ready'`;
  return median(times);
}

/** Measures a claim beside many runs that nobody may claim, against a claim without them. */
export const measureClaims = (plan: Plan): Promise<Part[]> =>
  withBenchStack('claims', async (bench) => {
    const { sql, owner } = bench;
    await bench.deploy(await bench.storeFlow(textFlow()));
    await bench.clearRuns();
    // The rows are stored once, because storing them takes longer than all claims. So the sides do not alternate.
    const rounds = async (owners = 1) => {
      const medians: number[] = [];
      for (let round = 0; round < plan.rounds; round++) medians.push(await measureRound(bench, owners));
      return medians;
    };
    const alone = await rounds();
    const against = (measured: number[]) =>
      measured.map((value, round) => ({ measured: value, baseline: alone[round]! }));
    const ofMany = await rounds(OWNERS / plan.shrink);
    await storeUndueJobs(sql, owner.id, 'held', HELD / plan.shrink);
    const besideHeld = await rounds();
    for (const state of ['sleeping', 'waiting']) {
      await storeUndueJobs(sql, owner.id, state, SLEEPING_OR_WAITING / 2 / plan.shrink);
    }
    const besideAll = await rounds();
    return [
      makePart({ name: '10,000 owners with one run each, against one owner', unit: 'ms', rounds: against(ofMany) }),
      makePart({ name: '10,000 held', unit: 'ms', goal: GOAL, rounds: against(besideHeld) }),
      makePart({
        name: '10,000 held, 1,000,000 sleeping or waiting',
        unit: 'ms',
        goal: GOAL,
        rounds: against(besideAll),
      }),
    ];
  });
