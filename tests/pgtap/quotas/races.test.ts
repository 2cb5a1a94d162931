import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let admin: Sql;
let writers: Sql[];
let userId: string;
let flowIds: number[];

beforeAll(async () => {
  database = await cloneDatabase();
  admin = database.connect('supabase_admin');
  writers = Array.from({ length: 12 }, () => database.connect());
});
afterAll(() => database.close());

beforeEach(async () => {
  userId = randomUUID();
  await admin`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  for (const sql of [admin, ...writers]) {
    await sql`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: userId, role: 'authenticated' })
    }, false)`;
  }
  await admin`delete from private.quotas`;
  const rows = await admin<{ id: number }[]>`
    insert into public.flows (user_id) select ${userId} from generate_series(1, 12) returning id`;
  flowIds = rows.map(({ id }) => id);
});

const addFlow = (sql: Sql) => sql`insert into public.flows (user_id) values (${userId})`;
const deploy = (sql: Sql, index: number) => sql`select public.deploy_flow(${flowIds[index]!})`;
const setQuota = (name: string, value: number) => admin`select public.set_quota(${name}, ${value})`;

async function count(table: 'flows' | 'flow_deployments' | 'wallets'): Promise<number> {
  const [row] = await admin<[{ count: number }]>`
    select count(*)::integer as count from public.${admin(table)} where user_id = ${userId}`;
  return row.count;
}

const codesOf = async (work: PromiseLike<unknown>[]) => (await Promise.all(work.map(codeOf))).toSorted();
const codes = (done: number, refused: number): string[] => [
  ...Array.from({ length: done }, () => 'done'),
  ...Array.from({ length: refused }, () => 'quota_exceeded'),
];

describe('of concurrent inserts of one user, exactly as many succeed as the quota allows:', () => {
  it('flows', async () => {
    await setQuota('flows', 17);
    expect(await codesOf(writers.map(addFlow))).toEqual(codes(5, 7));
    expect(await count('flows')).toBe(17);
  });

  it('deployments of different flows', async () => {
    await setQuota('deployments', 5);
    expect(await codesOf(writers.map(deploy))).toEqual(codes(5, 7));
    expect(await count('flow_deployments')).toBe(5);
  });

  it('deployments of one flow', async () => {
    await setQuota('deployments', 5);
    expect(await codesOf(writers.map((sql) => deploy(sql, 0)))).toEqual(codes(5, 7));
    expect(await count('flow_deployments')).toBe(5);
  });

  it('wallets, and at most one of each key', async () => {
    await setQuota('wallets', 1);
    const key = 'So11111111111111111111111111111111111111112';
    const store = (sql: Sql) =>
      sql`select private.store_wallet(${userId}, 'ADAPTER', 'wallet', ${key}, null, null, null)`;
    expect(await codesOf(writers.map(store))).toEqual(codes(12, 0));
    expect(await count('wallets')).toBe(1);
  });

  it('many rows in one statement', async () => {
    await setQuota('flows', 500);
    const addMany = (sql: Sql) => sql`insert into public.flows (user_id) select ${userId} from generate_series(1, 100)`;
    expect(await codesOf(writers.map(addMany))).toEqual(codes(4, 8));
    expect(await count('flows')).toBe(412);
  });
});

it('a second insert waits for the first, and takes its place if the first fails', async () => {
  await setQuota('flows', 13);
  const [first, second] = writers as [Sql, Sql];
  await first`begin`;
  await addFlow(first);
  const following = codeOf(addFlow(second));
  await hasToWait(admin, following);
  await first`rollback`;
  expect(await following).toBe('done');
});

it('inserts of other users and deletions do not wait', async () => {
  const [first, second, third] = writers as [Sql, Sql, Sql];
  const otherId = randomUUID();
  await admin`insert into auth.users (id, email) values (${otherId}, ${`${otherId}@example.com`})`;
  await first`begin`;
  await addFlow(first);
  expect(await codeOf(second`insert into public.flows (user_id) values (${otherId})`)).toBe('done');
  expect(await codeOf(third`delete from public.flows where id = ${flowIds[11]!}`)).toBe('done');
  await first`commit`;
});

it('concurrent deploys, tags, deletions and edits of one user cause no deadlock', async () => {
  await setQuota('deployments', 60);
  for (const index of flowIds.keys()) await deploy(admin, index);
  const work = writers.flatMap((sql, index) => [
    () => deploy(sql, index % 3),
    () =>
      sql`insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
        select user_id, entrypoint, 't' || gen_random_uuid(), id from public.flow_deployments where user_id = ${userId}
        order by random() limit 1`,
    () =>
      sql`update public.flows set nodes = '[]', edges = '[]' where user_id = ${userId} and id = ${flowIds[index % 3]!}`,
    () =>
      sql`delete from public.flow_deployments where id = (
        select id from public.flow_deployments where user_id = ${userId} order by random() limit 1)`,
    () => sql`insert into public.flows (user_id) values (${userId})`,
  ]);
  const outcomes = new Set(
    await Promise.all(work.map(async (act) => {
      const results = [];
      for (let round = 0; round < 4; round++) results.push(await codeOf(act()));
      return results;
    })).then((lists) => lists.flat()),
  );
  // A tag may name a deployment that has just been deleted.
  for (const code of ['done', 'quota_exceeded', '23503']) outcomes.delete(code);
  expect([...outcomes]).toEqual([]);
});

it('the deletion of a user and inserts of this user cause no deadlock', async () => {
  const storing = Promise.all(writers.map(async (sql, index) => {
    const results = [];
    for (let round = 0; round < 5; round++) {
      results.push(await codeOf(round % 2 === 0 ? addFlow(sql) : deploy(sql, index)));
    }
    return results;
  }));
  expect(await codeOf(admin`delete from auth.users where id = ${userId}`)).toBe('done');
  const outcomes = new Set((await storing).flat());
  for (const code of ['done', '23503', 'token_invalid', 'flow_not_found']) outcomes.delete(code);
  expect([...outcomes]).toEqual([]);
  expect(await count('flows')).toBe(0);
});
