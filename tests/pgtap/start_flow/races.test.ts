import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let owner: Sql;
let starter: Sql;
let admin: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  [owner, starter, admin] = [database.connect(), database.connect(), database.connect('supabase_admin')];
});
afterAll(() => database.close());

/** Makes take_snapshot wait for the advisory lock before it starts its work. */
async function delaySnapshots(): Promise<void> {
  const [row] = await admin`select pg_get_functiondef('private.take_snapshot'::regproc) as source`;
  await admin.unsafe(row!.source.replace('\nbegin\n', '\nbegin\n  perform pg_advisory_xact_lock(1);\n'));
}

it('if a flow is edited during its start, graph and network of the run are both from before the edit or both from after it', async () => {
  const userId = randomUUID();
  await owner`insert into auth.users (id) values (${userId})`;
  await starter`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: userId, role: 'authenticated' })
  }, false)`;
  const [flow] = await owner`insert into public.flows (user_id) values (${userId}) returning id`;
  await delaySnapshots();

  await admin`begin`;
  await admin`select pg_advisory_xact_lock(1)`;
  const starting = starter`select public.start_flow(${flow!.id}) ->> 'flow_run_id' as id`.then((rows) => rows[0]!.id);
  await hasToWait(admin, starting);
  await owner`
    update public.flows set environment = '{"EDITED": "1"}', chain_network = '{"url": "https://rpc.example.com", "cluster": "mainnet-beta"}'
    where id = ${flow!.id}`;
  await admin`commit`;

  const [run] = await owner`
    select r.chain_network ->> 'cluster' as cluster, s.data #>> '{entry,environment}' as environment
    from public.flow_run as r
    join private.flow_run_jobs as j on j.flow_run_id = r.id
    join private.flow_snapshots as s on s.hash = j.snapshot_hash
    where r.id = ${await starting}`;
  expect(run).toEqual({ cluster: 'devnet', environment: '{}' });
});
