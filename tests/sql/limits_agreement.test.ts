import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres.ts';
import { MAX_FLOW_BYTES } from '../../types/flow.ts';
import { defaultStartLimits, guestsShare } from '../../types/start_limits.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

describe('the database has the limits of starts of types/start_limits.ts', () => {
  it.each(['Owner', 'Authenticated', 'Anonymous'])('if the owner of an %s deployment has set none', async (one) => {
    const [row] = await sql`
      select to_jsonb(private.start_limits(
        jsonb_populate_record(null::public.flow_deployments, jsonb_build_object('start_permission', ${one}::text))
      )) as limits`;
    expect(row!.limits).toEqual(defaultStartLimits(one));
  });

  it.each([0, 1, 3, 1_200, 2_000, 60_000])('for guests, of a limit of %i', async (limit) => {
    const [row] = await sql`select private.share_of_limit('guests', ${limit}::integer)::integer as share`;
    expect(row!.share).toBe(guestsShare(limit));
  });
});

it('a flow may have MAX_FLOW_BYTES of types/flow.ts in the database, and no byte more', async () => {
  const [flow] = await sql`
    with owner as (insert into auth.users (id, email) values (gen_random_uuid(), 'ann@example.com') returning id)
    insert into public.flows (user_id) select id from owner
    returning id, octet_length(concat(edges, environment, chain_network, name, description)) as rest`;
  const store = async (bytes: number) => {
    const text = bytes - flow!.rest - '[""]'.length;
    await sql`update public.flows set nodes = jsonb_build_array(repeat('a', ${text})) where id = ${flow!.id}`;
  };
  await store(MAX_FLOW_BYTES);
  await expect(store(MAX_FLOW_BYTES + 1)).rejects.toThrow('column_invalid');
});
