import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { cachePlans, countReads, withoutTriggers } from '../support/plans.ts';

let database: TestDatabase;
let sql: Sql;
let token: string;

const WEBHOOKS = 20_000;
const TABLES = ['flow_webhooks', 'flow_webhook_secrets', 'flows', 'flow_deployments', 'flow_deployments_tags'];
const receive = (shown: string) => `select private.receive_webhook('${shown}', '{}', '{}', '')`;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
  // These plans are made while the tables are empty, and stay in use while the tables grow.
  await cachePlans(sql, [`select private.webhook_owners('{a}')`, `select private.pending_input_owners('{a}')`]);
  await expect(sql.unsafe(receive(`fh_${'A'.repeat(43)}`))).rejects.toThrow('webhook_not_found');
  await sql`insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.com')`;
  const builder = new FlowBuilder();
  builder.input('event');
  const [flow] = await sql`
    insert into public.flows (user_id, nodes) select id, ${
    sql.json(builder.row().nodes as never)
  } from auth.users returning id, user_id`;
  await sql`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: flow!.user_id, role: 'authenticated' })
  }, false)`;
  await sql`select public.deploy_flow(${flow!.id})`;
  await withoutTriggers(sql, async () => {
    await sql`
      insert into public.flow_webhooks (user_id, prefix, flow, tag, input)
      select ${flow!.user_id}, 'fh_aaaaaaa', ${flow!.id}, 'latest', 'event' from generate_series(1, ${WEBHOOKS})`;
    await sql`
      insert into private.flow_webhook_secrets (webhook_id, token_hash)
      select id, sha256(id::text::bytea) from public.flow_webhooks`;
    await sql`
      insert into private.api_inputs (flow_run_id, node_id, times, root_flow_run_id, token_hash, expires_at)
      select id, id, 0, id, sha256(id::text::bytea), now() from public.flow_webhooks`;
  });
  await sql`select private.set_quota('webhooks', ${WEBHOOKS + 1})`;
  const [made] = await sql`select public.create_webhook('event', ${flow!.id}) ->> 'url' as url`;
  token = made!.url.slice(-46);
});
afterAll(() => database.close());

it('a request with an unknown token reads no row of webhooks', async () => {
  const unknown = `do $$ begin perform private.receive_webhook('fh_${
    'A'.repeat(43)
  }', '{}', '{}', ''); exception when others then null; end $$`;
  expect(await countReads(sql, TABLES, unknown)).toEqual({ scanned: [], rows: 0 });
});

it('a request to one of many webhooks finds it by index', async () => {
  const reads = await countReads(sql, TABLES, receive(token));
  expect(reads.scanned).toEqual([]);
  expect(reads.rows).toBeLessThan(20);
});

it('a search for the owners of tokens reads only rows of known tokens', async () => {
  const tokens = Array.from({ length: 1_000 }, (_, n) => `fh_${String(n).padStart(43, 'A')}`);
  const look = (shown: string[]) => `select private.webhook_owners('{${shown.join(',')}}')`;
  // There are few owners here, and each webhook's owner is checked for a ban or deletion.
  expect(await countReads(sql, TABLES, look(tokens))).toEqual({ scanned: [], rows: 0 });
  const reads = await countReads(sql, TABLES, look([...tokens, token]));
  expect(reads.scanned).toEqual([]);
  expect(reads.rows).toBeLessThan(5);
});

it('a search for the owners of inputs reads no row for unknown tokens', async () => {
  const tokens = Array.from({ length: 1_000 }, (_, n) => `fi_${String(n).padStart(43, 'A')}`);
  const look = `select private.pending_input_owners('{${tokens.join(',')}}')`;
  expect(await countReads(sql, ['api_inputs', 'flow_run_jobs'], look)).toEqual({ scanned: [], rows: 0 });
});
