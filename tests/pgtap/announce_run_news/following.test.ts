import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeOpenNewsSession, type NewsSession } from '../../../functions/_shared/waiting/news_session.ts';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { countAdvisoryLocks } from '../../support/locks.ts';
import { waitFor } from '../../support/wait.ts';

let database: TestDatabase;
let sql: Sql;
let ender: Sql;
let userId: string;
let opened: NewsSession[] = [];
/** The ids of the news that the sessions have heard, and `lost` for each lost session. */
let heard: string[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
  [sql, ender] = [database.connect(), database.connect()];
  userId = randomUUID();
  await sql`insert into auth.users (id) values (${userId})`;
});
afterAll(() => database.close());

const listens = () => countAdvisoryLocks(sql, 'private.listen_for_run_news');

const open = async (): Promise<NewsSession | undefined> => {
  const session = await makeOpenNewsSession(database.url('postgres'))!({
    onNews: (id) => void heard.push(id),
    onLost: () => void heard.push('lost'),
  });
  if (session !== undefined) opened.push(session);
  return session;
};

beforeEach(() => {
  heard = [];
});
afterEach(async () => {
  for (const session of opened) session.close();
  opened = [];
  await waitFor(async () => await listens() === 0 || undefined);
});

const makeRun = async (): Promise<string> => {
  const [run] = await sql`select test.claimed_run(${userId}) as id`;
  return run!.id;
};

const end = (id: string, by: Sql = ender) => by`select private.end_flow_run(${id}, 'stopped')`;

const follow = async (session: NewsSession | undefined, ...ids: string[]): Promise<string[]> =>
  await session!.query<string[]>(
    "select to_json(array(select private.follow_flow_runs($1::uuid[], 'ends'))) as result",
    ids,
  );

/** Sends a notification and waits for it, so that all earlier notifications have arrived. */
async function hearAll(): Promise<string[]> {
  const last = `end ${randomUUID()}`;
  await sql`select pg_notify('flow_run_news', ${last})`;
  await waitFor(() => heard.includes(last) || undefined);
  return heard.filter((line) => line !== last);
}

it('the end of a run is announced if a session follows the run', async () => {
  const [followed, other] = [await makeRun(), await makeRun()];
  const session = await open();
  expect(await follow(session, followed)).toEqual([followed]);
  await end(other);
  await end(followed);
  expect(await hearAll()).toEqual([followed]);
});

it('a session that unfollows a run as often as it followed the run gets no more news of the run', async () => {
  const [one, two] = [await makeRun(), await makeRun()];
  const session = await open();
  await follow(session, one, two);
  await follow(session, one, two);
  await session!.query("select private.unfollow_flow_runs($1::uuid[], 'ends')", [one, one, two]);
  await end(one);
  await end(two);
  expect(await hearAll()).toEqual([two]);
});

it('all sessions that follow a run get its news once for each transaction', async () => {
  const id = await makeRun();
  for (const session of [await open(), await open()]) await follow(session, id);
  await ender.begin(async (tx) => {
    await tx`select private.announce_run_news(${id}, 'ends')`;
    await tx`select private.end_flow_run(${id}, 'stopped')`;
  });
  const news = await hearAll();
  await waitFor(() => heard.filter((line) => line === id).length === 2 || undefined);
  expect(new Set(news)).toEqual(new Set([id]));
});

it('while a transaction ends a run, a session can not follow the run, and does not wait; a later read sees the end', async () => {
  const [ends, stays] = [await makeRun(), await makeRun()];
  const session = await open();
  await ender`begin`;
  await end(ends);
  expect(await follow(session, ends, stays)).toEqual([stays]);
  await ender`commit`;
  expect(await follow(session, ends)).toEqual([ends]);
  const look = 'select status as result from public.flow_run where id = any ($1::uuid[])';
  expect(await session!.query(look, [ends])).toBe('stopped');
});

it('an end that is rolled back is not announced, and the run can be followed again', async () => {
  const id = await makeRun();
  const session = await open();
  await follow(session, id);
  await ender`begin`;
  await end(id);
  await ender`rollback`;
  expect(await hearAll()).toEqual([]);
  expect(await follow(await open(), id)).toEqual([id]);
});

it('a signature request is announced when it is made, but not when a repeated call stores it again', async () => {
  const id = await makeRun();
  await follow(await open(), id);
  await ender`select test.ask(${id}, test.request())`;
  expect(await hearAll()).toEqual([id]);
  heard = [];
  await ender`select test.ask(${id}, test.request())`;
  expect(await hearAll()).toEqual([]);
});

it('neither a called run nor a missing run can be followed', async () => {
  const root = await makeRun();
  const child = randomUUID();
  await sql`
    insert into public.flow_run (
      id, user_id, flow_id, status, inputs, start_time, parent_flow_run_id, parent_node_id, parent_times, chain_network
    )
    select ${child}, r.user_id, r.flow_id, 'running', r.inputs, now(), r.id, gen_random_uuid(), 0, r.chain_network
    from public.flow_run as r where r.id = ${root}`;
  const session = await open();
  expect(await follow(session, child, randomUUID(), root)).toEqual([root]);
  expect(await countAdvisoryLocks(sql, 'private.announce_run_news/ends')).toBe(1);
});

it('an eighth of the connections may listen, each to four times max_locks_per_transaction runs; a session that ends makes room for another', async () => {
  const [row] = await sql`
    select current_setting('max_connections')::integer / 8 as places,
      current_setting('max_locks_per_transaction')::integer * 4 as capacity`;
  const sessions = [];
  for (let place = 0; place < row!.places; place++) sessions.push((await open())?.capacity);
  expect(new Set(sessions)).toEqual(new Set([row!.capacity]));
  expect(await open()).toBeUndefined();
  opened.pop()!.close();
  await waitFor(async () => await listens() < row!.places || undefined);
  expect(await open()).toBeDefined();
});

it('a listening session has the role service_role, and the database ends it when its client is gone', async () => {
  const session = await open();
  const state = await session!.query(
    `select json_build_object(
      'user', current_user, 'idle', current_setting('idle_session_timeout'), 'keepalive', current_setting('tcp_keepalives_idle')
    ) as result from unnest($1::uuid[])`,
    [randomUUID()],
  );
  expect(state).toEqual({ user: 'service_role', idle: '1min', keepalive: '20' });
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'flow_waits' and datname = current_database()`;
  await waitFor(() => heard.includes('lost') || undefined);
  await expect(session!.query('select 1', [])).rejects.toThrow();
});

it.each(['anon', 'authenticated', 'service_role'])(
  '%s announces no news of runs, and only the service role may follow runs',
  async (role) => {
    const mine = database.connect();
    await mine`select set_config('role', ${role}, false)`;
    const id = randomUUID();
    const codes = [
      await codeOf(mine`select private.announce_run_news(${id}, 'ends')`),
      await codeOf(mine`select private.listen_for_run_news()`),
      await codeOf(mine`select private.follow_flow_runs(array[${id}]::uuid[], 'ends')`),
      await codeOf(mine`select private.unfollow_flow_runs(array[${id}]::uuid[], 'ends')`),
    ];
    await mine`select pg_advisory_unlock_all()`;
    const may = role === 'service_role' ? 'done' : '42501';
    expect(codes).toEqual(['42501', may, may, may]);
  },
);
