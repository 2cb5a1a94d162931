import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JSONValue } from 'postgres';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let clients: Sql[];
let userId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  clients = Array.from({ length: 8 }, () => database.connect());
});

afterAll(() => database.close());

beforeEach(async () => {
  userId = randomUUID();
  await clients[0]!`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
});

/** Makes a claimed run of the user, on its own connection. Its nodes use the stores. */
async function makeRun(sql: Sql) {
  const [{ id }] = await sql<[{ id: string }]>`select test.claimed_run(${userId}) as id`;
  const claim = { flow_run_id: id, claim_number: 1 };
  const begin = async () => {
    const [{ effect }] = await sql<[{ effect: JSONValue }]>`select test.begin_node(${id}, ${randomUUID()}) as effect`;
    return effect;
  };
  return {
    claim,
    begin,
    create: (store: string) =>
      codeOf(
        begin().then((effect) => sql`select public.kv_create_store(${sql.json(claim)}, ${sql.json(effect)}, ${store})`),
      ),
    delete: (store: string) =>
      codeOf(
        begin().then((effect) => sql`select public.kv_delete_store(${sql.json(claim)}, ${sql.json(effect)}, ${store})`),
      ),
    write: async (store: string, key: string, text: string): Promise<{ S: string } | null> => {
      const effect = await begin();
      const [{ old }] = await sql<[{ old: { S: string } | null }]>`
        select public.kv_write_item(${sql.json(claim)}, ${sql.json(effect)}, ${store}, ${key}, ${
        sql.json({ S: text })
      }) as old`;
      return old;
    },
  };
}

const makeRuns = () => Promise.all(clients.map(makeRun));

/** The stored count, and the sum of the rows. */
async function usage(): Promise<{ counted: unknown; real: unknown }> {
  const [row] = await clients[0]!`
    select
      (select json_build_array(u.store_count, u.item_bytes) from private.kv_usage as u where u.user_id = ${userId}) as counted,
      json_build_array(
        (select count(*) from public.kv_stores as s where s.user_id = ${userId}),
        (select coalesce(sum(octet_length(i.key) + octet_length(i.value::text)), 0) from public.kv_items as i where i.user_id = ${userId})
      ) as real`;
  return row as { counted: unknown; real: unknown };
}

describe('concurrent runs that use the stores of one user:', () => {
  it('the usage is exact, whatever the runs create, write and delete', async () => {
    const runs = await makeRuns();
    const outcomes = await Promise.all(runs.map(async (run, index) => {
      const codes: string[] = [];
      for (let round = 0; round < 12; round++) {
        const store = `store_${(index + round) % 3}`;
        codes.push(await run.create(store));
        codes.push(await codeOf(run.write(store, `key_${round % 4}`, 'x'.repeat(index * round))));
        if (round % 5 === index % 5) codes.push(await run.delete(store));
      }
      return codes;
    }));
    // There is no deadlock and no unexpected error.
    const allowed = new Set(['done', 'kv_store_exists', 'kv_store_not_found']);
    expect(outcomes.flat().filter((code) => !allowed.has(code))).toEqual([]);
    expect(outcomes.flat()).toContain('done');
    const { counted, real } = await usage();
    expect(counted).toEqual(real);
  });

  it('only one creates the hundredth store', async () => {
    await clients[
      0
    ]!`insert into public.kv_stores (user_id, name) select ${userId}, 'store_' || n from generate_series(1, 99) as n`;
    const runs = await makeRuns();
    const codes = await Promise.all(runs.map((run, index) => run.create(`new_${index}`)));
    expect(codes.toSorted()).toEqual(['done', ...Array(7).fill('kv_stores_limit')]);
    expect(await usage()).toEqual({ counted: [100, 0], real: [100, 0] });
  });

  it('one creates a store with a name, and the others are refused because the store exists', async () => {
    const runs = await makeRuns();
    const codes = await Promise.all(runs.map((run) => run.create('same')));
    expect(codes.toSorted()).toEqual(['done', ...Array(7).fill('kv_store_exists')]);
    expect(await usage()).toEqual({ counted: [1, 0], real: [1, 0] });
  });

  it('only as many write as the limit has room for', async () => {
    const sql = clients[0]!;
    await sql`insert into public.kv_stores (user_id, name) values (${userId}, 'mine')`;
    // The limit has room for three more items of 1,000 bytes.
    await sql`
      insert into public.kv_items (user_id, store, key, value)
      select ${userId}, 'mine', 'filler_' || n, jsonb_build_object('S', repeat('x', 52428800 - 8 - 9 - case n when 1 then 3000 else 0 end))
      from generate_series(1, 2) as n`;
    const runs = await makeRuns();
    const codes = await Promise.all(
      runs.map((run, index) => codeOf(run.write('mine', `item_${index}`, 'x'.repeat(1000 - 6 - 9)))),
    );
    expect(codes.toSorted()).toEqual([...Array(3).fill('done'), ...Array(5).fill('kv_size_limit')]);
    expect(await usage()).toEqual({ counted: [1, 104_857_600], real: [1, 104_857_600] });
  });

  it('each replaces the value that another has written: no value is lost or returned twice', async () => {
    await clients[0]!`insert into public.kv_stores (user_id, name) values (${userId}, 'mine')`;
    const runs = await makeRuns();
    const replaced = await Promise.all(
      runs.flatMap((run, index) => [1, 2].map((n) => run.write('mine', 'key', `${index}.${n}`))),
    );
    const [last] = await clients[0]!`select value ->> 'S' as text from public.kv_items where user_id = ${userId}`;
    const seen = [...replaced.map((old) => old?.S ?? 'nothing'), last!.text];
    const written = runs.flatMap((_, index) => [1, 2].map((n) => `${index}.${n}`));
    expect(seen.toSorted()).toEqual(['nothing', ...written].toSorted());
  });

  it('one continues while the user is being deleted, and all rows of the user are deleted in the end', async () => {
    const [first, second, observer] = clients as [Sql, Sql, Sql];
    const { claim, begin } = await makeRun(first);
    const effect = await begin();
    let deletion: Promise<string> | undefined;
    const creation = await codeOf(first.begin(async (sql) => {
      // Every change of a store begins with this lock, so the deletion of the user has to wait for the run's lock.
      await sql`select private.lock_claimed_run_and_owner(${sql.json(claim)})`;
      deletion = codeOf(second`delete from auth.users where id = ${userId}`);
      await hasToWait(observer, deletion);
      await sql`select public.kv_create_store(${sql.json(claim)}, ${sql.json(effect)}, 'mine')`;
    }));
    expect([creation, await deletion]).toEqual(['done', 'done']);
    expect(await usage()).toEqual({ counted: null, real: [0, 0] });
    expect(await codeOf(first`select public.kv_read_item(${first.json(claim)}, 'mine', 'key')`)).toBe('claim_lost');
  });
});
