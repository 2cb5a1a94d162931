import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let first: Sql;
let second: Sql;
let observer: Sql;
let runId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  [first, second, observer] = [database.connect(), database.connect(), database.connect('supabase_admin')];
});
afterAll(() => database.close());

/** Makes a claimed run that waits for one input. */
beforeEach(async () => {
  await first`delete from auth.users`;
  const userId = randomUUID();
  await first`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await first`insert into public.flows (user_id) values (${userId})`;
  for (const sql of [first, second]) {
    await sql`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: userId, role: 'authenticated' })
    }, false)`;
    // If a statement waits where it should not, it fails.
    await sql`set lock_timeout = '5s'`;
  }
  const [started] = await first`select public.start_flow(f.id) ->> 'flow_run_id' as id from public.flows as f`;
  runId = started!.id;
  await first`select public.claim_flow_runs(1, 60)`;
  await first`select test.ask_input(${runId})`;
});

const submit = (text: string) => (sql: Sql) =>
  codeOf(sql`select public.submit_input('a', jsonb_build_object('S', ${text}::text))`);
const cancel = (sql: Sql) => codeOf(sql`select public.cancel_input('a')`);
const stop = (sql: Sql) => codeOf(sql`select public.stop_flow_run(${runId})`);
const sleep = (sql: Sql) => codeOf(sql`select public.release_flow_run(${runId}, 1, test.progress(${runId}), 600)`);
const take = (sql: Sql) => codeOf(sql`select test.take_input(${runId})`);
const finish = (sql: Sql) =>
  codeOf(sql`select public.finish_flow_run(${runId}, 1, 'failed', null, '{a}', '{}', test.progress(${runId}))`);

/** Commits `lead` only after `follow` has reached a lock. Returns the results of both. */
async function race(
  lead: (sql: Sql) => Promise<string>,
  follow: (sql: Sql) => Promise<string>,
): Promise<[string, string]> {
  await first`begin`;
  try {
    const leading = await lead(first);
    const following = follow(second);
    await hasToWait(observer, following);
    await first`commit`;
    return [leading, await following];
  } catch (error) {
    await first`rollback`;
    throw error;
  }
}

const stored = async () => {
  const [row] = await first`
    select a.outcome, a.value ->> 'S' as text, (select count(*)::integer from public.pending_inputs) as pending
    from private.api_inputs as a`;
  return [row!.outcome, row!.text, row!.pending];
};
const dueIn = async (): Promise<number> => (await first`select test.due_in(${runId}) as seconds`)[0]!.seconds;
/** Sets the expiry of the input to the past, before any worker has noticed the expiry. */
const letItBeOver = () => first`update private.api_inputs set expires_at = clock_timestamp() where true`;

it('of two concurrent submits one is stored, and the other is refused', async () => {
  expect(await race(submit('one'), submit('two'))).toEqual(['done', 'pending_input_answered']);
  expect(await stored()).toEqual(['submitted', 'one', 0]);
});

it('of a concurrent submit and cancel the first one counts', async () => {
  expect(await race(cancel, submit('one'))).toEqual(['done', 'pending_input_answered']);
  expect(await stored()).toEqual(['cancelled', null, 0]);
});

it('a release sees a submit that came before it, and a submit after the release wakes the run', async () => {
  expect(await race(submit('one'), sleep)).toEqual(['done', 'done']);
  expect(await dueIn()).toBe(0);
});

it('a submit wakes a run that already sleeps', async () => {
  expect(await race(sleep, submit('one'))).toEqual(['done', 'done']);
  expect(await dueIn()).toBe(0);
  expect(await first`select flow_run_id from public.claim_flow_runs(10, 60)`).toEqual([{ flow_run_id: runId }]);
});

it('a submit to a run that is being stopped is not found, and a stop after a submit stops the run', async () => {
  expect(await race(stop, submit('one'))).toEqual(['done', 'pending_input_not_found']);
  expect(await stored()).toEqual([null, null, 0]);
});

it('a stop after a submit keeps the submitted value', async () => {
  expect(await race(submit('one'), stop)).toEqual(['done', 'done']);
  expect(await stored()).toEqual(['submitted', 'one', 0]);
  expect(await dueIn()).toBeGreaterThan(50);
});

it('a submit to a run that is ending is not found', async () => {
  expect(await race(finish, submit('one'))).toEqual(['done', 'pending_input_not_found']);
  expect(await stored()).toEqual([null, null, 0]);
});

it('an input expires for the worker and for the sender alike, whichever comes first', async () => {
  await letItBeOver();
  expect(await race(take, submit('one'))).toEqual(['done', 'pending_input_not_found']);
  expect(await stored()).toEqual(['expired', null, 0]);
});

it('an input that was submitted in time does not expire', async () => {
  expect(
    await race(async (sql) => {
      const code = await submit('one')(sql);
      await sql`update private.api_inputs set expires_at = clock_timestamp() where true`;
      return code;
    }, take),
  ).toEqual(['done', 'done']);
  expect(await stored()).toEqual(['submitted', 'one', 0]);
});

it('an expired input stays expired, even if a clock is set back', async () => {
  await letItBeOver();
  await take(first);
  await first`update private.api_inputs set expires_at = clock_timestamp() + interval '1 minute' where true`;
  expect(await submit('one')(first)).toBe('pending_input_not_found');
});
