import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

const KEYS = ['da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs', 'So11111111111111111111111111111111111111112'];

let database: TestDatabase;
let first: Sql;
let second: Sql;
let observer: Sql;
let runId: string;
let requestIds: string[];

beforeAll(async () => {
  database = await cloneDatabase();
  [first, second, observer] = [database.connect(), database.connect(), database.connect('supabase_admin')];
});
afterAll(() => database.close());

/** Makes a claimed run that asks two keys for their signatures. */
beforeEach(async () => {
  await first`delete from auth.users`;
  const userId = randomUUID();
  await first`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await first`insert into public.flows (user_id) values (${userId})`;
  for (const sql of [first, second]) {
    await sql`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: userId, role: 'authenticated' })
    }, false)`;
    // A statement that waits for a lock for 5 seconds fails.
    await sql`set lock_timeout = '5s'`;
  }
  const [started] = await first`select public.start_flow(f.id) ->> 'flow_run_id' as id from public.flows as f`;
  runId = started!.id;
  await first`select public.claim_flow_runs(1, 60)`;
  await first`select test.ask(${runId}, ${first.json(KEYS.map((pubkey) => request(pubkey)))})`;
  requestIds = (await first<{ id: string }[]>`select id from public.signature_requests order by created_at`).map((
    { id },
  ) => id);
});

const request = (pubkey: string, timeout_ms = 180_000) => ({ pubkey, msg: 'AQID', signatures: null, timeout_ms });

const SIGNATURES = ['1'.repeat(64), `2${'1'.repeat(63)}`];
const answer = (sql: Sql, index: number, signature = SIGNATURES[0]!, newMsg: string | null = null) =>
  codeOf(sql`select public.answer_signature_request(${requestIds[index]!}, ${signature}, ${newMsg})`);
const suspend = (sql: Sql) => codeOf(sql`select test.suspend(${runId})`);
const stop = (sql: Sql) => codeOf(sql`select public.stop_flow_run(${runId})`);
const finish = (sql: Sql) =>
  codeOf(sql`select public.finish_flow_run(${runId}, 1, 'failed', null, '{a}', '{}', test.progress(${runId}))`);
const claim = (sql: Sql) => sql`select flow_run_id from public.claim_flow_runs(10, 60)`;

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

const answers = async () =>
  (await first`select signature, new_msg from public.signature_requests order by created_at`)
    .map(({ signature, new_msg }) => [signature, new_msg]);
const dueIn = async (): Promise<number> => (await first`select test.due_in(${runId}) as seconds`)[0]!.seconds;

it('of two concurrent answers one is stored, and the other is refused', async () => {
  const codes = await race((sql) => answer(sql, 0), (sql) => answer(sql, 0, SIGNATURES[1]));
  expect(codes).toEqual(['done', 'signature_request_answered']);
  expect(await answers()).toEqual([[SIGNATURES[0], null], [null, null]]);
});

it('when the two answers that a run waits for come at once, the later one wakes the run', async () => {
  await suspend(first);
  expect(await race((sql) => answer(sql, 0), (sql) => answer(sql, 1))).toEqual(['done', 'done']);
  expect(await dueIn()).toBe(0);
  expect(await claim(first)).toEqual([{ flow_run_id: runId }]);
});

it('a suspension sees a last answer that came before it', async () => {
  await answer(first, 0);
  expect(await race((sql) => answer(sql, 1), suspend)).toEqual(['done', 'done']);
  expect(await dueIn()).toBe(0);
});

it('a last answer after a suspension wakes the run', async () => {
  await answer(first, 0);
  expect(await race(suspend, (sql) => answer(sql, 1))).toEqual(['done', 'done']);
  expect(await dueIn()).toBe(0);
});

it('an answer that is not the last one does not wake a run that is being suspended', async () => {
  expect(await race(suspend, (sql) => answer(sql, 1))).toEqual(['done', 'done']);
  expect(await dueIn()).toBeGreaterThan(170);
});

it('a stop during a suspension wakes the run, and a stop before the suspension keeps the run awake', async () => {
  expect(await race(suspend, stop)).toEqual(['done', 'done']);
  expect(await dueIn()).toBe(0);
  await claim(first);
  expect(await suspend(first)).toBe('done');
  expect(await dueIn()).toBe(0);
});

it('a suspension right after a stop leaves the run claimable', async () => {
  expect(await race(stop, suspend)).toEqual(['done', 'done']);
  expect(await dueIn()).toBe(0);
});

it('an answer is refused if the run ends first, and kept if the answer comes first', async () => {
  expect(await race(finish, (sql) => answer(sql, 0))).toEqual(['done', 'signature_request_expired']);
  expect(await answers()).toEqual([[null, null], [null, null]]);
});

it('a run that ends after an answer keeps the answer', async () => {
  expect(await race((sql) => answer(sql, 0), finish)).toEqual(['done', 'done']);
  expect(await answers()).toEqual([[SIGNATURES[0], null], [null, null]]);
});

it('a changed message and a signature of the other key are never both stored', async () => {
  const changed = (sql: Sql) => answer(sql, 0, SIGNATURES[0], 'BAUG');
  expect(await race((sql) => answer(sql, 1), changed)).toEqual(['done', 'transaction_changed']);
  expect(await answers()).toEqual([[null, null], [SIGNATURES[0], null]]);
});

it('answers, claims and suspensions in any order cause no deadlock and lose no answer', async () => {
  for (const round of Array.from({ length: 20 }, (_, index) => index)) {
    await first`select test.ask(${runId}, ${first.json([request(KEYS[0]!)])}, ${`round ${round}`})`;
    const [asked] = await first`
      select id from public.signature_requests where node_id = test.node_id(${`round ${round}`})`;
    requestIds[round + 2] = asked!.id;
    const codes = await Promise.all([suspend(first), answer(second, round + 2)]);
    expect(codes).toEqual(['done', 'done']);
    // Whichever transaction came first, the run waits until all earlier open requests are answered.
    if (round === 0) await Promise.all([answer(first, 0), answer(second, 1)]);
    expect(await dueIn()).toBe(0);
    expect(await claim(first)).toEqual([{ flow_run_id: runId }]);
  }
  expect((await answers()).every(([signature]) => signature !== null)).toBe(true);
});
