import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let observer: Sql;
let blocker: Sql;
let readers: [Sql, Sql];
/** Makes a deployment with a snapshot that nobody has read yet. Returns its hash. */
let hash: Uint8Array;

beforeAll(async () => {
  database = await cloneDatabase();
  const connect = () => database.connect();
  [observer, blocker, readers] = [connect(), connect(), [connect(), connect()]];
});
afterAll(() => database.close());
beforeEach(async () => {
  const owner = randomUUID();
  await observer`insert into auth.users (id, email) values (${owner}, ${`${owner}@example.com`})`;
  const [row] = await observer`
    select test.take_snapshot(test.create_flow(
      ${owner}::uuid,
      jsonb_build_array(
        test.node(${owner}, 'flow_input', '{out}', '{}', '{"label": "a"}'), test.node('t', 'raced', '{}', '{x}')
      ),
      jsonb_build_array(test.edge(${owner}, 'out', 't', 'x'))
    )) as hash`;
  hash = row!.hash;
});

const read = async (sql: Sql) => {
  const [row] = await sql`select (private.snapshot_interface(${hash})).inputs -> 0 -> 'type_bounds' as bounds`;
  return row!.bounds as string[];
};
const stored = async () =>
  await observer`
    select i.xmin::text as writer, i.nodes_version = n.version as is_newest
    from private.flow_snapshot_interfaces as i cross join private.native_nodes as n where i.snapshot_hash = ${hash}`;
const define = (version: string, bounds: string[]) =>
  observer`
    insert into public.nodes (type, data, sources, targets, "targets_form.json_schema", "targets_form.ui_schema")
    values (
      'native', ${observer.json({ node_id: 'raced', version, display_name: '' })}, '[]',
      ${observer.json([{ name: 'x', type_bounds: bounds, required: true }])}, '{}', '{}'
    )`;

it('two concurrent first reads of a snapshot compute one description', async () => {
  await define('0.1', ['u8']);
  await blocker`begin`;
  await blocker`lock table private.flow_snapshot_interfaces in share mode`;
  const first = read(readers[0]);
  await hasToWait(observer, first);
  const second = read(readers[1]);
  await hasToWait(observer, second, 2);
  await blocker`commit`;
  expect(await Promise.all([first, second])).toEqual([['u8'], ['u8']]);
  const [row] = await stored();
  expect(await read(readers[1])).toEqual(['u8']);
  expect(await stored(), 'nobody wrote it again').toEqual([row]);
});

it('a read that new node definitions have overtaken returns the newer description, and stores no older one', async () => {
  await define('0.2', ['u16']);
  await blocker`begin`;
  await blocker`select pg_advisory_xact_lock(hashtextextended(format('private.snapshot_interface %s', ${hash}::bytea), 0))`;
  const overtaken = read(readers[0]);
  await hasToWait(observer, overtaken);
  await define('0.3', ['u32']);
  expect(await read(blocker)).toEqual(['u32']);
  await blocker`commit`;
  const [row] = await stored();
  expect(row).toMatchObject({ is_newest: true });
  expect(await overtaken).toEqual(['u32']);
  expect(await stored(), 'it is still the newest').toEqual([row]);
});
