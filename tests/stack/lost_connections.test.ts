import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFunctionsDir } from '../../supabase/local/functions.ts';
import { connect, type Sql } from '../../supabase/local/postgres.ts';
import type { Stack } from '../../supabase/local/stack.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { accessToken } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';

const OWNER = '00000000-0000-4000-8000-0000000000aa';

let own: OwnStack;
let stack: Stack;
let sql: Sql;
let flowId: number;
let token: string;

beforeAll(async () => {
  own = await makeOwnStack('lost');
  // As hosted: a commit that was answered is kept.
  stack = await own.boot({
    functionsDir: projectFunctionsDir,
    watch: false,
    sweep: false,
    postgresSettings: { fsync: 'off' },
    functionEnv: { RUNNER_DISABLED: '1' },
  });
  token = await accessToken(OWNER, { secret: stack.status.JWT_SECRET });
  sql = connect(stack.superuserUrl, { max: 2 });
  await sql`insert into auth.users (id) values (${OWNER})`;
  [{ id: flowId }] = await sql<[{ id: number }]>`insert into public.flows (user_id) values (${OWNER}) returning id`;
});
afterAll(async () => {
  await sql?.end();
  await own.remove();
});

const post = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${stack.status.FUNCTIONS_URL}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

/** Sends a start, and resolves when its transaction waits for a lock that is held until the database or PostgREST is gone. */
async function startThatWaits(key: string) {
  const holder = connect(stack.superuserUrl);
  const held = holder`begin; lock table public.flow_run in exclusive mode; select pg_sleep(600)`.simple();
  held.catch(() => {});
  const isWaiting = async (query: string) => {
    const [row] = await sql`
      select count(*)::integer as count from pg_stat_activity where query like ${query} and state = 'active'`;
    return (row?.count ?? 0) > 0;
  };
  await waitFor(async () => await isWaiting('%pg\\_sleep(600)%') || undefined);
  const answer = post(`deployment/start?flow=${flowId}`, { 'idempotency-key': key });
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

it.each(
  [
    ['the database', 'Postgres', 'SIGQUIT'],
    ['PostgREST', 'PostgREST', 'SIGKILL'],
  ] as const,
)(
  'a start whose transaction loses %s is answered with 503 and Retry-After, and can be repeated',
  async (_what, part, signal) => {
    await waitFor(async () => (await post(`flow/deploy/${flowId}`)).ok || undefined);
    const key = `lost ${part}`;
    const { answer, end } = await startThatWaits(key);
    await stack.restart(part, signal);
    await end();
    const refused = await answer;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toEqual({
      code: 'service_unavailable',
      message: 'The database does not answer right now.',
      details: null,
      hint: null,
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
