import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let owner: Sql;
let starter: Sql;
let admin: Sql;
let userId: string;
let flowId: number;
/** The two deployments, the older one first. */
let deploymentIds: string[];

beforeAll(async () => {
  database = await cloneDatabase();
  [owner, starter, admin] = [database.connect(), database.connect(), database.connect('supabase_admin')];
});
afterAll(() => database.close());

beforeEach(async () => {
  userId = randomUUID();
  const claims = JSON.stringify({ sub: userId, role: 'authenticated' });
  await owner`insert into auth.users (id) values (${userId})`;
  for (const sql of [owner, starter]) await sql`select set_config('request.jwt.claims', ${claims}, false)`;
  [{ id: flowId }] = await owner<[{ id: number }]>`insert into public.flows (user_id) values (${userId}) returning id`;
  deploymentIds = [];
  for (let count = 0; count < 2; count++) {
    const [row] = await owner`select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`;
    deploymentIds.push(row?.id);
  }
});

/** The deployment that a start by flow finds while the newest one is being deleted. */
async function startDuringDeletion(target: { id?: string; flow?: number; tag?: string }) {
  await owner`begin`;
  await owner`delete from public.flow_deployments where id = ${deploymentIds[1]!}`;
  const starting = starter`
    select r.deployment_id
    from public.start_deployment(id => ${target.id ?? null}, flow => ${target.flow ?? null}, tag => ${
    target.tag ?? null
  }) as s
    join public.flow_run as r on r.id = (s ->> 'flow_run_id')::uuid`;
  const started = starting.then((rows) => rows.length, (error) => error.message);
  await hasToWait(owner, starting);
  await owner`commit`;
  return await started;
}

const startedDeployments = async () =>
  (await owner`select deployment_id from public.flow_run where flow_id = ${flowId}`).map((row) => row.deployment_id);

it('a start during the deletion of the newest deployment starts the next newest one', async () => {
  await startDuringDeletion({ flow: flowId });
  expect(await startedDeployments()).toEqual([deploymentIds[0]]);
});

it('a start finds no deployment if the last one was deleted', async () => {
  await owner`delete from public.flow_deployments where id = ${deploymentIds[0]!}`;
  expect(await startDuringDeletion({ flow: flowId })).toContain('deployment_not_found');
});

it('a start finds no deployment if the tag was deleted with it', async () => {
  await owner`
    insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
    select f.user_id, f.id, 'stable', ${deploymentIds[1]!} from public.flows as f where f.id = ${flowId}`;
  expect(await startDuringDeletion({ flow: flowId, tag: 'stable' })).toContain('deployment_not_found');
});

it('a start finds no deployment if its id was deleted', async () => {
  expect(await startDuringDeletion({ id: deploymentIds[1]! })).toContain('deployment_not_found');
  expect(await startedDeployments()).toEqual([]);
});

describe.each([
  ['by its id', () => starter`select public.start_deployment(id => ${deploymentIds[1]!})`],
  ['by its flow', () => starter`select public.start_deployment(flow => ${flowId})`],
])('a start %s', (_name, start) => {
  it('a start waits for its caller before it locks the deployment, in the same order as a deletion of the caller', async () => {
    await admin`begin`;
    await admin`select from auth.users where id = ${userId} for update`;
    const starting = codeOf(start());
    await hasToWait(admin, starting);
    await owner`select from public.flow_deployments where id = ${deploymentIds[1]!} for update nowait`;
    await admin`commit`;
    expect(await starting).toBe('done');
  });

  it('a start by a user who is deleted meanwhile does not become a start without a user', async () => {
    const otherId = randomUUID();
    await admin`insert into auth.users (id) values (${otherId})`;
    await starter`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: otherId, role: 'authenticated' })
    }, false)`;
    await owner`update public.flow_deployments set start_permission = 'Authenticated' where entrypoint = ${flowId}`;
    await admin`begin`;
    await admin`delete from auth.users where id = ${otherId}`;
    const starting = codeOf(start());
    await hasToWait(admin, starting);
    await admin`commit`;
    expect(await starting).toBe('token_invalid');
    expect(await startedDeployments()).toEqual([]);
  });
});
