import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { waitFor } from '../support/wait.ts';

/** With `synchronous_commit` on, acknowledged starts are durable. Without it, a kill could undo commits. */
const postgresSettings = { fsync: 'off', synchronous_commit: 'on', full_page_writes: 'off' };

const STARTS = 60;
/** The number of starts before a part is killed. */
const BEFORE_THE_KILL = 10;

const ownerId = randomUUID();
let own: OwnStack;
let flowId: number;

beforeAll(async () => {
  own = await makeOwnStack('automatic-starts');
  await own.serve('deployment');
  await withStack(async (sql) => {
    await sql`insert into auth.users (id, email) values (${ownerId}, ${`${ownerId}@example.com`})`;
    const node = {
      id: randomUUID(),
      data: {
        type: 'native',
        node_id: 'flow_input',
        sources: [{ id: 'out', name: 'out', type: 'free' }],
        targets: [],
        targets_form: { form_data: { label: 'event' } },
      },
    };
    const [flow] = await sql`
      insert into public.flows (user_id, nodes) values (${ownerId}, ${sql.json([node])}) returning id`;
    flowId = flow!.id;
    await asOwner(sql, (tx) => tx`select public.deploy_flow(${flowId})`);
  });
});
afterAll(() => own.remove());

/** The running stack; undefined after a crash or a stop. */
let running: Stack | undefined;

/** Calls `work` with the stack. If the stack is not running, boots it first. */
async function withStack(work: (sql: Sql, stack: Stack) => Promise<void>, { sweep = false } = {}): Promise<void> {
  if (own.crash() !== undefined) running = undefined;
  // The running stack has no sweeper, and a running stack can't add one. So boot the stack again, with a sweeper.
  if (sweep && running !== undefined) await own.stop().then(() => running = undefined);
  running ??= await own.boot({ postgresSettings, sweep });
  const sql = connect(running.superuserUrl, { max: 2 });
  try {
    await work(sql, running);
  } finally {
    await sql.end({ timeout: 0 });
    // Stop a stack that has a sweeper: the next caller kills a part of its stack and needs a stack without a sweeper.
    if (sweep) await own.stop().then(() => running = undefined);
  }
}

const asOwner = <Result>(sql: Sql, work: (tx: Sql) => Promise<Result>): Promise<Result> =>
  sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${JSON.stringify({ sub: ownerId, role: 'authenticated' })}, true)`;
    return await work(tx as unknown as Sql);
  }) as Promise<Result>;

/** Kills Postgres and waits until the stack has restarted it. */
async function killPostgres({ parts }: Stack): Promise<void> {
  const restarts = () => own.logged().filter((line) => line.includes('Postgres runs again')).length;
  const before = restarts();
  process.kill(parts.find(({ name }) => name === 'Postgres')!.pid, 'SIGKILL');
  await waitFor(() => restarts() > before || undefined);
}

/** Waits until a query counts at least this many runs of an owner. */
const haveStarted = (count: () => Promise<number>, most: number) =>
  waitFor(async () => (await count()) >= most || undefined);

it.each(['PostgREST of the functions', 'function deployment', 'Postgres'])(
  'a sender that repeats unanswered requests after %s was killed starts one run for each id',
  async (part) => {
    let path = '';
    const ids = Array.from({ length: STARTS }, () => randomUUID());
    const told = new Map<string, string>();
    const send = async ({ status }: Stack, id: string): Promise<void> => {
      const response = await fetch(`${status.FUNCTIONS_URL}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': id },
        body: JSON.stringify({ id }),
      }).catch(() => undefined);
      if (response?.status !== 202) return void await response?.arrayBuffer().catch(() => {});
      const { flow_run_id } = await response.json() as { flow_run_id: string };
      // All answers to the same event contain the id of the same run.
      expect(told.get(id) ?? flow_run_id).toBe(flow_run_id);
      told.set(id, flow_run_id);
    };

    await withStack(async (sql, stack) => {
      const [made] = await asOwner(
        sql,
        (tx) => tx<{ url: string }[]>`select public.create_webhook('event', ${flowId}) ->> 'url' as url`,
      );
      path = made!.url.split('/functions/v1')[1]!;
      const sending = ids.map((id) => send(stack, id));
      await waitFor(() => Promise.resolve(told.size >= BEFORE_THE_KILL || undefined));
      await (part === 'Postgres' ? killPostgres(stack) : stack.restart(part, 'SIGKILL'));
      await Promise.all(sending);
    });
    expect(told.size).toBeGreaterThanOrEqual(BEFORE_THE_KILL);

    await withStack(async (sql, stack) => {
      await Promise.all(ids.flatMap((id) => [send(stack, id), send(stack, id)]));
      const runs = await sql`
        select r.id, r.inputs #>> '{M,event,M,id,S}' as delivery from public.flow_run as r
        join public.flow_webhooks as w on w.id = r.webhook_id and w.prefix = ${path.split('/').at(-1)!.slice(0, 10)}`;
      expect(new Map(runs.map(({ delivery, id }) => [delivery, id]))).toEqual(told);
      expect(runs).toHaveLength(STARTS);
    });
  },
);

it('if Postgres is killed while schedules are due, each starts once for its planned time', async () => {
  const countRuns = async (sql: Sql): Promise<number> => {
    const [row] = await sql`select count(*)::integer as runs from public.flow_run where schedule_id is not null`;
    return row!.runs;
  };
  await withStack(async (sql, stack) => {
    await asOwner(sql, (tx) =>
      tx`
      insert into public.flow_schedules (flow, cron) select ${flowId}, '0 0 1 1 *' from generate_series(1, ${STARTS})`);
    // The schedules have missed three planned times.
    await sql`update public.flow_schedules set next_start_at = now() - interval '3 years'`;
    const start = async (): Promise<void> => {
      // Start one schedule with each call, like a sweep that a kill interrupts.
      for (;;) {
        const response = await fetch(`${stack.status.API_URL}/rest/v1/rpc/start_due_schedules`, {
          method: 'POST',
          headers: {
            apikey: stack.status.SERVICE_ROLE_KEY,
            authorization: `Bearer ${stack.status.SERVICE_ROLE_KEY}`,
            'content-type': 'application/json',
          },
          body: '{"max_schedules": 1}',
        });
        if (!response.ok || !(await response.json() as { has_more: boolean }).has_more) return;
      }
    };
    const sweeping = [start(), start()].map((sweep) => sweep.catch(() => {}));
    await haveStarted(() => countRuns(sql), BEFORE_THE_KILL);
    await killPostgres(stack);
    await Promise.all(sweeping);
  });

  // As soon as the stack is up again, its own sweeper starts the other schedules.
  await withStack(async (sql) => {
    await haveStarted(() => countRuns(sql), STARTS);
    const late = await sql`
      select count(*)::integer as runs, count(distinct r.schedule_id)::integer as schedules,
        bool_and(s.last_flow_run_id = r.id and s.next_start_at > now() and s.last_error is null) as is_told
      from public.flow_run as r join public.flow_schedules as s on s.id = r.schedule_id`;
    expect(late).toEqual([{ runs: STARTS, schedules: STARTS, is_told: true }]);
  }, { sweep: true });
});
