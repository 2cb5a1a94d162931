import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { addFlowOwners } from '../support/flow_owners.ts';
import { cachePlans, countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;
let rootId: string;

const TREES = 100;
const CALLED = 300;

/**
 * Stores trees in which a run calls hundreds of runs, so that the planner expects hundreds of called runs for every
 * run. Also stores a tree with a single called run.
 */
beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  // These plans are made while the tables are empty, and stay in use while the tables grow.
  await cachePlans(sql, [
    `select private.end_flow_run(gen_random_uuid(), 'failed', null, '{a failed}', null)`,
    `select private.flow_run_history(gen_random_uuid())`,
  ]);
  const [owner] = await addFlowOwners(sql, 1);
  const storeRuns = async (parents: (string | null)[], count: number) =>
    (await sql<{ id: string }[]>`
      insert into public.flow_run (
        user_id, flow_id, inputs, chain_network, status, start_time, parent_flow_run_id, parent_node_id, parent_times
      )
      select ${owner!.id}, ${owner!.flowId}::integer, '{"M": {}}', '{"cluster": "devnet"}', 'running', now(),
        parent.id, parent.id, case when parent.id is not null then n end
      from unnest(${parents}::uuid[]) as parent (id) cross join generate_series(1, ${count}::integer) as n
      returning id`).map(({ id }) => id);
  await withoutTriggers(sql, async () => {
    const roots = await storeRuns([null], TREES + 1);
    rootId = roots.pop()!;
    const called = await storeRuns(roots, CALLED);
    const calledOnce = await storeRuns([rootId], 1);
    await sql`insert into private.flow_snapshots (hash, data) values (sha256(''), '{"entry": {"nodes": []}, "flows": {}}')`;
    await sql`insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings)
      select id, user_id, sha256(''), '{"chain_network": {"url": "https://example.com"}}' from public.flow_run where parent_flow_run_id is null`;
    await sql`insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
      select r.id, r.id, times, r.user_id, now(), '{"M": {}}'
      from public.flow_run as r cross join generate_series(0, 1) as times
      where r.id = any (${[...called, ...calledOnce]})`;
  });
});
afterAll(() => database.close());

const TABLES = ['flow_run', 'node_run'];

it('the end of a run looks only for its own called runs', async () => {
  const { scanned, rows } = await countReads(
    sql,
    TABLES,
    `select private.end_flow_run('${rootId}', 'failed', null, '{a failed}', null)`,
  );
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(30);
});

it('the history of a run looks only for its own called runs', async () => {
  const { scanned, rows } = await countReads(sql, TABLES, `select private.flow_run_history('${rootId}')`);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(30);
});

it('the deletion of a run looks only for its own called runs', async () => {
  const { scanned, rows } = await countReads(sql, TABLES, `delete from public.flow_run where id = '${rootId}'`);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(30);
});

it('the end of a large tree reads each of its runs a few times', async () => {
  const [parent] = await sql<{ id: string }[]>`
    select parent_flow_run_id as id from public.flow_run where parent_flow_run_id <> ${rootId} limit 1`;
  const { scanned, rows } = await countReads(
    sql,
    TABLES,
    `select private.end_flow_run('${parent!.id}', 'stopped', null, null, null)`,
  );
  expect(scanned).toEqual([]);
  expect(rows).toBeGreaterThan(CALLED);
  expect(rows).toBeLessThan(5 * CALLED);
});
