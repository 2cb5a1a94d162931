import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;

const ENDED = 5_000;
const PENDING = 2_500;
const TABLES = ['flow_run', 'flow_run_jobs'];
const CLAIM = 'select public.claim_flow_runs(16, 60)';

interface Filling {
  owners?: number;
  ended?: number;
  queued?: number;
}

/** Stores runs of new owners: many that have ended, and some that are queued. */
const fill = (sql: Sql, filling: Filling = {}): Promise<void> => withoutTriggers(sql, () => store(sql, filling));

async function store(sql: Sql, { owners = 10, ended = ENDED, queued = PENDING }: Filling): Promise<void> {
  const ids = await sql<{ id: string }[]>`
    insert into auth.users (id, email) select gen_random_uuid(), gen_random_uuid() || '@example.com'
    from generate_series(1, ${owners}::int) returning id`;
  await sql`insert into public.flows (user_id) select unnest(${ids.map(({ id }) => id)}::uuid[])`;
  await sql`insert into private.flow_snapshots (hash, data) values (sha256(''), '{}') on conflict do nothing`;
  await sql`
    insert into public.flow_run (user_id, flow_id, inputs, chain_network, status, start_time, end_time)
    select f.user_id, f.id, '{"M": {}}', '{"cluster": "devnet"}', case when is_ended then 'succeeded' else 'queued' end,
      case when is_ended then now() end, case when is_ended then now() end
    from (select n, n <= ${ended} as is_ended from generate_series(1, ${ended + queued}) as n) as run
    join (select f.*, row_number() over (order by f.id desc) as number from public.flows as f) as f
      on f.number = n % ${owners} + 1`;
  await sql`
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state)
    select id, user_id, sha256(''), '{"chain_network": {"url": "https://example.com"}}',
      case when end_time is null then 'ready' else 'ended' end::private.job_state
    from public.flow_run as r
    where not exists (select from private.flow_run_jobs as j where j.flow_run_id = r.id)`;
}

/** Does work in a separate database. */
async function inAnother(work: (sql: Sql) => Promise<void>): Promise<void> {
  const another = await cloneDatabase();
  try {
    await work(another.connect('supabase_admin'));
  } finally {
    await another.close();
  }
}

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  await fill(sql);
  await sql`analyze`;
});
afterAll(() => database.close());

it('a claim among thousands of queued runs reads only the few that it takes', async () => {
  const { scanned, rows } = await countReads(sql, TABLES, CLAIM);
  expect(scanned).toEqual([]);
  // Each of the 16 runs is picked, started, counted, held and returned. This reads some rows of two tables.
  expect(rows).toBeLessThan(16 * 20);
});

it('a claim among the runs of thousands of owners reads only the few that it takes', () =>
  inAnother(async (sql) => {
    await fill(sql, { owners: 3_000, ended: 0 });
    await sql`analyze`;
    const { scanned, rows } = await countReads(sql, TABLES, CLAIM);
    expect(scanned).toEqual([]);
    expect(rows).toBeLessThan(16 * 25);
  }));

it.each([
  ['numbered', false],
  ['not numbered', true],
])(
  'the end of several runs, with events that are %s, reads only these runs, although the plan was made while all runs had ended',
  (_, isInOrder) =>
    inAnother(async (worker) => {
      // With fewer rows than this, a scan would look cheaper to the planner than a hundred index look-ups.
      await fill(worker, { ended: 4_000, queued: 0 });
      await worker`vacuum analyze`;
      await worker`insert into private.flow_run_events (root_flow_run_id, first_number, last_number, events)
      select id, 2, 2, array[('log', id, null, null, 0, null, null)::private.run_event] from public.flow_run`;
      await fill(worker, { owners: 1, ended: 0, queued: 16 });
      const [claimed] = await worker<{ results: object[] }[]>`
      select jsonb_agg(jsonb_build_object(
        'flow_run_id', c.flow_run_id, 'claim_number', c.claim_number, 'status', 'succeeded', 'not_run', '[]'::jsonb,
        'progress', jsonb_build_object('node_runs', jsonb_build_array(jsonb_build_object(
          'flow_run_id', c.flow_run_id, 'node_id', c.flow_run_id, 'times', 0, 'start_time', now(), 'end_time', now(),
          'input', '{"M": {}}'::jsonb, 'output', '{"M": {}}'::jsonb
        ))) || ${
        worker.json({ children: [], taken_over: [], transactions: [], inputs: [], logs: [], is_in_order: isInOrder })
      }
      )) as results from public.claim_flow_runs(16, 60) as c`;
      const finish = `public.finish_flow_runs('${JSON.stringify(claimed!.results)}')`;
      const { scanned, rows } = await countReads(
        worker,
        [...TABLES, 'node_run', 'flow_run_events', 'signature_requests'],
        `select ${finish}`,
      );
      expect(scanned).toEqual([]);
      // Each run is locked, referenced by its node, and ended. Its job is read, too.
      expect(rows).toBeLessThan(16 * 12);
      const [finished] = await worker.unsafe(`select cardinality(${finish}) as count`);
      expect(finished!.count).toBe(16);
      const [numbered] = await worker`select count(*)::integer as count from private.flow_run_events`;
      expect(numbered!['count']).toBe(4_000 + (isInOrder ? 0 : 16));
    }),
);

