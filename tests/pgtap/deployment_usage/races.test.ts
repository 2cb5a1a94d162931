import { base58 } from '@scure/base';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';
import { waitFor } from '../../support/wait.ts';

const KEY = 'So11111111111111111111111111111111111111112';
/** Makes a public key from a number. */
const keyOf = (number: number): string => base58.encode(new Uint8Array(32).fill(number + 1));
const MANY = 1_000_000;

let database: TestDatabase;
let admin: Sql;
let starters: Sql[];
let ownerId: string;
let otherId: string;
let deploymentId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  admin = database.connect('supabase_admin');
  starters = Array.from({ length: 20 }, () => database.connect());
});
afterAll(() => database.close());

const actAs = (sql: Sql, claims: object) =>
  sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, false)`;

async function addUser(): Promise<string> {
  const id = randomUUID();
  await admin`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
  return id;
}

beforeEach(async () => {
  [ownerId, otherId] = [await addUser(), await addUser()];
  await actAs(admin, { sub: ownerId, role: 'authenticated' });
  const [row] = await admin`
    insert into public.flows (user_id, is_public, start_shared, start_unverified) values (${ownerId}, true, true, true) returning id`;
  [{ id: deploymentId }] = await admin<[{ id: string }]>`select public.deploy_flow(${
    row!.id
  }) ->> 'deployment_id' as id`;
  await limit(MANY, MANY);
  for (const [index, sql] of starters.entries()) {
    await actAs(sql, index % 2 === 0 ? { role: 'anon' } : { sub: otherId, role: 'authenticated' });
  }
});

const limit = (starts: number, runs: number) =>
  admin`update public.flow_deployments set max_starts_per_minute = ${starts}, max_runs_in_flight = ${runs} where id = ${deploymentId}`;

const start = async (sql: Sql, idempotencyKey?: string, publicKey = KEY): Promise<string> => {
  const [row] = await sql<[{ id: string }]>`
    select public.start_deployment(id => ${deploymentId}, public_key => ${publicKey}, idempotency_key => ${
    idempotencyKey ?? null
  }) ->> 'flow_run_id' as id`;
  return row.id;
};

/** Starts this many runs at once. Returns how many starts had each result. */
async function startMany(
  count: number,
  between = async (_sql: Sql): Promise<void> => {},
): Promise<Record<string, number>> {
  let left = count;
  const outcomes: Record<string, number> = {};
  await Promise.all(starters.map(async (sql) => {
    while (left-- > 0) {
      const code = await codeOf(start(sql));
      outcomes[code] = (outcomes[code] ?? 0) + 1;
      await between(sql);
    }
  }));
  return outcomes;
}

/** The stored count, and the number of runs in flight. */
async function usage(): Promise<{ counted: number; real: number }> {
  const [row] = await admin<[{ counted: number; real: number }]>`
    select
      (select coalesce(sum(u.in_flight), 0)::integer from private.deployment_usage as u where u.deployment_id = ${deploymentId} and u.share in ('guests', 'others')) as counted,
      (select count(*)::integer from public.flow_run as r
        where r.deployment_id = ${deploymentId} and r.started_by is distinct from r.user_id and r.end_time is null) as real`;
  return row;
}

/**
 * Resolves at a time when the current minute does not end soon, because a test that counts by the minute must not
 * last into the next one.
 */
const inOneMinute = () =>
  waitFor(async () => {
    const [row] = await admin<[{ left: number }]>`select 60 - extract(second from clock_timestamp())::float8 as left`;
    return row.left > 10 || undefined;
  });

/** Ends those runs of the deployment that no other connection is ending. */
const endSome = async (sql: Sql, count: number): Promise<void> => {
  await sql`select private.end_flow_run(r.id, 'stopped', null, null, null) from (
    select j.flow_run_id as id from private.flow_run_jobs as j
    where j.state <> 'ended' and exists (select from public.flow_run as r where r.id = j.flow_run_id and r.deployment_id = ${deploymentId})
    order by j.flow_run_id limit ${count} for no key update skip locked
  ) as r`;
};

/** Lets all callers start at once, each as often as given. Returns how many starts had each result. */
async function startEach(count: number): Promise<Record<string, number>> {
  const codes = await Promise.all(starters.map(async (sql, index) => {
    const codes: string[] = [];
    for (let done = 0; done < count; done++) codes.push(await codeOf(start(sql, undefined, keyOf(index))));
    return codes;
  }));
  return codes.flat().reduce<Record<string, number>>((sum, code) => ({ ...sum, [code]: (sum[code] ?? 0) + 1 }), {});
}

