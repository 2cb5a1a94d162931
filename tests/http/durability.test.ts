import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import { textFlow } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

let owner: Person;
let deploymentId: string;
let sql: Sql;

beforeAll(async () => {
  owner = await signUp();
  deploymentId = await deploy(owner, await storeFlow(owner, textFlow()));
  sql = connect(inject('stack').SUPERUSER_URL);
});
afterAll(() => sql.end());

const poke = () => call('runner', { token: inject('stack').SERVICE_ROLE_KEY });

const NOTHING_NEW = { children: [], node_runs: [], logs: [], work_ms: 0 };

/** Starts a run in SQL, so that nothing calls the runner, and claims it like a worker that dies right afterwards. */
async function startAndLose() {
  return await sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${
      JSON.stringify({ sub: owner.id, role: 'authenticated' })
    }, true)`;
    const [{ started }] = await tx<[{ started: { flow_run_id: string } }]>`
      select public.start_deployment(id => ${deploymentId}::uuid) as started`;
    const claims = await tx`select * from public.claim_flow_runs(100, 3600)`;
    const claim = claims.find((candidate) => candidate.flow_run_id === started.flow_run_id)!;
    // The claim may also have taken runs of other test files, so release those.
    for (const { flow_run_id, claim_number } of claims.filter((candidate) => candidate !== claim)) {
      await tx`select public.release_flow_run(${flow_run_id}, ${claim_number}, ${tx.json(NOTHING_NEW)})`;
    }
    return { runId: started.flow_run_id, claim };
  });
}

it('a run whose worker died is claimed again after its lease, and late calls of the dead worker are refused', async () => {
  const { runId, claim } = await startAndLose();
  await poke();
  expect((await sql`select status from public.flow_run where id = ${runId}`)[0]).toEqual({ status: 'running' });

  await sql`update private.flow_run_jobs set due_at = now() where flow_run_id = ${runId}`;
  await poke();
  const run = await finishedRun(owner, runId);
  expect(run).toMatchObject({ status: 'succeeded', output: { M: { text: { S: 'nothing' } } } });
  expect((await sql`select claim_number from private.flow_run_jobs where flow_run_id = ${runId}`)[0]).toEqual({
    claim_number: 2,
  });
  await expect(
    sql`select public.finish_flow_run(
      ${runId}, ${claim.claim_number}, 'failed', '{"M": {}}', '{late}', '{}', ${sql.json(NOTHING_NEW)}
    )`,
  )
    .rejects.toThrow('claim_lost');
});

it('a request that wakes the runner changes nothing if it arrives twice, or while the queue is empty', async () => {
  const { flow_run_id } = await start(owner, `id=${deploymentId}`);
  const answers = await Promise.all([poke(), poke(), poke()]);
  expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
  await finishedRun(owner, flow_run_id);
  const { data } = await owner.client.from('node_run').select('node_id, times').eq('flow_run_id', flow_run_id);
  expect(data).toHaveLength(3);
});

it('the runner accepts both generations of the service key, and answers 404 to all other callers', async () => {
  const { SERVICE_ROLE_KEY, SECRET_KEY, PUBLISHABLE_KEY } = inject('stack');
  for (const key of [SERVICE_ROLE_KEY, SECRET_KEY]) {
    expect((await call('runner', { token: key })).status).toBe(202);
    expect((await call('runner', { headers: { apikey: key } })).status).toBe(202);
  }
  for (const token of [undefined, PUBLISHABLE_KEY, owner.token, SECRET_KEY.slice(0, -1), randomUUID()]) {
    expect((await call('runner', { token })).status).toBe(404);
  }
});

it('300 concurrently started runs all end, each with its own output', async () => {
  const started = await Promise.all(
    Array.from(
      { length: 300 },
      (_, index) => start(owner, `id=${deploymentId}`, { inputs: { value: { U: String(index) } } }),
    ),
  );
  const ids = started.map((result) => result.flow_run_id);
  expect(new Set(ids).size).toBe(300);
  const runs = await waitFor(async () => {
    const rows = await sql<{ id: string; status: string; text: string }[]>`
      select id, status, output #>> '{M,text,S}' as text from public.flow_run where id = any(${ids}) and end_time is not null`;
    return rows.length === 300 ? rows : undefined;
  });
  const textOf = new Map(runs.map((run) => [run.id, run.text]));
  expect(ids.map((id) => textOf.get(id))).toEqual(ids.map((_, index) => String(index)));
  expect(new Set(runs.map((run) => run.status))).toEqual(new Set(['succeeded']));
  expect(
    (await sql`select count(*)::int as waiting from private.flow_run_jobs where flow_run_id = any(${ids}) and state <> 'ended'`)[
      0
    ],
  ).toEqual({ waiting: 0 });
});
