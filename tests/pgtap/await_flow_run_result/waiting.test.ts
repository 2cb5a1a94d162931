import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { fallsAsleep } from '../../support/locks.ts';
import { waitFor } from '../../support/wait.ts';

let database: TestDatabase;
let callers: Sql[];
let other: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  callers = Array.from({ length: 3 }, () => database.connect());
  other = database.connect();
  const userId = randomUUID();
  await other`insert into auth.users (id) values (${userId})`;
  await other`insert into public.flows (user_id) values (${userId})`;
  const claims = JSON.stringify({ sub: userId, role: 'authenticated' });
  for (const sql of [...callers, other]) await sql`select set_config('request.jwt.claims', ${claims}, false)`;
});
afterAll(() => database.close());

async function start(): Promise<string> {
  const [row] = await other<[{ id: string }]>`
    select public.start_flow(f.id) ->> 'flow_run_id' as id from public.flows as f`;
  return row.id;
}

async function awaitResult(sql: Sql, id: string): Promise<string> {
  const [row] = await sql<[{ status: string }]>`select public.await_flow_run_result(${id}) ->> 'status' as status`;
  return row.status;
}

it('a waiting caller gets the result of a run that ends meanwhile', async () => {
  // The wait of a call is short. If it is over before the test has ended the run, try again with another run.
  const status = await waitFor(async () => {
    const id = await start();
    const awaiting = awaitResult(callers[0]!, id);
    if (!await fallsAsleep(other, awaiting)) return undefined;
    await other`select public.stop_flow_run(${id})`;
    const awaited = await awaiting;
    return awaited === 'queued' ? undefined : awaited;
  });
  expect(status).toBe('stopped');
});

it('two callers wait at a time, and a third gets its answer at once', async () => {
  const id = await start();
  const places = [];
  for (const sql of callers) {
    await sql`begin`;
    expect(await awaitResult(sql, id)).toBe('queued');
    const [row] = await sql`
      select count(*)::integer as count from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`;
    places.push(row!.count);
  }
  await Promise.all(callers.map((sql) => sql`rollback`));
  expect(places).toEqual([1, 1, 0]);
  expect(await awaitResult(callers[2]!, id)).toBe('queued');
});
