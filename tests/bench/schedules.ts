import { setTimeout } from 'node:timers/promises';
import { startSweeper } from '../../dev/stack/sweeper.ts';
import { textFlow } from '../support/flow_builder.ts';
import { waitFor } from '../support/wait.ts';
import { type BenchStack, withBenchStack } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import type { Plan } from './plan.ts';
import { median, time } from './statistics.ts';

const SCHEDULES = 10_000;
const DUE_A_SECOND = 100;
/** A project with many schedules. */
const MANY = 1_000_000;
const MANY_DUE_A_SECOND = 2_000;
/** The interval at which pg_cron calls `private.drive_schedules`, or at once after a call that lasts longer. */
const CRON_MS = 2_000;
/** The seconds of a round. In each second, as many schedules are due. */
const SECONDS = 20;
/** The greatest delay of a start after its planned time, in milliseconds. */
const LATEST_MS = 10_000;
/** The greatest duration of a sweep that starts the schedules of one second, in milliseconds. */
const SWEEP_MS = 50;
/** The number of sweeps in a round. The round's result is their median. */
const SWEEPS = 20;

/**
 * Sets the planned times of a round: in each second from now on, as many schedules are due. All others are due next
 * year.
 */
async function planStarts({ sql }: BenchStack, seconds: number, dueASecond = DUE_A_SECOND): Promise<void> {
  await sql`truncate bench.planned_starts`;
  await sql`
    insert into bench.planned_starts (schedule_id, planned_at)
    select s.id, clock_timestamp() + (row_number() over (order by s.id) - 1) * interval '1 second' / ${dueASecond}::integer
    from (select id from public.flow_schedules order by id limit ${seconds * dueASecond}) as s`;
  await sql`
    update public.flow_schedules as s set next_start_at = p.planned_at from bench.planned_starts as p where p.schedule_id = s.id`;
}

/** Returns the greatest delay of a start in a round, in milliseconds. The local stack's sweeper makes the starts. */
async function measureLatest(bench: BenchStack, seconds: number): Promise<number> {
  await bench.clearRuns();
  await planStarts(bench, seconds);
  const sweeper = startSweeper(bench.status, () => {});
  try {
    return await waitFor(async () => {
      const [row] = await bench.sql`
        select count(r.id)::integer as runs, extract(epoch from max(r.created_at - p.planned_at))::float8 * 1000 as latest
        from bench.planned_starts as p left join public.flow_run as r on r.schedule_id = p.schedule_id`;
      return row!.runs === seconds * DUE_A_SECOND ? row!.latest as number : undefined;
    }, seconds * 1_000 + 60_000);
  } finally {
    sweeper.stop();
  }
}

/** Returns the median duration of a sweep in milliseconds. Before each sweep, `due` schedules become due. */
async function measureSweep({ sql }: BenchStack, due: number): Promise<number> {
  const times: number[] = [];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    await sql`
      update public.flow_schedules set next_start_at = clock_timestamp()
      where id in (select id from public.flow_schedules order by id limit ${due})`;
    times.push(await time(() => sql`select public.start_due_schedules(${DUE_A_SECOND}::integer)`));
  }
  return median(times);
}

/**
 * Stores schedules of an owner that start a flow next year. The triggers are off, because they count the owner's
 * schedules for each row.
 */
const storeSchedules = ({ sql, owner }: BenchStack, flowId: number, count: number) =>
  sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into public.flow_schedules (user_id, flow, tag, cron, next_start_at)
      select ${owner.id}, ${flowId}, 'latest', '0 0 1 1 *', now() + interval '1 year' from generate_series(1, ${count}::integer)`;
  });

/** Calls `private.drive_schedules` as pg_cron does. Returns the greatest delay of a start, until its commit. */
async function measureLatestByCron(bench: BenchStack, seconds: number, dueASecond: number): Promise<number> {
  await bench.clearRuns();
  await planStarts(bench, seconds, dueASecond);
  let latest = 0;
  for (;;) {
    const [oldest] = await bench.sql`
      select min(p.planned_at) as due_at from bench.planned_starts as p
      join public.flow_schedules as s on s.id = p.schedule_id and s.next_start_at = p.planned_at`;
    if (oldest!.due_at === null) return latest;
    const took = await time(() => bench.sql`select private.drive_schedules()`);
    latest = Math.max(latest, Date.now() - oldest!.due_at.getTime());
    await setTimeout(Math.max(0, CRON_MS - took));
  }
}

/** Measures a million schedules, of which two thousand are due each second. */
export const measureManySchedules = (plan: Plan): Promise<Part[]> =>
  withBenchStack('many-schedules', async (bench) => {
    const dueASecond = MANY_DUE_A_SECOND / plan.shrink;
    const flowId = await bench.storeFlow(textFlow());
    await bench.deploy(flowId);
    await storeSchedules(bench, flowId, MANY / plan.shrink);
    await bench.sql`create table bench.planned_starts (schedule_id uuid primary key, planned_at timestamptz not null)`;
    const rounds: Round[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const seconds = Math.ceil(SECONDS / Math.min(plan.shrink, 10));
      rounds.push({ measured: await measureLatestByCron(bench, seconds, dueASecond), baseline: LATEST_MS });
    }
    return [makePart({ name: "the latest start by pg_cron's job, against 10 s", unit: 'ms', goal: 1, rounds })];
  });

/** Measures ten thousand schedules, of which a hundred are due each second. */
export const measureSchedules = (plan: Plan): Promise<Part[]> =>
  withBenchStack('schedules', async (bench) => {
    const { sql, owner } = bench;
    const schedules = SCHEDULES / Math.min(plan.shrink, 10);
    const seconds = Math.ceil(SECONDS / Math.min(plan.shrink, 10));
    const flowId = await bench.storeFlow(textFlow());
    await bench.deploy(flowId);
    await sql`select private.set_quota('schedules', ${schedules})`;
    await sql`
      insert into public.flow_schedules (user_id, flow, cron)
      select ${owner.id}, ${flowId}, '0 0 1 1 *' from generate_series(1, ${schedules}::integer)`;
    await sql`create table bench.planned_starts (schedule_id uuid primary key, planned_at timestamptz not null)`;
    const latest: Round[] = [];
    const full: Round[] = [];
    const idle: Round[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      latest.push({ measured: await measureLatest(bench, seconds), baseline: LATEST_MS });
      await bench.clearRuns();
      full.push({ measured: await measureSweep(bench, DUE_A_SECOND), baseline: SWEEP_MS });
      idle.push({ measured: await measureSweep(bench, 0), baseline: SWEEP_MS });
    }
    return [
      makePart({ name: 'the latest start, after its planned time, against 10 s', unit: 'ms', goal: 1, rounds: latest }),
      makePart({ name: 'a sweep that starts 100, against 50 ms', unit: 'ms', goal: 1, rounds: full }),
      makePart({ name: 'a sweep that finds nothing due, against 50 ms', unit: 'ms', rounds: idle }),
    ];
  });
