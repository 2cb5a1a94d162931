import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let observer: Sql;
let blocker: Sql;
let worker: Sql;
let deleter: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  const connect = () => database.connect();
  [observer, blocker, worker, deleter] = [connect(), connect(), connect(), connect()];
});
afterAll(() => database.close());

it.each([
  ['who started a run', 'starter', [{ user_id: null, started_by: null }]],
  ["a run's owner", 'owner', []],
])('%s is deleted while the run asks for a signature: there is no deadlock', async (_who, role, left) => {
  const ids = { owner: randomUUID(), starter: randomUUID() };
  for (const id of Object.values(ids)) {
    await worker`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
  }
  const [{ id }] = await worker<[{ id: string }]>`select test.claimed_run(${ids.owner}) as id`;
  await worker`update public.flow_run set started_by = ${ids.starter} where id = ${id}`;

  await blocker`begin`;
  await blocker`lock table public.signature_requests in exclusive mode`;
  const asking = codeOf(worker`select test.ask(${id}, test.request())`);
  await hasToWait(observer, asking);
  const deleting = codeOf(deleter`delete from auth.users where id = ${ids[role as keyof typeof ids]}`);
  await hasToWait(observer, deleting, 2);
  await blocker`commit`;

  expect([await asking, await deleting]).toEqual(['done', 'done']);
  const named = await observer`
    select s.user_id, r.started_by
    from public.signature_requests as s join public.flow_run as r on r.id = s.flow_run_id where r.id = ${id}`;
  expect(named).toEqual(left);
});
