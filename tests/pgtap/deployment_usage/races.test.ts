import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../supabase/local/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';
import { waitFor } from '../../support/wait.ts';

const KEY = 'So11111111111111111111111111111111111111112';
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
afterAll(() => database.drop());

const actAs = (sql: Sql, claims: object) =>
  sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, false)`;

beforeEach(async () => {
  [ownerId, otherId] = [randomUUID(), randomUUID()];
  for (const id of [ownerId, otherId]) {
    await admin`insert into auth.users (id, email) values (${id}, ${`${id}@example.com`})`;
  }
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

const start = async (sql: Sql, key?: string): Promise<string> => {
  const [row] = await sql<[{ id: string }]>`
    select public.start_deployment(id => ${deploymentId}, public_key => ${KEY}, idempotency_key => ${
    key ?? null
  }) ->> 'flow_run_id' as id`;
  return row.id;
};

/** Starts by all at once, as many as told; how many ended how. */
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

/** What is counted, beside what is there. */
async function usage(): Promise<{ counted: number; real: number }> {
  const [row] = await admin<[{ counted: number; real: number }]>`
    select
      (select coalesce(sum(u.in_flight - u.reserved), 0)::integer from private.deployment_usage as u where u.deployment_id = ${deploymentId}) as counted,
      (select count(*)::integer from public.flow_run as r
        where r.deployment_id = ${deploymentId} and r.started_by is distinct from r.user_id and r.end_time is null) as real`;
  return row;
}

/** Resolves in a minute that is not about to end: who counts by the minute must not cross into the next. */
const inOneMinute = () =>
  waitFor(async () => {
    const [row] = await admin<[{ left: number }]>`select 60 - extract(second from clock_timestamp())::float8 as left`;
    return row.left > 10 || undefined;
  });

/** Ends runs of the deployment, the ones that no other connection ends. */
const endSome = async (sql: Sql, count: number): Promise<void> => {
  await sql`select private.end_flow_run(r.id, 'stopped', null, null, null) from (
    select r.id from public.flow_run as r where r.deployment_id = ${deploymentId} and r.end_time is null
    order by r.id limit ${count} for no key update skip locked
  ) as r`;
};

describe('of starts by others at once, exactly as many succeed as the limit says', () => {
  it.each([
    ['all of them near the limit', 20, 50],
    ['first far from the limit, then near it', 600, 700],
  ])('in flight: %s', async (_name, max, count) => {
    await limit(MANY, max);
    expect(await startMany(count)).toEqual({ done: max, start_limit_reached: count - max });
    expect(await usage()).toEqual({ counted: max, real: max });
  });

  it.each([
    ['all of them near the limit', 20, 50],
    ['first far from the limit, then near it', 600, 700],
  ])('a minute: %s', async (_name, max, count) => {
    await inOneMinute();
    await limit(max, MANY);
    expect(await startMany(count)).toEqual({ done: max, start_limit_reached: count - max });
    expect(await usage()).toEqual({ counted: max, real: max });
  });

  it('while runs end, no more are ever in flight, and none is refused for long', async () => {
    await limit(MANY, 10);
    let most = 0;
    let isOver = false;
    const observer = database.connect('supabase_admin');
    const watching = (async () => {
      while (!isOver) {
        most = Math.max(
          most,
          (await observer`
        select from public.flow_run where deployment_id = ${deploymentId} and end_time is null`).count,
        );
      }
    })();
    const outcomes = await startMany(300, (sql) => endSome(sql, 1));
    isOver = true;
    await watching;
    expect(most).toBeLessThanOrEqual(10);
    expect(outcomes.done).toBeGreaterThan(50);
    expect(Object.keys(outcomes).filter((code) => code !== 'done' && code !== 'start_limit_reached')).toEqual([]);
    await endSome(admin, MANY);
    expect(await usage()).toEqual({ counted: 0, real: 0 });
  });

  it('one that is under way counts before it is stored, near the limit', async () => {
    await limit(MANY, 1);
    const [first, second] = starters as [Sql, Sql];
    await first`begin`;
    await start(first);
    const following = codeOf(start(second));
    await hasToWait(admin, following);
    await first`commit`;
    expect(await following).toBe('start_limit_reached');
  });

  it('one that fails counts for nothing', async () => {
    await limit(MANY, 1);
    const [first, second] = starters as [Sql, Sql];
    await first`begin`;
    await start(first);
    const following = codeOf(start(second));
    await hasToWait(admin, following);
    await first`rollback`;
    expect(await following).toBe('done');
  });

  it('several of one transaction count one by one', async () => {
    await limit(MANY, 100);
    const started = await codeOf(
      starters[
        0
      ]!`select public.start_deployment(id => ${deploymentId}, public_key => ${KEY}) from generate_series(1, 101)`,
    );
    expect(started).toBe('start_limit_reached');
    expect(await usage()).toEqual({ counted: 0, real: 0 });
    await starters[
      0
    ]!`select public.start_deployment(id => ${deploymentId}, public_key => ${KEY}) from generate_series(1, 100)`;
    expect(await codeOf(start(starters[1]!))).toBe('start_limit_reached');
    expect(await usage()).toEqual({ counted: 100, real: 100 });
  });

  it('a start that comes while another looks at all slots alone waits, and reserves as many as ever', async () => {
    const [starter] = starters as [Sql];
    await limit(MANY, MANY);
    await inOneMinute();
    await admin`begin`;
    await admin`select pg_advisory_xact_lock(uuid_hash_extended(${deploymentId}, 0))`;
    const starting = codeOf(start(starter));
    const observer = database.connect('supabase_admin');
    await hasToWait(observer, starting);
    await admin`commit`;
    expect(await starting).toBe('done');
    expect(
      await admin`select reserved from private.deployment_usage where deployment_id = ${deploymentId} and slot >= 0`,
    )
      .toEqual([{ reserved: 255 }]);
  });

  it('two that come to reserve after others have used up most of the room take no more than is left together', async () => {
    const room = 15;
    // The first start of all makes the secret of run tokens, and others wait for it.
    await start(admin);
    await limit(MANY, 640);
    await inOneMinute();
    const slots = await Promise.all(
      starters.map(async (sql) => (await sql<[{ slot: number }]>`select pg_backend_pid() % 32 as slot`)[0].slot),
    );
    const pair = [starters[0]!, starters[slots.findIndex((slot) => slot !== slots[0])]!];
    await admin`insert into private.deployment_usage (deployment_id, slot)
      select ${deploymentId}, slot from unnest(${[...new Set(slots)]}::integer[]) as slot`;
    await admin`begin`;
    await admin`select from private.deployment_usage where deployment_id = ${deploymentId} for no key update`;
    // Both have seen room for ten times 64, and wait for their slots.
    for (const sql of pair) await sql`begin`;
    const starts = pair.map((sql) => codeOf(start(sql)));
    const observer = database.connect('supabase_admin');
    await hasToWait(observer, Promise.race(starts), 2);
    await observer`insert into private.deployment_usage (deployment_id, slot, in_flight) values (${deploymentId}, -1, ${
      640 - room
    })`;
    await admin`commit`;

    try {
      const first = await Promise.race(starts.map(async (starting, index) => {
        await starting;
        return index;
      }));
      await hasToWait(observer, starts[1 - first]!);
      for (const index of [first, 1 - first]) {
        expect(await starts[index]).toBe('done');
        await pair[index]!`commit`;
      }
    } finally {
      // Without effect, unless one of the two did not wait.
      for (const sql of pair) await sql`rollback`;
    }
    expect(await startMany(40)).toEqual({ done: room - 2, start_limit_reached: 40 - room + 2 });
  });

  it('what a slot has reserved under an older limit is worth nothing', async () => {
    await startMany(40);
    await limit(MANY, 45);
    expect(await startMany(40)).toEqual({ done: 5, start_limit_reached: 35 });
    await limit(MANY, 0);
    await endSome(admin, 20);
    expect(await startMany(5)).toEqual({ start_limit_reached: 5 });
    await limit(MANY, 30);
    expect(await startMany(40)).toEqual({ done: 5, start_limit_reached: 35 });
    expect(await usage()).toEqual({ counted: 30, real: 30 });
  });
});

describe('a start neither waits in a circle', () => {
  it('with the deletion of the owner, who is found by a start first', async () => {
    const [starter] = starters as [Sql];
    const [{ pid }] = await starter<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await admin`begin`;
    // The start stands where it holds what it looked up, and has stored nothing.
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
  ])('nor with ends and %s', async (_name, remove) => {
    expect(await startMany(200, (sql) => endSome(sql, 1))).toEqual({ done: 200 });
    await startMany(100);
    const late = startMany(200, (sql) => endSome(sql, 2));
    await waitFor(async () => (await usage()).real < 100 || undefined);
    expect(await codeOf(remove())).toBe('done');
    expect(Object.keys(await late).filter((code) => code !== 'done' && code !== 'deployment_not_found')).toEqual([]);
    await endSome(admin, MANY);
    // A row that an end had locked at the deletion is left to the next sweep.
    await admin`select private.sweep_runner()`;
    expect((await admin`select from private.deployment_usage where deployment_id = ${deploymentId}`).count).toBe(0);
    expect((await admin`select from public.flow_run where deployment_id = ${deploymentId} and end_time is null`).count)
      .toBe(0);
  });

  it('nor with ends and the deletion of who starts it', async () => {
    const starting = startMany(300, (sql) => endSome(sql, 1));
    await waitFor(async () => (await usage()).real > 0 || undefined);
    expect(await codeOf(admin`delete from auth.users where id = ${otherId}`)).toBe('done');
    const gone = ['done', 'token_invalid'];
    expect(Object.keys(await starting).filter((code) => !gone.includes(code))).toEqual([]);
    await endSome(admin, MANY);
    expect(await usage()).toEqual({ counted: 0, real: 0 });
  });
});
