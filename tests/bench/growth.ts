/** Prints what a start, a run, a claim and a sweep consume, as in docs/operating/scaling.md. */
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { textFlow } from '../support/flow_builder.ts';
import { type BenchStack, withBenchStack } from './bench_stack.ts';
import { runLoad } from './load.ts';
import { storeQueue } from './queue_rows.ts';
import { median, time } from './statistics.ts';
import { addWorker, allSucceeded, IN_FLIGHT, makeSqlStarter } from './worker_load.ts';

const LOAD_MS = 3_000;
const RUNS = 1_500;
const CLAIMS = 25;
const CLAIMED_AT_A_TIME = [1, 16, 64];
/** Queues whose runs belong to several owners. In some queues, workers hold the first runs. */
const QUEUES = [
  { queued: 5_000, owners: 1, held: 0 },
  { queued: 100_000, owners: 1, held: 0 },
  { queued: 100_000, owners: 1_000, held: 0 },
  { queued: 20_000, owners: 1, held: 1_000 },
  { queued: 20_000, owners: 1, held: 10_000 },
  { queued: 20_000, owners: 1_000, held: 10_000 },
  { queued: 20_000, owners: 1, held: 100_000 },
];
const SWEPT = 10_000;

const TABLES = ['public.flow_run', 'public.node_run', 'private.flow_run_jobs'];

/** The consumption of a database: bytes of WAL, transaction ids, multixacts and their members. */
type Counters = Record<'wal' | 'xids' | 'multixacts' | 'members', number>;

async function readCounters({ sql }: BenchStack): Promise<Counters> {
  // `pg_control_checkpoint()` shows the ids of the last checkpoint, so make a checkpoint now.
  await sql`checkpoint`;
  const [row] = await sql<Counters[]>`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, split_part(c.next_xid, ':', 2)::float8 as xids,
      c.next_multixact_id::text::float8 as multixacts, c.next_multi_offset::text::float8 as members
    from pg_control_checkpoint() as c`;
  return row!;
}

async function measureStarts(bench: BenchStack, deploymentId: string): Promise<void> {
  const starter = makeSqlStarter(bench, deploymentId);
  const load = (milliseconds: number) => runLoad(IN_FLIGHT, milliseconds, starter.startOne);
  await bench.clearRuns();
  await load(LOAD_MS / 4);
  const before = await readCounters(bench);
  const { latencies, perSecond } = await load(LOAD_MS);
  const after = await readCounters(bench);
  await starter.close();
  const each = (name: keyof Counters) => (after[name] - before[name]) / latencies.length;
  console.log(`start of one deployment, ${IN_FLIGHT} connections: ${perSecond.toFixed(0)} a second`);
  console.log(`  ${each('wal').toFixed(0)} bytes of WAL, ${each('xids').toFixed(2)} transaction ids`);
  console.log(`  ${each('multixacts').toFixed(2)} multixacts of ${each('members').toFixed(1)} members in all`);
}

async function tableBytes(sql: Sql): Promise<number[]> {
  await sql`vacuum`;
  const rows = await sql`
    select pg_total_relation_size(t.name::regclass)::float8 as bytes
    from unnest(${TABLES}::text[]) with ordinality as t (name, position) order by t.position`;
  return rows.map((row) => row.bytes);
}

async function measureRuns(bench: BenchStack, deploymentId: string): Promise<void> {
  const starter = makeSqlStarter(bench, deploymentId);
  await bench.clearRuns();
  const before = await tableBytes(bench.sql);
  await starter.start(RUNS);
  await starter.close();
  const begun = await readCounters(bench);
  const worker = await addWorker(bench);
  await allSucceeded(bench);
  const ended = await readCounters(bench);
  await worker.end('SIGTERM');
  const after = await tableBytes(bench.sql);
  console.log(`run of three nodes: ${((ended.wal - begun.wal) / RUNS).toFixed(0)} bytes of WAL from claim to end`);
  TABLES.forEach((name, index) => {
    console.log(`  ${((after[index]! - before[index]!) / RUNS).toFixed(0)} bytes of ${name} and its indexes`);
  });
}

async function measureClaims(bench: BenchStack): Promise<void> {
  const { sql } = bench;
  const [snapshot] = await sql`select encode(hash, 'hex') as hash from private.flow_snapshots limit 1`;
  const claim = (count: number) =>
    sql`select flow_run_id from private.claim_flow_runs(${count}, 30, array[${snapshot!.hash}], 5, 0)`;
  for (const queue of QUEUES) {
    await bench.clearRuns();
    await storeQueue(sql, queue);
    await sql`vacuum analyze`;
    const medians: string[] = [];
    for (const count of CLAIMED_AT_A_TIME) {
      const times: number[] = [];
      for (let claims = 0; claims < CLAIMS; claims++) times.push(await time(() => claim(count)));
      medians.push(`${median(times).toFixed(1)} ms of ${count}`);
    }
    const { queued, owners, held } = queue;
    console.log(`claim from ${queued} queued of ${owners} owners behind ${held} held: ${medians.join(', ')}`);
  }
}

async function measureSweep(bench: BenchStack): Promise<void> {
  const { sql, owner } = bench;
  await bench.clearRuns();
  await sql`
    with run as (
      insert into public.flow_run (id, user_id, flow_id, status, inputs, output, start_time, end_time, chain_network)
      select private.uuid_v7(t.at), ${owner.id}, 1, 'succeeded', '{"M": {}}', '{"M": {}}', t.at, t.at, '{"cluster": "devnet"}'
      from generate_series(1, ${SWEPT}::integer) as i
      cross join lateral (select now() - interval '40 days' + i * interval '1 second' as at) as t
      returning id, user_id, start_time
    ),
    node as (
      insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
      select run.id, gen_random_uuid(), 0, run.user_id, run.start_time, '{"M": {}}' from run cross join generate_series(1, 3)
    )
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state)
    select run.id, run.user_id, (select hash from private.flow_snapshots limit 1),
      '{"chain_network": {"url": "http://127.0.0.1:9"}}', 'ended'
    from run`;
  await sql`vacuum analyze`;
  const before = await readCounters(bench);
  const sweeping = await time(() => sql`select public.sweep_runner('30 days', ${SWEPT})`);
  const after = await readCounters(bench);
  const megabytes = (after.wal - before.wal) / 1e6;
  console.log(`sweep of ${SWEPT} runs: ${sweeping.toFixed(0)} ms, ${megabytes.toFixed(1)} MB of WAL`);
}

await withBenchStack('growth', async (bench) => {
  const deploymentId = await bench.deploy(await bench.storeFlow(textFlow()));
  await measureStarts(bench, deploymentId);
  await measureRuns(bench, deploymentId);
  await measureClaims(bench);
  await measureSweep(bench);
});
process.exit();
