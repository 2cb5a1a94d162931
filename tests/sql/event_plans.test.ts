import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { addFlowOwners } from '../support/flow_owners.ts';
import { cachePlans, countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;
let ids: string[];

const RUNS = 200;
const EXECUTIONS = 500;
const TABLES = [
  'flow_run',
  'node_run',
  'flow_run_logs',
  'flow_run_events',
  'signature_requests',
  'api_inputs',
  'pending_inputs',
];

/** Stores runs with many executions each. Ten executions of a run begin and end at the same time. */
beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  // These plans are made while the tables are empty, and stay in use while the tables grow.
  await cachePlans(sql, [
    `select private.watched_run_events(array[gen_random_uuid()], '{0}')`,
  ]);
  const [owner] = await addFlowOwners(sql, 1);
  ids = (await sql<{ id: string }[]>`
    insert into public.flow_run (user_id, flow_id, inputs, chain_network, status, start_time)
    select ${owner!.id}, ${owner!.flowId}::integer, '{"M": {}}', '{"cluster": "devnet"}', 'running', now()
    from generate_series(1, ${RUNS}::integer) returning id`).map(({ id }) => id);
  await withoutTriggers(sql, async () => {
    await sql`insert into private.flow_snapshots (hash, data) values (sha256(''), '{"entry": {"nodes": []}, "flows": {}}')`;
    await sql`insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings)
      select id, user_id, sha256(''), '{"chain_network": {"url": "https://example.com"}}' from public.flow_run`;
    await sql`insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, end_time, input)
      select r.id, r.id, times, r.user_id, now(), now(), '{"M": {}}'
      from public.flow_run as r cross join generate_series(0, ${EXECUTIONS - 1}::integer) as times`;
    await sql`
      insert into private.flow_run_events (root_flow_run_id, first_number, last_number, events)
      select r.id, 2 + 20 * page, 21 + 20 * page, array(
        select (e.event, r.id, r.id, page * 10 + n, null, null, null)::private.run_event
        from generate_series(0, 9) as n cross join (values ('node_start'), ('node_finish')) as e (event)
      )
      from public.flow_run as r cross join generate_series(0, ${EXECUTIONS / 10 - 1}::integer) as page`;
  });
});
afterAll(() => database.close());

const look = (runIds: string[], after: number) =>
  `select private.watched_run_events('{${runIds.join()}}', '{${runIds.map(() => after).join()}}')`;

it('a read of the events of a run without news reads only its row and its last number', async () => {
  const { scanned, rows } = await countReads(sql, TABLES, look(ids.slice(0, 100), 2 * EXECUTIONS + 1));
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThanOrEqual(100 * 3);
});

it('reading the next events of a run costs the same at every position', async () => {
  for (const after of [1, EXECUTIONS, 2 * EXECUTIONS - 9]) {
    const count = Math.min(200, 2 * EXECUTIONS + 1 - after);
    const { scanned, rows } = await countReads(sql, TABLES, look([ids[0]!], after));
    expect(scanned).toEqual([]);
    // Each event reads a row of node_run. A row of events holds 20 events.
    expect(rows).toBeLessThan(count + 30);
  }
});
