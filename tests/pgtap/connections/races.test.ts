import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { raceOf } from '../../support/locks.ts';

let database: TestDatabase;
let first: Sql;
let second: Sql;
let observer: Sql;
let userId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  [first, second, observer] = [database.connect(), database.connect(), database.connect()];
});

afterAll(() => database.close());

/** Nodes of a flow that names the connection `mail`. */
const nodes = JSON.stringify([{
  id: randomUUID(),
  data: {
    type: 'native',
    node_id: 'http_request',
    sources: [],
    targets: [],
    targets_form: { form_data: { url: 'https://api.example.com', connection: 'mail' } },
  },
}]);

beforeEach(async () => {
  userId = randomUUID();
  const connection = { id: randomUUID(), user_id: userId, name: 'mail', kind: 'bearer', hosts: ['api.example.com'] };
  const secret = { key_id: 'key', nonce: `\\x${'01'.repeat(12)}`, ciphertext: `\\x${'02'.repeat(40)}` };
  await first`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await first`select private.store_connection(${first.json(connection)}, ${first.json(secret)})`;
  await first.unsafe(`
    insert into public.flows (user_id, nodes) values ('${userId}', '${nodes}');
    select set_config('request.jwt.claims', '{"sub": "${userId}", "role": "authenticated"}', false);
    select public.deploy_flow(f.id) from public.flows as f where f.user_id = '${userId}';
    update public.flows set nodes = '[]' where user_id = '${userId}';
    select public.deploy_flow(f.id) from public.flows as f where f.user_id = '${userId}';
    update public.flows set nodes = '${nodes}' where user_id = '${userId}';`);
});

const statements = {
  'a tag': () =>
    `insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
     select d.user_id, d.entrypoint, 'live', d.id from public.flow_deployments as d
     where d.user_id = '${userId}' order by d.id limit 1`,
  'a deploy': () =>
    `select set_config('request.jwt.claims', '{"sub": "${userId}", "role": "authenticated"}', false);
     select public.deploy_flow(f.id) from public.flows as f where f.user_id = '${userId}'`,
  'a deletion': () => `delete from public.connections where user_id = '${userId}'`,
};
type Name = keyof typeof statements;

const race = (leader: Name, follower: Name): Promise<[string, string]> =>
  raceOf([first, second, observer], statements[leader](), statements[follower]());

describe('a connection that is deleted', () => {
  it.each<Name>(['a tag', 'a deploy'])('stays if %s comes first', async (leader) => {
    expect(await race(leader, 'a deletion')).toEqual(['done', 'connection_in_use']);
  });

  it.each<Name>(['a tag', 'a deploy'])('is used no longer if %s waits for its deletion', async (follower) => {
    expect(await race('a deletion', follower)).toEqual(['done', 'done']);
    expect(
      await first`select from private.flow_deployment_connections as c
      join public.flow_deployments as d on d.id = c.deployment_id where d.user_id = ${userId}`,
    ).toHaveLength(0);
  });
});