/** Two connections that count in different slots. */
async function differentSlots(): Promise<[Sql, Sql]> {
  const slots = await Promise.all(
    starters.map(async (sql) => (await sql<[{ slot: number }]>`select pg_backend_pid() % 32 as slot`)[0].slot),
  );
  return [starters[0]!, starters[slots.findIndex((slot) => slot !== slots[0])]!];
}

/**
 * Expects that at least as many starts succeed as the limit allows. Starts that were under way when the limit was
 * reached may succeed, too.
 */
function expectAbout(max: number, outcomes: Record<string, number>, count: number): void {
  const { done = 0, start_limit_reached: refused = 0, ...others } = outcomes;
  expect(others).toEqual({});
  expect(done + refused).toBe(count);
  expect(done).toBeGreaterThanOrEqual(max);
  expect(done).toBeLessThan(max + starters.length);
}

describe('of concurrent starts by other callers, as many succeed as the limit allows, and only starts under way may exceed it:', () => {
  beforeEach(async () => {
    for (const sql of starters) await actAs(sql, { sub: await addUser(), role: 'authenticated' });
  });

  it.each([[20, 2], [400, 40]])('a limit of %i runs in flight', async (max, each) => {
    await limit(MANY, max);
    expectAbout(max, await startEach(each), starters.length * each);
    const { counted, real } = await usage();
    expect(counted).toBe(real);
    expect(await codeOf(start(starters[0]!))).toBe('start_limit_reached');
  });

  it.each([[20, 2], [400, 40]])('a limit of %i starts a minute', async (max, each) => {
    await inOneMinute();
    await limit(max, MANY);
    expectAbout(max, await startEach(each), starters.length * each);
    expect(await codeOf(start(starters[0]!))).toBe('start_limit_reached');
  });

  it('the tenth of the limit that one caller may use, while another caller can still start', async () => {
    const userId = await addUser();
    for (const sql of starters) await actAs(sql, { sub: userId, role: 'authenticated' });
    await limit(MANY, 100);
    expectAbout(10, await startEach(2), 40);
    await actAs(starters[0]!, { sub: await addUser(), role: 'authenticated' });
    expect(await codeOf(start(starters[0]!))).toBe('done');
  });

  it('the half of the limit that made-up keys may use, while a user can still start', async () => {
    for (const sql of starters) await actAs(sql, { role: 'anon' });
    await limit(MANY, 80);
    expectAbout(40, await startEach(4), 80);
    await actAs(starters[0]!, { sub: await addUser(), role: 'authenticated' });
    expect(await codeOf(start(starters[0]!))).toBe('done');
  });

  it('while runs end, no start is refused for long, and ended runs do not count any more', async () => {
    await limit(MANY, 100);
    const outcomes = await startMany(300, (sql) => endSome(sql, 1));
    expect(outcomes.done).toBeGreaterThan(150);
    expect(Object.keys(outcomes).filter((code) => code !== 'done' && code !== 'start_limit_reached')).toEqual([]);
    await endSome(admin, MANY);
    expect(await usage()).toEqual({ counted: 0, real: 0 });
  });

  it('a start under way is neither waited for nor counted', async () => {
    await limit(MANY, 1);
    const [first, second] = await differentSlots();
    await first`begin`;
    await start(first);
    expect(await codeOf(start(second))).toBe('done');
    await first`commit`;
    expect(await codeOf(start(second))).toBe('start_limit_reached');
  });

  it('a start that fails does not count', async () => {
    await limit(MANY, 1);
    const [first, second] = await differentSlots();
    await first`begin`;
    await start(first);
    await first`rollback`;
    expect(await codeOf(start(second))).toBe('done');
    expect(await usage()).toEqual({ counted: 1, real: 1 });
  });

  it('several starts in one transaction count one by one', async () => {
    await limit(MANY, 1000);
    const startAll = (count: number) =>
      starters[0]!`select public.start_deployment(id => ${deploymentId}) from generate_series(1, ${count}::integer)`;
    expect(await codeOf(startAll(101))).toBe('start_limit_reached');
    expect(await usage()).toEqual({ counted: 0, real: 0 });
    await startAll(100);
    expect(await codeOf(start(starters[0]!))).toBe('start_limit_reached');
    expect(await usage()).toEqual({ counted: 100, real: 100 });
  });

  it('a sweep does not forget a caller whose start is under way', async () => {
    const [first] = await differentSlots();
    await start(first);
    await endSome(admin, 1);
    await admin`update private.deployment_usage set minute = minute - interval '2 minutes'`;
    await first`begin`;
    await start(first);
    await admin`select private.sweep_runner()`;
    await first`commit`;
    expect(await usage()).toEqual({ counted: 1, real: 1 });
    const [row] = await admin`
      select sum(in_flight)::integer as runs from private.deployment_usage where deployment_id = ${deploymentId} and share like 'user:%'`;
    expect(row).toEqual({ runs: 1 });
  });
});

