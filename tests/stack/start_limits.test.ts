import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { checkedFetch } from '../support/checked_fetch.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { waitFor } from '../support/wait.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';

/** A separate stack, because the length of the queue is a setting of the whole stack. */
let own: OwnStack;
let stack: Stack;
let sql: Sql;
let deploymentId: string;

beforeAll(async () => {
  own = await makeOwnStack('start-limits');
  await own.serve('deployment', 'runner');
  stack = await own.boot({ watch: false });
  sql = connect(stack.superuserUrl);
});
afterAll(async () => {
  await sql.end();
  await own.remove();
});

beforeEach(async () => {
  await setMaxQueueLength(100_000);
  const [flow] = await sql`
    with owner as (insert into auth.users (id, email) values (gen_random_uuid(), gen_random_uuid() || '@example.com') returning id)
    insert into public.flows (user_id, is_public, start_shared, start_unverified)
    select id, true, true, true from owner returning id, user_id`;
  deploymentId = await sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: flow!.user_id, role: 'authenticated' })
    }, true)`;
    const [row] = await tx`select public.deploy_flow(${flow!.id}) ->> 'deployment_id' as id`;
    return row!.id;
  });
});

const limit = (settings: { max_starts_per_minute?: number; max_runs_in_flight?: number }) =>
  sql`update public.flow_deployments set ${sql(settings)} where id = ${deploymentId}`;

/** Sets the length like an operator. */
async function setMaxQueueLength(max_length: number): Promise<void> {
  const { API_URL, SERVICE_ROLE_KEY } = stack.status;
  const response = await fetch(`${API_URL}/rest/v1/rpc/set_max_queue_length`, {
    method: 'POST',
    headers: {
      apikey: SERVICE_ROLE_KEY,
      authorization: `Bearer ${SERVICE_ROLE_KEY}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ max_length }),
  });
  expect(response.status).toBe(204);
}

const doors: Record<string, () => Promise<Response>> = {
  '/functions/v1': () =>
    checkedFetch(`${stack.status.FUNCTIONS_URL}/deployment/start?id=${deploymentId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PUBLIC_KEY}` },
    }),
  '/rest/v1': () =>
    checkedFetch(`${stack.status.API_URL}/rest/v1/rpc/start_deployment`, {
      method: 'POST',
      headers: { apikey: stack.status.PUBLISHABLE_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ id: deploymentId, public_key: PUBLIC_KEY }),
    }),
};

describe.each(Object.entries(doors))('%s', (door, start) => {
  /** Returns the error of a refused start; on /rest/v1 details are text. */
  const refusal = async () => {
    const response = await start();
    const { code, details } = await response.json();
    return {
      status: response.status,
      code,
      details: door === '/rest/v1' ? JSON.parse(details) : details,
      retryAfter: Number(response.headers.get('retry-after')),
    };
  };

  it('a limit of the deployment answers 429 with the limit and Retry-After', async () => {
    expect((await start()).status).toBe(200);
    await limit({ max_starts_per_minute: 0 });
    const { retryAfter, ...answer } = await refusal();
    expect(answer).toEqual({
      status: 429,
      code: 'start_limit_reached',
      details: { limit: 'max_starts_per_minute', value: 0, of: 'all' },
    });
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    await limit({ max_starts_per_minute: 1_000, max_runs_in_flight: 0 });
    expect(await refusal()).toEqual({
      status: 429,
      code: 'start_limit_reached',
      details: { limit: 'max_runs_in_flight', value: 0, of: 'all' },
      retryAfter: 5,
    });
  });

  it('a full queue answers 429 until there is room', async () => {
    await setMaxQueueLength(0);
    expect(await refusal()).toEqual({
      status: 429,
      code: 'queue_full',
      details: { limit: 'max_queue_length', value: 0 },
      retryAfter: 10,
    });
    await setMaxQueueLength(1_000);
    expect((await start()).status).toBe(200);
  });

  it('of 50 concurrent starts by one caller 20 succeed if that is a tenth of the limit, and then none', async () => {
    await waitFor(async () => {
      const [row] = await sql`select 60 - extract(second from clock_timestamp())::float8 as left`;
      return row!.left > 10 || undefined;
    });
    await limit({ max_starts_per_minute: 200 });
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await start()).status));
    const succeeded = statuses.filter((status) => status === 200).length;
    expect(succeeded).toBeGreaterThanOrEqual(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50 - succeeded);
    expect(await refusal()).toMatchObject({
      status: 429,
      details: { limit: 'max_starts_per_minute', value: 20, of: 'caller' },
    });
  });
});

it('ended runs do not count', async () => {
  await Promise.all(Array.from({ length: 20 }, doors['/functions/v1']!));
  const [usage] = await waitFor(async () => {
    const rows = await sql`
      select count(r.id)::integer as runs, count(r.end_time)::integer as ended,
        (select sum(u.in_flight)::integer from private.deployment_usage as u where u.deployment_id = ${deploymentId} and u.share in ('guests', 'others')) as counted
      from public.flow_run as r where r.deployment_id = ${deploymentId}`;
    return rows[0]!.ended === 20 ? rows : undefined;
  });
  expect(usage).toEqual({ runs: 20, ended: 20, counted: 0 });
});
