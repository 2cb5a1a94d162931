import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { type FlakyProxy, startFlakyProxy } from '../support/flaky_proxy.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { accessToken } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';

const OWNER = '00000000-0000-4000-8000-0000000000aa';

let own: OwnStack;
let stack: Stack;
/** A proxy in front of the gateway. The functions use its address. */
let proxy: FlakyProxy;
let sql: Sql;
let flowId: number;
let token: string;

beforeAll(async () => {
  own = await makeOwnStack('lost');
  await own.serve('deployment', 'flow');
  proxy = await startFlakyProxy(`http://127.0.0.1:${own.port}`);
  // As in a hosted project, an acknowledged commit is durable.
  stack = await own.boot({
    watch: false,
    sweep: false,
    postgresSettings: { fsync: 'off' },
    functionEnv: { RUNNER_DISABLED: '1', SUPABASE_URL: proxy.url },
  });
  token = await accessToken(OWNER, { secret: stack.status.JWT_SECRET });
  sql = connect(stack.superuserUrl, { max: 2 });
  await sql`insert into auth.users (id) values (${OWNER})`;
  [{ id: flowId }] = await sql<[{ id: number }]>`insert into public.flows (user_id) values (${OWNER}) returning id`;
});
afterAll(async () => {
  await sql?.end();
  await own.remove();
  await proxy?.close();
});

const post = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${stack.status.FUNCTIONS_URL}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

/**
 * Sends a request while the table is locked, and resolves when the request's transaction waits for the lock. The lock
 * is held until `end` is called or the database ends.
 */
async function sendAndHold(table: string, send: () => Promise<Response>) {
  const holder = connect(stack.superuserUrl);
  const held = holder.unsafe(`begin; lock table public.${table} in exclusive mode; select pg_sleep(600)`);
  held.catch(() => {});
  const isWaiting = async (query: string) => {
    const [row] = await sql`
      select count(*)::integer as count from pg_stat_activity where query like ${query} and state = 'active'`;
    return (row?.count ?? 0) > 0;
  };
  await waitFor(async () => await isWaiting('%pg\\_sleep(600)%') || undefined);
  const answer = send();
  await waitFor(async () => {
    const [row] = await sql`select count(*)::integer as count from pg_locks where not granted`;
    return (row?.count ?? 0) > 0 || undefined;
  });
  const end = async () => {
    await sql`select pg_terminate_backend(a.pid) from pg_stat_activity as a where a.query like '%pg\\_sleep(600)%'
      and a.pid <> pg_backend_pid()`;
    await holder.end({ timeout: 0 });
  };
  return { answer, end };
}

it('while the PostgREST of /rest/v1 is blocked, functions start runs by their own one', async () => {
  await waitFor(async () => (await post(`flow/deploy/${flowId}`)).ok || undefined);
  const { pid } = stack.parts.find(({ name }) => name === 'PostgREST')!;
  process.kill(pid, 'SIGSTOP');
  try {
    expect((await post(`deployment/start?flow=${flowId}`)).status).toBe(200);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

it.each(
  [
    ['the database', 'Postgres', 'SIGQUIT'],
    ['PostgREST', 'PostgREST of the functions', 'SIGKILL'],
  ] as const,
)(
  'a start whose transaction loses %s is answered with 503 and Retry-After, and can be repeated',
  async (_what, part, signal) => {
    await waitFor(async () => (await post(`flow/deploy/${flowId}`)).ok || undefined);
    const key = `lost ${part}`;
    const { answer, end } = await sendAndHold(
      'flow_run',
      () => post(`deployment/start?flow=${flowId}`, { 'idempotency-key': key }),
    );
    await stack.restart(part, signal);
    await end();
    const refused = await answer;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toEqual({
      code: 'service_unavailable',
      message: 'The database does not answer right now.',
      details: null,
      hint: null,
      error: 'The database does not answer right now.',
    });

    const again = () => post(`deployment/start?flow=${flowId}`, { 'idempotency-key': key });
    const started = await waitFor(async () => {
      const response = await again();
      if (response.ok) return await response.json() as { flow_run_id: string };
      expect(response.status).toBe(503);
      return undefined;
    });
    expect(await (await again()).json()).toEqual(started);
    const runs = await sql`select id from public.flow_run order by id desc limit 1`;
    expect(runs).toEqual([{ id: started.flow_run_id }]);
  },
);

it('a deploy whose function loses its connection is not repeated automatically', async () => {
  const deploy = () => post(`flow/deploy/${flowId}`);
  // After this request, the function keeps its connection open.
  await waitFor(async () => (await deploy()).ok || undefined);
  const deployed = async () => (await sql`select id from public.flow_deployments`).length;
  const before = await deployed();
  const { answer, end } = await sendAndHold('flow_deployments', deploy);
  proxy.shut();
  proxy.open();
  await end();
  const refused = await answer;
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  // When this deploy has ended, all transactions that waited for the same lock have ended, too.
  expect((await deploy()).status).toBe(200);
  expect(await deployed()).toBeLessThanOrEqual(before + 2);
});
