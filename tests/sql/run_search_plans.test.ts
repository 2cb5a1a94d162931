import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;

const RUNS = 20_000;
const NODE = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';

/** Stores two users with a flow and this many runs each. One run in ten has failed. */
async function fill(): Promise<void> {
  await sql`insert into auth.users (id, email) select gen_random_uuid(), n || '@example.com' from generate_series(1, 2) as n`;
  await sql`insert into public.flows (user_id) select id from auth.users`;
  await sql`
    insert into public.flow_run
      (id, user_id, flow_id, started_by, inputs, chain_network, status, start_time, end_time, errors)
    select private.uuid_v7(now() - n * interval '1 second'), f.user_id, f.id, f.user_id, '{"M": {}}', '{"cluster": "devnet"}',
      case when n % 10 = 0 then 'failed' else 'succeeded' end, now(), now(),
      case when n % 10 = 0 then array['Fetch ' || ${NODE} || ': status ' || n] end
    from public.flows as f cross join generate_series(1, ${RUNS}) as n`;
}

const asUser = (statement: string) =>
  `select set_config('request.jwt.claims',
  json_build_object('sub', (select min(id::text) from auth.users), 'role', 'authenticated')::text, true); ${statement}`;
const find = (filter: string) => asUser(`select public.find_flow_runs(${filter})`);

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  await withoutTriggers(sql, fill);
});
afterAll(() => database.close());

const reads = (statement: string) => countReads(sql, ['flow_run'], statement);

it('a page of the list reads only its runs', async () => {
  for (const filter of ['', `search => 'STATUS'`, `status => 'failed'`, `starter => 'user'`]) {
    const { scanned, rows } = await reads(find(filter));
    expect(scanned).toEqual([]);
    expect(rows).toBeLessThan(600);
  }
});

it('a search for a text that no run has reads the runs of the user in both indexes, for the search and for the count', async () => {
  const { scanned, rows } = await reads(find(`search => 'not there'`));
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(4 * RUNS + 100);
});

it('an overview reads at most the counted runs, in both indexes', async () => {
  const { scanned, rows } = await reads(asUser(`select public.flow_run_overview(since => now() - interval '9 days')`));
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(10_100);
});
