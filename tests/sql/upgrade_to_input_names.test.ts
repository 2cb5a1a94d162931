import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../supabase/local/postgres.ts';
import { textFlow } from '../support/flow_builder.ts';
import { makeOldDatabase, type OldDatabase } from '../support/upgraded_database.ts';

/** The last migration before starts looked at the names of inputs. */
const BEFORE = '20261122171101';

let database: OldDatabase;
let sql: Sql;
const ownerId = randomUUID();
let described: { flow: number; deployment: string };
let plain: { flow: number; deployment: string };

const codeOf = async (statement: Promise<unknown>): Promise<string | undefined> =>
  await statement.then(() => undefined, (error: Error) => JSON.parse(error.message).code);

async function deployFlow(nodes: object[], edges: object[]) {
  const [{ id: flow }] = await sql<[{ id: number }]>`
    insert into public.flows (user_id, nodes, edges)
    values (${ownerId}, ${sql.json(nodes as never)}, ${sql.json(edges as never)}) returning id`;
  const [{ id }] = await sql<[{ id: string }]>`select public.deploy_flow(${flow}) ->> 'deployment_id' as id`;
  return { flow, deployment: id };
}

const start = (id: string, inputs: object) =>
  sql`select public.start_deployment(id => ${id}, inputs => ${sql.json(inputs as never)})`;

beforeAll(async () => {
  database = await makeOldDatabase(BEFORE);
  sql = database.sql;
  await sql`insert into auth.users (id, email) values (${ownerId}, ${`${ownerId}@example.com`})`;
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: ownerId, role: 'authenticated' })}, false)`;
  const { nodes, edges } = textFlow().row();
  described = await deployFlow(nodes, edges);
  plain = await deployFlow([], []);
  await sql`update public.flow_deployments_tags set description = 'The text' where entrypoint = ${described.flow}`;
  await sql`
    insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
    values (${ownerId}, ${plain.flow}, 'stable', ${plain.deployment})`;
  await database.upgrade();
});
afterAll(() => database.drop());

it('deployments of before know their inputs, and are started with those only', async () => {
  const rows = await sql`select id, input_names from public.flow_deployments order by id`;
  expect(rows).toEqual([
    { id: described.deployment, input_names: ['value'] },
    { id: plain.deployment, input_names: [] },
  ]);
  expect(await codeOf(start(described.deployment, { value: { S: 'x' } }))).toBeUndefined();
  expect(await codeOf(start(described.deployment, { valeu: { S: 'x' } }))).toBe('inputs_invalid');
  expect(await codeOf(start(plain.deployment, { value: { S: 'x' } }))).toBe('inputs_invalid');
  expect(await codeOf(start(plain.deployment, {}))).toBeUndefined();
});

it('descriptions of before are kept, and latest has none where nobody wrote one', async () => {
  const rows =
    await sql`select entrypoint, tag, description from public.flow_deployments_tags order by entrypoint, tag`;
  expect(rows).toEqual([
    { entrypoint: described.flow, tag: 'latest', description: 'The text' },
    { entrypoint: plain.flow, tag: 'latest', description: null },
    { entrypoint: plain.flow, tag: 'stable', description: '' },
  ]);
});
