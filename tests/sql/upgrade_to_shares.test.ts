import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../supabase/local/postgres.ts';
import { makeOldDatabase, type OldDatabase } from '../support/upgraded_database.ts';

/** The last migration before callers had shares, when slots reserved starts. */
const BEFORE = '20261122171101';
const KEY = 'So11111111111111111111111111111111111111112';

let database: OldDatabase;
let sql: Sql;
let deploymentId: string;
const [ownerId, otherId] = [randomUUID(), randomUUID()];

const actAs = (claims: object) => sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, false)`;
const start = (publicKey: string | null = null) =>
  sql`select public.start_deployment(id => ${deploymentId}, public_key => ${publicKey})`;
const inFlight = async (share: string): Promise<number> => {
  const [row] = await sql<[{ runs: number }]>`
    select coalesce(sum(in_flight), 0)::int as runs from private.deployment_usage where deployment_id = ${deploymentId} and share = ${share}`;
  return row.runs;
};

beforeAll(async () => {
  database = await makeOldDatabase(BEFORE);
  sql = database.sql;
  for (const id of [ownerId, otherId]) {
    await sql`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
  }
  await actAs({ sub: ownerId, role: 'authenticated' });
  const [flow] = await sql`
    insert into public.flows (user_id, is_public, start_shared, start_unverified) values (${ownerId}, true, true, true) returning id`;
  [{ id: deploymentId }] = await sql<[{ id: string }]>`select public.deploy_flow(${
    flow!.id
  }) ->> 'deployment_id' as id`;
  await actAs({ sub: otherId, role: 'authenticated' });
  await start();
  await actAs({ role: 'anon' });
  await start(KEY);
  const [{ reserved }] = await sql<[{ reserved: number }]>`
    select sum(reserved)::int as reserved from private.deployment_usage where deployment_id = ${deploymentId}`;
  expect(reserved).toBeGreaterThan(0);
  await database.upgrade();
});
afterAll(() => database.drop());

it('what slots had reserved is given back, and runs of before count for all callers until they end', async () => {
  expect(await inFlight('all')).toBe(2);
  await start(KEY);
  expect(await inFlight('all')).toBe(3);
  expect(await inFlight(`key:${KEY}`)).toBe(1);
  await sql`select private.end_flow_run(id, 'stopped', null, null, null) from public.flow_run`;
  expect(await Promise.all(['all', 'guests', `key:${KEY}`].map(inFlight))).toEqual([0, 0, 0]);
});