it('a start reads no run of its owner', async () => {
  const [flow] = await sql`select id, user_id from public.flows limit 1`;
  await sql`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: flow!.user_id, role: 'authenticated' })
  }, false)`;
  const { scanned, rows } = await countReads(sql, TABLES, `select public.start_flow(${flow!.id})`);
  expect(scanned).toEqual([]);
  expect(rows).toBe(0);
});

it('an idle claim is one index look-up, even if many runs sleep', async () => {
  await sql`
    update private.flow_run_jobs set state = 'sleeping', due_at = now() + interval '1 hour' where state in ('ready', 'held')`;
  await sql`analyze`;
  const { scanned, rows } = await countReads(sql, TABLES, CLAIM);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThanOrEqual(2);
});

it.each(['held', 'sleeping', 'waiting'])(
  'a claim of one due run reads none of the others that are %s',
  async (state) => {
    await sql`
    update private.flow_run_jobs set state = ${state}, due_at = now() + interval '1 hour' where due_at is not null`;
    await sql`
    update private.flow_run_jobs set due_at = now()
    where flow_run_id = (select flow_run_id from private.flow_run_jobs where due_at is not null order by turn limit 1)`;
    await sql`analyze`;
    const { scanned, rows } = await countReads(sql, TABLES, CLAIM);
    expect(scanned).toEqual([]);
    expect(rows).toBeLessThan(50);
    expect(await sql.unsafe(CLAIM)).toHaveLength(1);
  },
);

it('a claim that skips owners reads none of their queued runs', () =>
  inAnother(async (worker) => {
    await fill(worker, { owners: 6 });
    const owners = await worker<{ id: string }[]>`select distinct user_id as id from private.flow_run_jobs`;
    const holders = owners.slice(0, 5).map(({ id }) => `'${id}'`).join();
    const claim = `select public.claim_flow_runs(16, 60, owners_with_slots => array[${holders}]::uuid[])`;
    const { scanned, rows } = await countReads(worker, TABLES, claim);
    expect(scanned).toEqual([]);
    expect(rows).toBeLessThan(100);
    expect(await worker.unsafe(claim)).toHaveLength(1);
  }));

it('a plan that was made with almost no rows also suits thousands of rows', () =>
  inAnother(async (worker) => {
    await worker`vacuum analyze`;
    await worker`insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.com')`;
    await worker`insert into public.flows (user_id) select id from auth.users`;
    await worker`select set_config('request.jwt.claims', jsonb_build_object('sub', id, 'role', 'authenticated')::text, false) from auth.users`;
    for (let count = 0; count < 10; count++) {
      await worker`select public.start_flow(id) from public.flows`;
      await worker.unsafe(CLAIM);
    }
    await fill(worker);
    const claim = await countReads(worker, TABLES, CLAIM);
    expect(claim.scanned).toEqual([]);
    expect(claim.rows).toBeLessThan(16 * 20);
    const start = await countReads(worker, TABLES, 'select public.start_flow(min(id)) from public.flows');
    expect(start.scanned).toEqual([]);
  }));

it.each([0, 5, 300, 3_000])(
  'a plan that was made with %i queued and thousands of ended runs also suits thousands of queued runs',
  (queued) =>
    inAnother(async (worker) => {
      await fill(worker, { owners: 3, ended: ENDED / 2, queued });
      await worker`vacuum analyze`;
      if (queued === 0) await fill(worker, { owners: 1, ended: 0, queued: 1 });
      expect(await worker.unsafe(CLAIM)).toHaveLength(Math.min(Math.max(queued, 1), 16));
      await fill(worker, { owners: 5, ended: 0, queued: 2 * PENDING });
      const { scanned, rows } = await countReads(worker, TABLES, CLAIM);
      expect(scanned).toEqual([]);
      expect(rows).toBeLessThan(16 * 25);
    }),
);
