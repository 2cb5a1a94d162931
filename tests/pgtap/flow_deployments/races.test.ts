import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let admin: Sql;
let observer: Sql;
let first: Sql;
let second: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  [admin, observer, first, second] = [1, 2, 3, 4].map(() => database.connect('supabase_admin')) as [Sql, Sql, Sql, Sql];
});
afterAll(() => database.close());

let userId: string;
let flowId: number;
/** The deployments of the flow, the oldest first. */
let deployments: string[];

const deploy = async (sql: Sql): Promise<string> => {
  const [row] = await sql`select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`;
  return row!.id;
};

/** Makes an owner of a flow with two deployments. */
beforeEach(async () => {
  userId = randomUUID();
  await admin`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  for (const sql of [admin, first, second]) {
    await sql`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: userId, role: 'authenticated' })
    }, false)`;
  }
  const [flow] = await admin`insert into public.flows (user_id) values (${userId}) returning id`;
  flowId = flow!.id;
  deployments = [await deploy(admin), await deploy(admin)];
});

const remove = (sql: Sql, id: string) => codeOf(sql`delete from public.flow_deployments where id = ${id}`);
const latest = async (): Promise<string | undefined> => {
  const rows = await admin`
    select deployment_id from public.flow_deployments_tags where entrypoint = ${flowId} and tag = 'latest'`;
  return rows[0]?.deployment_id;
};

it('a deployment can be deleted while its user is being deleted, without a deadlock', async () => {
  // Lock the flow, as a deploy does. The deletion of the user then locks the user, and waits for the flow.
  await admin`begin`;
  await admin`select from public.flows where id = ${flowId} for no key update`;
  const user = codeOf(first`delete from auth.users where id = ${userId}`);
  await hasToWait(observer, user);
  const one = remove(second, deployments[1]!);
  // The deletion of the deployment must end here. If it waited for the flow, it would keep its lock of the deployment
  // during the wait.
  await hasToWait(observer, one, 2).catch(() => {});
  await admin`commit`;
  expect(await Promise.all([user, one])).toEqual(['done', 'done']);
  expect((await admin`select from public.flow_deployments where user_id = ${userId}`).count).toBe(0);
});

it('a deletion of deployments delays the deletion of their owner until it has ended', async () => {
  await first`begin`;
  expect(await remove(first, deployments[1]!)).toBe('done');
  const user = codeOf(second`delete from auth.users where id = ${userId}`);
  await hasToWait(observer, user);
  // The deletion of the user has not locked a deployment yet.
  expect(await remove(first, deployments[0]!)).toBe('done');
  await first`commit`;
  expect(await user).toBe('done');
});

it('two concurrent deletions, of several deployments and of one of them, cause no deadlock', async () => {
  await second`begin`;
  await second`select from public.flow_deployments where id = ${deployments[1]!} for update`;
  const all = codeOf(first`delete from public.flow_deployments where user_id = ${userId}`);
  await hasToWait(observer, all);
  expect(await remove(second, deployments[1]!)).toBe('done');
  await second`commit`;
  expect(await all).toBe('done');
  expect(await latest()).toBeUndefined();
});

it('latest moves to the deployment of a deploy under way, whichever transaction commits last', async () => {
  await first`begin`;
  const newest = await deploy(first);
  const removing = remove(second, deployments[1]!);
  await hasToWait(observer, removing);
  await first`commit`;
  expect(await removing).toBe('done');
  expect(await latest()).toBe(newest);

  await first`begin`;
  expect(await remove(first, newest)).toBe('done');
  const deploying = deploy(second);
  await hasToWait(observer, deploying);
  await first`commit`;
  const again = await deploying;
  expect(await latest()).toBe(again);
});

it('latest moves to the newest deployment that is not being deleted, and moves again if this one is deleted, too', async () => {
  const third = await deploy(admin);
  await first`begin`;
  expect(await remove(first, third)).toBe('done');
  const removing = remove(second, deployments[1]!);
  await hasToWait(observer, removing);
  await first`commit`;
  expect(await removing).toBe('done');
  expect(await latest()).toBe(deployments[0]);
});

it('the deletion of the last deployment deletes latest, and a deploy that waits for it sets latest again', async () => {
  await remove(admin, deployments[0]!);
  await first`begin`;
  expect(await remove(first, deployments[1]!)).toBe('done');
  const deploying = deploy(second);
  await hasToWait(observer, deploying);
  await first`commit`;
  const again = await deploying;
  expect(await latest()).toBe(again);
});

it('a user can be deleted, even if the newest deployments are deleted first', async () => {
  deployments.push(await deploy(admin), await deploy(admin));
  await admin.unsafe(`
    begin;
    set local session_replication_role = replica;
    create temp table moved on commit drop as select * from public.flow_deployments where user_id = '${userId}';
    delete from public.flow_deployments where user_id = '${userId}';
    insert into public.flow_deployments select * from moved order by id desc;
    commit`);
  await admin`delete from auth.users where id = ${userId}`;
  expect(await latest()).toBeUndefined();
});
