import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { startSweeper, type Sweeper } from '../../dev/stack/sweeper.ts';
import { asSuperuser } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';

/** More than a sweep deletes at once. */
const OLD_RUNS = 1_001;

const ownerId = randomUUID();
const logged: string[] = [];
let sweeper: Sweeper | undefined;

beforeAll(() =>
  asSuperuser(async (sql) => {
    await sql`insert into auth.users (id, email) values (${ownerId}, ${`${ownerId}@example.com`})`;
    await sql`insert into public.flows (user_id) values (${ownerId})`;
  })
);
afterEach(() => sweeper?.stop());

const storeRuns = (count: number, age: string) =>
  asSuperuser((sql) =>
    sql`
    insert into public.flow_run (id, user_id, flow_id, inputs, chain_network, status, start_time, end_time)
    select private.uuid_v7(now() - ${age}::interval), f.user_id, f.id, '{"M": {}}', '{"cluster": "devnet"}', 'succeeded', now(), now() - ${age}::interval
    from public.flows as f cross join generate_series(1, ${count}) where f.user_id = ${ownerId}`
  );

const agesOfRuns = async (): Promise<number[]> =>
  (await asSuperuser((sql) =>
    sql<{ days: number }[]>`
    select round(extract(epoch from now() - end_time) / 86400)::int as days from public.flow_run where user_id = ${ownerId}`
  ))
    .map((run) => run.days);

it('a starting stack sweeps until no run is too old', async () => {
  await storeRuns(OLD_RUNS, '31 days');
  await storeRuns(1, '29 days');
  sweeper = startSweeper(inject('stack'), (line) => logged.push(line));
  await waitFor(async () => (await agesOfRuns()).length < 2 || undefined);
  expect(await agesOfRuns()).toEqual([29]);
  expect(logged).toEqual([]);
});

it('a starting stack starts a schedule that was due during its downtime once, and the run ends', async () => {
  const scheduleId = await asSuperuser(async (sql) => {
    await sql`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: ownerId, role: 'authenticated' })
    }, false)`;
    await sql`select public.deploy_flow(f.id) from public.flows as f where f.user_id = ${ownerId}`;
    const [schedule] = await sql`
      insert into public.flow_schedules (user_id, flow, cron) select f.user_id, f.id, '0 6 * * *' from public.flows as f
      where f.user_id = ${ownerId} returning id`;
    await sql`update public.flow_schedules set next_start_at = now() - interval '3 days' where id = ${schedule!.id}`;
    return schedule!.id as string;
  });
  sweeper = startSweeper(inject('stack'), (line) => logged.push(line));
  const runs = await waitFor(async () => {
    const found = await asSuperuser((sql) =>
      sql`select status, end_time from public.flow_run where schedule_id = ${scheduleId}`
    );
    return found.length > 0 && found.every(({ end_time }) => end_time !== null) ? found : undefined;
  });
  expect(runs.map(({ status }) => status)).toEqual(['succeeded']);
});

it('a failed sweep is reported and stops nothing', async () => {
  sweeper = startSweeper(
    { ...inject('stack'), SERVICE_ROLE_KEY: inject('stack').ANON_KEY },
    (line) => logged.push(line),
  );
  const line = await waitFor(() => logged[0]);
  expect(line).toMatch(/^The database could not be swept: 40[13] .*permission denied/);
});