describe('there is no deadlock between', () => {
  it('a start and the deletion of the owner, whose row the start finds first', async () => {
    const [starter] = starters as [Sql];
    const [{ pid }] = await starter<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await admin`begin`;
    // The start stops after it has locked the rows that it looked up, and before it stores anything.
    await admin`lock table private.idempotency_keys in exclusive mode`;
    const starting = codeOf(start(starter, randomUUID()));
    const observer = database.connect('supabase_admin');
    await hasToWait(observer, starting);
    const deleter = database.connect('supabase_admin');
    const deleting = codeOf(deleter`delete from auth.users where id = ${ownerId}`);
    await waitFor(async () => {
      const rows = await observer`select from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`;
      return rows.count > 0 || undefined;
    });
    await admin`rollback`;
    expect([await starting, await deleting]).toEqual(['done', 'done']);
    expect((await observer`select from private.deployment_usage where deployment_id = ${deploymentId}`).count).toBe(0);
    expect((await observer`select from public.flow_run where deployment_id = ${deploymentId}`).count).toBe(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the deletion of the deployment', () => admin`delete from public.flow_deployments where id = ${deploymentId}`],
    ['the deletion of its owner', () => admin`delete from auth.users where id = ${ownerId}`],
  ])('starts, ends of runs, and %s', async (_name, remove) => {
    expect(await startMany(200, (sql) => endSome(sql, 1))).toEqual({ done: 200 });
    await startMany(100);
    const late = startMany(200, (sql) => endSome(sql, 2));
    await waitFor(async () => (await usage()).real < 100 || undefined);
    expect(await codeOf(remove())).toBe('done');
    expect(Object.keys(await late).filter((code) => code !== 'done' && code !== 'deployment_not_found')).toEqual([]);
    await endSome(admin, MANY);
    // If a row was locked by the end of a run during the deletion, the deletion has left this row. The next sweep
    // deletes such a row.
    await admin`select private.sweep_runner()`;
    expect((await admin`select from private.deployment_usage where deployment_id = ${deploymentId}`).count).toBe(0);
    expect((await admin`select from public.flow_run where deployment_id = ${deploymentId} and end_time is null`).count)
      .toBe(0);
  });

  it('the end of a run and the deletion of the deployment, whichever share the end has locked', async () => {
    const [ending] = starters as [Sql];
    await start(ending);
    await ending`begin`;
    await ending`
      select from private.deployment_usage where deployment_id = ${deploymentId} and share = 'guests' for update`;
    expect(await codeOf(admin`delete from public.flow_deployments where id = ${deploymentId}`)).toBe('done');
    await ending`rollback`;
  }, 20_000);

  it('ends of runs by guests and ends of runs by others, because each commit counts them in one order', async () => {
    const [ending, other] = starters as [Sql, Sql];
    const [{ slot }] = await ending<[{ slot: number }]>`select -1 - pg_backend_pid() % 32 as slot`;
    const startBoth = async () => [await start(other), await start(ending)];
    for (const runId of await startBoth()) await ending`select private.end_flow_run(${runId}, 'stopped')`;
    const results = (await startBoth()).map((flow_run_id) => ({
      flow_run_id,
      claim_number: 0,
      status: 'stopped',
      progress: { work_ms: 0, children: [], node_runs: [], logs: [], transactions: [] },
    }));
    const holdSlot = (share: string) =>
      admin`select from private.deployment_usage where deployment_id = ${deploymentId} and share = ${share} and slot = ${slot} for update nowait`;

    await admin`begin`;
    expect((await holdSlot('guests')).count).toBe(1);
    const finishing = codeOf(ending`select private.finish_flow_runs(${ending.json(results)})`);
    await hasToWait(database.connect('supabase_admin'), finishing);
    // finish_flow_runs locks the guests' row first, and now waits for it. So it has not yet locked the row of the other
    // callers.
    expect((await holdSlot('others')).count).toBe(1);
    await admin`commit`;
    expect(await finishing).toBe('done');
    expect(await usage()).toEqual({ counted: 0, real: 0 });
  });

  it('a start, ends of runs, and the deletion of the starter', async () => {
    const starting = startMany(300, (sql) => endSome(sql, 1));
    await waitFor(async () => (await usage()).real > 0 || undefined);
    expect(await codeOf(admin`delete from auth.users where id = ${otherId}`)).toBe('done');
    const gone = ['done', 'token_invalid'];
    expect(Object.keys(await starting).filter((code) => !gone.includes(code))).toEqual([]);
    await endSome(admin, MANY);
    expect(await usage()).toEqual({ counted: 0, real: 0 });
  });
});
