import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { FlowBuilder } from '../../support/flow_builder.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait.ts';

let database: TestDatabase;
let admin: Sql;
let connections: Sql[];
/** A flow with the inputs that the starts of debounced runs have. */
const flow = new FlowBuilder();
for (const label of ['key', 'value']) flow.input(label);

let flowId: number;
let deploymentId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  admin = database.connect('supabase_admin');
  connections = Array.from({ length: 6 }, () => database.connect());
});
afterAll(() => database.close());

beforeEach(async () => {
  await admin`delete from auth.users`;
  const userId = randomUUID();
  const claims = JSON.stringify({ sub: userId, role: 'authenticated' });
  await admin`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  for (const sql of [admin, ...connections]) {
    await sql`select set_config('request.jwt.claims', ${claims}, false)`;
    // A statement that waits for a lock for 5 seconds fails.
    await sql`set lock_timeout = '5s'`;
  }
  [{ id: flowId }] = await admin<[{ id: number }]>`
    insert into public.flows (user_id, nodes) values (${userId}, ${
    JSON.stringify(flow.nodes)
  }::text::jsonb) returning id`;
  [{ id: deploymentId }] = await admin<[{ id: string }]>`
    select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`;
});

const limit = (running: number) =>
  admin`update public.flow_deployments set max_running_per_key = ${running} where id = ${deploymentId}`;

const start = async (sql: Sql): Promise<string> =>
  (await sql<[{ id: string }]>`select public.start_deployment(id => ${deploymentId}) ->> 'flow_run_id' as id`)[0].id;

interface Claim {
  flow_run_id: string;
  claim_number: number;
}
const claim = (sql: Sql, count: number) =>
  sql<
    Claim[]
  >`select flow_run_id, claim_number from public.claim_flow_runs(${count}, 60) where flow_run_id is not null`;
const finish = async (sql: Sql, claims: Claim[]): Promise<string[]> => {
  const results = claims.map((held) => ({ ...held, status: 'succeeded', output: { M: {} }, progress: {} }));
  return (await sql<[{ ids: string[] }]>`select public.finish_flow_runs(${sql.json(results)}) as ids`)[0].ids;
};
const left = async () =>
  (await admin`select (select count(*)::integer from private.queue_keys) as keys,
    (select count(*)::integer from private.queue_key_notes) as notes,
    (select count(*)::integer from private.flow_run_jobs where state <> 'ended') as jobs`)[0];

describe('limits by key', () => {
  it('hold under races, and nothing is left when all runs have ended', async () => {
    await limit(3);
    const RUNS = 300;
    let started = 0;
    let ended = 0;
    let most = 0;
    const held = new Set<string>();
    const starters = connections.slice(0, 2).map(async (sql) => {
      while (started < RUNS) {
        started += 1;
        await start(sql);
      }
    });
    const stopper = (async () => {
      while (ended < RUNS) {
        const [row] = await admin<{ id: string }[]>`
          select flow_run_id as id from private.flow_run_jobs where state = 'blocked' order by random() limit 1`;
        if (row !== undefined) await admin`select public.stop_flow_run(${row.id})`;
        const [{ count }] = await admin<[{ count: number }]>`
          select count(*)::integer as count from private.flow_run_jobs where state = 'ended'`;
        ended = count;
      }
    })();
    const workers = connections.slice(2).map(async (sql) => {
      while (ended < RUNS) {
        const claims = await claim(sql, 2);
        for (const { flow_run_id: id } of claims) held.add(id);
        most = Math.max(most, held.size);
        // Forget the runs before they end, so that `held` never has a run whose place is already free.
        for (const { flow_run_id: id } of claims) held.delete(id);
        let rest: Claim[] = [...claims];
        while (rest.length > 0) {
          const done = await finish(sql, rest);
          rest = rest.filter(({ flow_run_id: id }) => !done.includes(id));
        }
      }
    });
    await Promise.all([...starters, ...workers, stopper]);
    expect(most).toBeLessThanOrEqual(3);
    expect(await left()).toEqual({ keys: 0, notes: 0, jobs: 0 });
  }, 120_000);

  it('are never exceeded, as the rows tell', async () => {
    await limit(2);
    await Promise.all(connections.map(async (sql) => {
      for (let turn = 0; turn < 10; turn += 1) await start(sql);
    }));
    const [row] = await admin`
      select count(*) filter (where state = 'ready')::integer as ready,
        count(*) filter (where state = 'blocked')::integer as blocked from private.flow_run_jobs where state <> 'ended'`;
    expect(row).toEqual({ ready: 2, blocked: 58 });
  });

  it('let an end and a stop not wait for a start, and the place is given later', async () => {
    await limit(1);
    const [starter, worker] = [connections[0]!, connections[1]!];
    await start(worker);
    const [held] = await claim(worker, 1);
    await starter`begin`;
    const second = await start(starter);
    // The start has locked the key. If the end waited for it, its lock_timeout would be reached.
    expect(await finish(worker, [held!])).toEqual([held!.flow_run_id]);
    expect(await claim(worker, 1)).toHaveLength(0);
    await starter`commit`;
    expect((await claim(worker, 1)).map(({ flow_run_id: id }) => id)).toEqual([second]);
  });

  it('admit a blocked run whose job was locked when a place became free', async () => {
    await limit(1);
    const [locker, worker] = [connections[0]!, connections[1]!];
    const first = await start(worker);
    const second = await start(worker);
    await locker`begin`;
    await locker`select from private.flow_run_jobs where flow_run_id = ${second} for update`;
    await worker`select public.stop_flow_run(${first})`;
    expect(await claim(worker, 1)).toHaveLength(0);
    await locker`commit`;
    await waitFor(async () => (await claim(worker, 1)).length === 1 || undefined);
  });

  it('survive a deletion of the flow while others start and claim its runs', async () => {
    await limit(1);
    const deletion = (async () => {
      await waitFor(async () => (await left())!.jobs > 20 || undefined, 20_000);
      await admin`delete from public.flow_deployments where id = ${deploymentId}`;
      await admin`delete from public.flows where id = ${flowId}`;
    })();
    let isDeleted = false;
    void deletion.then(() => isDeleted = true);
    await Promise.all([
      deletion,
      ...connections.slice(0, 3).map(async (sql) => {
        while (!isDeleted) await start(sql).catch(() => undefined);
      }),
      ...connections.slice(3).map(async (sql) => {
        while (!isDeleted) await finish(sql, await claim(sql, 3));
      }),
    ]);
    await waitFor(async () => {
      await claim(admin, 1);
      return (await left())!.keys === 0 || undefined;
    });
    expect(await left()).toEqual({ keys: 0, notes: 0, jobs: 0 });
  });

  it('let no write of a row wait for a key, whatever the order of the keys', async () => {
    const [one, other, third] = connections as [Sql, Sql, Sql];
    const [{ owner }] = await admin<
      [{ owner: string }]
    >`select user_id as owner from public.flows where id = ${flowId}`;
    for (const table of ['first_rows', 'second_rows']) {
      await one`create table if not exists ${one(`public.${table}`)} (id integer)`;
      await one`select set_config('test.flow', test.create_flow(${owner}, test.inputs('change'))::text, false)`;
      await one`select public.deploy_flow(current_setting('test.flow')::integer)`;
      await one`
        select private.start_flow_on_rows(
          ${table}::regclass, '{insert}', current_setting('test.flow')::integer, null, 'change', on_refusal => 'abort')`;
    }
    await admin`update public.flow_deployments set max_running_per_key = 1 where id <> ${deploymentId}`;
    // As after a deploy that nobody has read yet: the first start of a graph stores its interface.
    await admin`delete from private.flow_snapshot_interfaces`;
    const write = (sql: Sql, table: string) => sql`insert into ${sql(`public.${table}`)} values (1)`;
    const startFirst = (sql: Sql) =>
      sql`select public.start_deployment(flow => (select flow from public.flow_row_starts where table_name = 'first_rows'))`;

    await one`begin`;
    await other`begin`;
    await write(one, 'first_rows');
    await write(other, 'second_rows');
    await write(one, 'second_rows');
    await write(other, 'first_rows');
    // Nor does another start wait for an open transaction that has written rows.
    await third`begin`;
    await startFirst(third);
    await Promise.all([one`commit`, other`commit`]);
    // The third connection has inserted the key of the first table, and has not committed it yet. A claim does not wait
    // for it. The runs of the other key get their places.
    const [second] = await claim(one, 4);
    expect(await claim(one, 4)).toEqual([]);
    await third`commit`;
    const order = [];
    let held = [second!, ...await claim(one, 4)];
    while (held.length > 0) {
      order.push(held.length);
      await finish(one, held);
      held = await claim(one, 4);
    }
    // Five runs: two of the second key, and three of the first. At most one of each key is under way.
    expect(order).toEqual([2, 2, 1]);
    expect(await left()).toEqual({ keys: 0, notes: 0, jobs: 0 });
    const rows = await admin`select sum(refused)::integer as refused from public.flow_row_starts`;
    expect(rows).toMatchObject([{ refused: 0 }]);
    await one`drop table public.first_rows, public.second_rows`;
  });
});

describe('debounced starts', () => {
  const debounce = () =>
    admin`update public.flow_deployments set queue_key = 'key', debounce_seconds = 60 where id = ${deploymentId}`;
  const startWith = async (sql: Sql, key: string, value: string): Promise<string> => {
    const inputs = { key: { S: key }, value: { S: value } };
    const [row] = await sql<[{ id: string }]>`
      select public.start_deployment(id => ${deploymentId}, inputs => ${sql.json(inputs)}) ->> 'flow_run_id' as id`;
    return row.id;
  };
  /** Reads the inputs of a run. */
  const valueOf = async (id: string) =>
    (await admin<[{ value: string }]>`
      select inputs #>> '{M,value,S}' as value from public.flow_run where id = ${id}`)[0].value;

  it('of a key at the same time make one run', async () => {
    await debounce();
    const ids = await Promise.all(connections.map((sql, n) => startWith(sql, 'same', `from ${n}`)));
    expect(new Set(ids).size).toBe(1);
    expect(await valueOf(ids[0]!)).toMatch(/^from \d$/);
    expect(await left()).toEqual({ keys: 1, notes: 0, jobs: 1 });
  });

  it('lose no inputs to claims: each run executes what the last start that returned it sent', async () => {
    await debounce();
    const STARTS = 60;
    /** What the starts sent that returned the run, in their order. The starts of a key wait for each other. */
    const sent = new Map<string, string[]>();
    const claimed = new Map<string, string>();
    let starters = 4;
    const work = async (sql: Sql) => {
      for (;;) {
        const isLast = starters === 0;
        await sql`update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id = any (array(
          select flow_run_id from private.flow_run_jobs where state = 'sleeping' for no key update skip locked))`;
        const claims = await sql<(Claim & { value: string })[]>`
          select flow_run_id, claim_number, inputs #>> '{M,value,S}' as value
          from public.claim_flow_runs(3, 60) where flow_run_id is not null`;
        for (const { flow_run_id: id, value } of claims) {
          expect(claimed.has(id)).toBe(false);
          claimed.set(id, value);
        }
        await finish(sql, claims.map(({ flow_run_id, claim_number }) => ({ flow_run_id, claim_number })));
        if (isLast && claims.length === 0 && (await left())!.jobs === 0) return;
      }
    };
    await Promise.all([
      ...connections.slice(0, 4).map(async (sql, n) => {
        for (let turn = 0; turn < STARTS; turn += 1) {
          // The third and the fourth starter have the same key.
          const value = `${n}.${turn}`;
          const id = await startWith(sql, `key ${Math.min(n, 2)}`, value);
          sent.set(id, [...sent.get(id) ?? [], value]);
        }
        starters -= 1;
      }),
      ...connections.slice(4).map(work),
    ]);
    expect([...claimed.keys()].toSorted()).toEqual([...sent.keys()].toSorted());
    for (const [id, values] of sent) {
      const mine = claimed.get(id)!;
      expect(await valueOf(id)).toBe(mine);
      // Answers of two starters may come in another order than their starts.
      if (/^[01]/.test(mine)) expect(mine).toBe(values.at(-1));
      else expect(values).toContain(mine);
    }
    expect(sent.size).toBeLessThan(4 * STARTS);
    expect(await left()).toEqual({ keys: 0, notes: 0, jobs: 0 });
  }, 120_000);

  it('make a new run if the sleeping run is being stopped', async () => {
    await debounce();
    const [starter, stopper] = [connections[0]!, connections[1]!];
    const first = await startWith(starter, 'a', 'first');
    await stopper`begin`;
    await stopper`select public.stop_flow_run(${first})`;
    // If the start waited for the stop, its lock_timeout would be reached.
    const second = await startWith(starter, 'a', 'second');
    await stopper`rollback`;
    expect(second).not.toBe(first);
    expect([await valueOf(first), await valueOf(second)]).toEqual(['first', 'second']);
  });
});
