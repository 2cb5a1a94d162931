import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { calledRun } from '../../support/called_run.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let observer: Sql;
let worker: Sql;
let deleter: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  [observer, worker, deleter] = [database.connect(), database.connect(), database.connect()];
});
afterAll(() => database.close());

it('a run that is called while its starter is deleted has no starter, and there is no deadlock', async () => {
  const [ownerId, starterId, childId] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [ownerId, starterId]) {
    await worker`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
  }
  const actAs = (id: string) =>
    worker`select set_config('request.jwt.claims', ${JSON.stringify({ sub: id, role: 'authenticated' })}, false)`;
  await actAs(ownerId);
  const [flow] = await worker`
    insert into public.flows (user_id, is_public, start_shared) values (${ownerId}, true, true) returning id`;
  const [deployment] = await worker`select public.deploy_flow(${flow!.id}) ->> 'deployment_id' as id`;
  await actAs(starterId);
  const [{ id }] = await worker<[{ id: string }]>`
    select public.start_deployment(id => ${deployment!.id}) ->> 'flow_run_id' as id`;
  await worker`select public.claim_flow_runs(1, 60)`;

  await worker`begin`;
  const [run] = await worker<[{ run: string }]>`select private.lock_claimed_run(${id}, 1)::text as run`;
  const deleting = codeOf(deleter`delete from auth.users where id = ${starterId}`);
  await hasToWait(observer, deleting);
  const child = calledRun(childId, id, flow!.id);
  await worker`select private.store_called_runs(${run!.run}::public.flow_run, ${worker.json([child])})`;
  await worker`commit`;
  expect(await deleting).toBe('done');
  const named = await observer`select from public.flow_run where id in (${id}, ${childId}) and started_by is null`;
  expect(named.count).toBe(2);
});
