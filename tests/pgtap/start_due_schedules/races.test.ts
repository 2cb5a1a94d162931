import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { connect, type Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, codeOf, type TestDatabase } from '../../support/database.ts';
import { hasToWait } from '../../support/locks.ts';

let database: TestDatabase;
let sweepers: Sql[];
let admin: Sql;
let userId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  sweepers = [database.connect(), database.connect()];
  admin = database.connect('supabase_admin');
});
afterAll(() => database.close());

const DUE = 100;

/** Makes a hundred due schedules of an owner. */
beforeEach(async () => {
  userId = randomUUID();
  await admin`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await admin`select set_config('request.jwt.claims', ${
    JSON.stringify({ sub: userId, role: 'authenticated' })
  }, false)`;
  await admin`insert into public.flows (user_id) values (${userId})`;
  await admin`select public.deploy_flow(f.id) from public.flows as f where f.user_id = ${userId}`;
  await admin`
    insert into public.flow_schedules (user_id, flow, cron)
    select f.user_id, f.id, '0 0 1 1 *' from public.flows as f cross join generate_series(1, ${DUE}) where f.user_id = ${userId}`;
  await admin`update public.flow_schedules set next_start_at = clock_timestamp() where user_id = ${userId}`;
});

const start = async (sql: Sql, most = DUE): Promise<number> => {
  const [row] = await sql`select (public.start_due_schedules(${most}) ->> 'started')::integer as started`;
  return row!.started;
};
/** How many runs each schedule has started, in the order of the schedules. */
const startsOf = async (): Promise<unknown> =>
  await admin`
    select runs, count(*)::integer as schedules from (
      select count(r.id)::integer as runs from public.flow_schedules as s left join public.flow_run as r on r.schedule_id = s.id
      where s.user_id = ${userId} group by s.id
    ) as counted group by runs order by runs`;

it('two concurrent calls start each due schedule only once', async () => {
  const [first, second] = await Promise.all(sweepers.map((sql) => start(sql)));
  expect(first! + second!).toBe(DUE);
  expect(await startsOf()).toEqual([{ runs: 1, schedules: DUE }]);
});

it('a call waits for no other one: it skips schedules that another call starts', async () => {
  const [first, second] = sweepers as [Sql, Sql];
  await first`begin`;
  expect(await start(first, 60)).toBe(60);
  // The second call also finds these sixty schedules first, but skips them, because the first call has locked them.
  expect(await start(second)).toBe(DUE - 60);
  await first`commit`;
  expect(await start(second)).toBe(0);
  expect(await startsOf()).toEqual([{ runs: 1, schedules: DUE }]);
});

it('a call that is killed has started no run, and the next call starts all of them', async () => {
  const victim = connect(database.url('postgres'));
  // The fortieth start waits until the call is killed.
  const [fortieth] = await admin`
    select id from public.flow_schedules where user_id = ${userId} order by next_start_at, id offset 39 limit 1`;
  await admin.unsafe(`
    create function public.tg_stall() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(7); return new; end $$;
    create trigger stall before insert on public.flow_run for each row when (new.schedule_id = '${
    fortieth!.id
  }') execute function public.tg_stall()`);
  await admin`begin`;
  await admin`select pg_advisory_xact_lock(7)`;
  const [{ pid }] = await victim<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const killed = codeOf(start(victim));
  await hasToWait(sweepers[0]!, killed);
  await sweepers[0]!`select pg_terminate_backend(${pid})`;
  expect(await killed).not.toBe('done');
  await victim.end({ timeout: 0 });
  await admin`commit`;
  await admin.unsafe('drop trigger stall on public.flow_run; drop function public.tg_stall()');
  expect(await startsOf()).toEqual([{ runs: 0, schedules: DUE }]);
  expect(await start(sweepers[1]!)).toBe(DUE);
  expect(await startsOf()).toEqual([{ runs: 1, schedules: DUE }]);
});

it('while a deployment is being deleted its schedules are skipped, and the next call finds that it is deleted', async () => {
  const [first, second] = sweepers as [Sql, Sql];
  await first`begin`;
  await first`delete from public.flow_deployments where user_id = ${userId}`;
  expect(await start(second)).toBe(0);
  const due = () =>
    admin`select from public.flow_schedules where user_id = ${userId} and next_start_at <= clock_timestamp()`;
  expect((await due()).count).toBe(DUE);
  await first`commit`;
  expect(await start(second)).toBe(0);
  expect((await due()).count).toBe(0);
  const [row] = await admin`select distinct last_error from public.flow_schedules where user_id = ${userId}`;
  expect(row!.last_error).toMatch(/^deployment_not_found: /);
});

it("the deletion of a user waits for the call that starts the user's schedules, and deletes their runs, too", async () => {
  const [first, second] = sweepers as [Sql, Sql];
  await first`begin`;
  expect(await start(first)).toBe(DUE);
  const deleting = second`delete from auth.users where id = ${userId}`;
  await hasToWait(admin, deleting);
  await first`commit`;
  await deleting;
  expect((await admin`select from public.flow_schedules where user_id = ${userId}`).count).toBe(0);
  expect((await admin`select from public.flow_run where user_id = ${userId}`).count).toBe(0);
});
