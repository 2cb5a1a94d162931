import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { textFlow } from '../support/flow_builder.ts';
import { rowChecks } from './auditor.ts';
import { auditChain } from './audit_chain.ts';
import type { SoakFacts } from './facts.ts';
import { makeFindings } from './findings.ts';
import type { StartRecord } from './starts.ts';

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect('supabase_admin');
});
afterAll(() => database.close());

/** The rows below have no faults. Each test breaks a rule and undoes the change afterwards. */
let owner: string;
let flowId: number;
let deploymentIds: string[];
let records: StartRecord[];
let facts: SoakFacts;

const startRecord = (change: Partial<StartRecord>): StartRecord => ({
  mark: randomUUID(),
  flowKind: 'text',
  caller: 'owner, access token',
  hasKey: true,
  isAllowed: true,
  party: null,
  runIds: [],
  sent: 1,
  isUncertain: false,
  isRefused: false,
  isStopAsked: false,
  ...change,
});

/** Starts the newest deployment. The run waits in the queue. */
async function start(change: Partial<StartRecord> = {}): Promise<StartRecord & { runId: string }> {
  const record = startRecord(change);
  const inputs = { mark: { S: record.mark } };
  const [row] = await sql`
    select public.start_deployment(flow => ${flowId}, inputs => ${sql.json(inputs)}, idempotency_key => ${record.mark})
      ->> 'flow_run_id' as id`;
  record.runIds.push(row?.id);
  records.push(record);
  return { ...record, runId: row?.id };
}

const NOTHING = { children: [], node_runs: [], transactions: [], logs: [], work_ms: 0 };

/** Executes the queued run like a worker that finds one node in it. */
async function finish(runId: string, status = 'succeeded'): Promise<void> {
  const [claim] = await sql`select * from public.claim_flow_runs(1, 30)`;
  expect(claim?.flow_run_id).toBe(runId);
  const time = new Date().toISOString();
  const node = {
    flow_run_id: runId,
    node_id: randomUUID(),
    times: 0,
    start_time: time,
    input: { M: {} },
    output: { M: {} },
  };
  await sql`select public.finish_flow_run(
    ${runId}, 1, ${status}, '{"M": {}}', ${status === 'failed' ? ['broken'] : null}, '{}',
    ${sql.json({ ...NOTHING, node_runs: [{ ...node, end_time: time, errors: null }] })}
  )`;
}

/** Makes a run that waits for a signature. */
async function waiting(): Promise<string> {
  const { runId } = await start({ flowKind: 'sign' });
  await sql`select * from public.claim_flow_runs(1, 30)`;
  const execution = { flow_run_id: runId, node_id: randomUUID(), times: 0 };
  await sql`
    insert into private.flow_run_transactions (flow_run_id, node_id, times, root_flow_run_id, members, message, has_fees, slot, last_valid_block_height)
    values (${runId}, ${execution.node_id}, 0, ${runId}, ${sql.json([execution])}, 'AAAA', false, 1, 2)`;
  await sql`
    with made as (
      insert into public.signature_requests (id, flow_run_id, node_id, times, root_flow_run_id, owner_id, pubkey, msg, expires_at)
      values (private.random_id(), ${runId}, ${execution.node_id}, 0, ${runId}, ${owner}, '11111111111111111111111111111111', 'AAAA', now() + interval '3 minutes')
      returning *
    )
    select private.add_run_events(array[(
      s.flow_run_id, null, s.created_at, ('signature_request', s.flow_run_id, s.node_id, s.times, null, s.id, null)::private.run_event
    )::private.new_run_event]) from made as s`;
  await sql`
    select private.queue_signature_webhooks(r, array(select s.id from public.signature_requests as s where s.root_flow_run_id = r.id))
    from public.flow_run as r where r.id = ${runId}`;
  await sql`select public.suspend_flow_run(${runId}, 1, ${sql.json(NOTHING)})`;
  return runId;
}

/** Stores an input for the first node of a run. With `null`, the input is still open. */
async function storeInput(outcome: 'submitted' | null): Promise<void> {
  await sql`
    with stored as (
      insert into private.api_inputs (flow_run_id, node_id, times, root_flow_run_id, token_hash, expires_at, outcome, value)
      select n.flow_run_id, n.node_id, n.times, n.flow_run_id, sha256('x'), now() + interval '1 hour', ${outcome}::text,
        case when ${outcome}::text is not null then jsonb '{"S": "lost"}' end
      from public.node_run as n where n.flow_run_id = ${firstRun()} limit 1
      returning *
    )
    insert into public.pending_inputs (id, flow_run_id, node_id, times, root_flow_run_id, owner_id, url, expires_at)
    select s.id, s.flow_run_id, s.node_id, s.times, s.root_flow_run_id, ${owner}, 'x', s.expires_at
    from stored as s where s.outcome is null`;
}

beforeEach(async () => {
  await sql`begin`;
  owner = randomUUID();
  records = [];
  await sql`insert into auth.users (id) values (${owner})`;
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: owner, role: 'authenticated' })}, true)`;
  const marked = textFlow();
  marked.input('mark');
  const { nodes, edges } = marked.row();
  const [flow] = await sql`
    insert into public.flows (user_id, nodes, edges)
    values (${owner}, ${sql.json(nodes as never)}, ${sql.json(edges as never)}) returning id`;
  flowId = flow?.id;
  deploymentIds = [];
  for (let count = 0; count < 2; count++) {
    const [deployed] = await sql`select public.deploy_flow(${flowId}) ->> 'deployment_id' as id`;
    deploymentIds.push(deployed?.id);
  }
  const on_end = sql.json({ url: 'http://127.0.0.1/', events: ['succeeded', 'signature_request'] });
  await sql`update public.flow_deployments set on_end = ${on_end} where id = ${deploymentIds[1]!}`;
  facts = {
    starts: records,
    deployments: deploymentIds.map((id) => ({ id, isGoing: false, isGone: false })),
    webhookIds: [],
    watched: [],
    landed: [],
  };
  await finish((await start()).runId);
  await waiting();
  const told = await sql`
    update public.webhook_deliveries set status = 'delivered', next_attempt_at = null where true returning id`;
  facts = { ...facts, webhookIds: told.map(({ id }) => id) };
  watch(firstRun(), [1, 2, 3, 4], true);
  watch(firstRun(), [1, 2], false);
  records.push(startRecord({ isRefused: true }), startRecord({ isUncertain: true }));
  await sql`insert into public.kv_stores (user_id, name) values (${owner}, 'store')`;
  await sql`insert into public.kv_items (user_id, store, key, value) values (${owner}, 'store', 'key', '{"N": 0}')`;
  await sql`
    insert into public.wallets (user_id, type, name, public_key) values (${owner}, 'ADAPTER', 'w', '11111111111111111111111111111111')`;
});
afterEach(() => sql`rollback`);

const watch = (runId: string, told: number[], isComplete: boolean): void => {
  facts = { ...facts, watched: [...facts.watched, { runId, told, isComplete }] };
};

const findAll = async (): Promise<string[]> => {
  const found = [];
  for (const { name, find } of rowChecks) if ((await find(sql, facts)).length > 0) found.push(name);
  return found;
};

/** Makes a change that no code of the project can make: without triggers and foreign keys. */
const past = async (change: () => PromiseLike<unknown>) => {
  await sql`set local session_replication_role = replica`;
  await change();
  await sql`set local session_replication_role = origin`;
};

const firstRun = () => records[0]!.runIds[0]!;

/**
 * Makes a schedule that was created `age` ago. Then inserts the runs `noted`, and records each in turn as the
 * schedule's last start.
 */
const storeScheduled = async (age: string, noted: string[]): Promise<void> => {
  await past(async () => {
    const [schedule] = await sql`
      insert into public.flow_schedules (user_id, flow, tag, cron, created_at, is_active)
      values (${owner}, ${flowId}, 'latest', '* * * * *', now() - ${age}::interval, false) returning id`;
    for (const run of noted) {
      await sql`
        insert into public.flow_run (user_id, flow_id, inputs, chain_network, schedule_id, status, start_time, end_time)
        values (${owner}, ${flowId}, '{"M": {}}', '{"cluster": "devnet"}', ${schedule!.id}, 'succeeded', now(), now())`;
      await sql.unsafe(`update public.flow_schedules set last_flow_run_id = ${run} where id = '${schedule!.id}'`);
    }
  });
};

/** Makes a run with one succeeded node, and its redrive, which takes that node over. */
async function redriven(): Promise<{ failedId: string; id: string }> {
  const { runId } = await start({ flowKind: 'text' });
  await finish(runId, 'failed');
  const [row] = await sql`select public.redrive_flow_run(${runId}) ->> 'flow_run_id' as id`;
  await sql`
    insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, is_taken_over)
    select ${row?.id}, n.node_id, n.times, n.user_id, n.start_time, n.end_time, n.input, n.output, true
    from public.node_run as n where n.flow_run_id = ${runId}`;
  return { failedId: runId, id: row?.id };
}

/** For each check, a change that breaks the rule of the check. */
const breakers: Record<string, () => Promise<unknown>> = {
  start_without_run: async () => records.push(startRecord({ runIds: [randomUUID()] })),
  runs_of_start_miscounted: async () => {
    const record = records[0]!;
    await sql`
      insert into public.flow_run (user_id, flow_id, inputs, chain_network)
      select r.user_id, r.flow_id, r.inputs, r.chain_network from public.flow_run as r where r.id = ${record
      .runIds[0]!}`;
  },
  run_without_start: async () => void records.shift(),
  run_ended_otherwise: async () => await finish((await start()).runId, 'failed'),
  deployment_misplaced:
    async () => (facts = { ...facts, deployments: [{ id: randomUUID(), isGoing: false, isGone: false }] }),
  run_neither_ended_nor_waiting: async () => await start(),
  run_without_job: () => past(() => sql`delete from private.flow_run_jobs where flow_run_id = ${firstRun()}`),
  ended_run_in_queue: () =>
    past(() => sql`update private.flow_run_jobs set state = 'ready' where flow_run_id = ${firstRun()}`),
  job_never_due: async () => {
    const { runId } = await start();
    await sql`update private.flow_run_jobs set state = 'held', due_at = 'infinity' where flow_run_id = ${runId}`;
  },
  child_outlives_parent: () =>
    sql`
      insert into public.flow_run (user_id, flow_id, inputs, chain_network, parent_flow_run_id, parent_node_id, parent_times)
      select r.user_id, r.flow_id, '{"M": {}}', r.chain_network, r.id, r.id, 0 from public.flow_run as r where r.id = ${firstRun()}`
      .then(() => {}),
  node_without_end: () =>
    sql`update public.node_run set end_time = null where flow_run_id = ${firstRun()}`.then(() => {}),
  too_many_attempts: () => sql`update public.node_run set attempt = 2 where flow_run_id = ${firstRun()}`.then(() => {}),
  last_attempt_differs: () =>
    sql`update public.node_run set attempt = 2, errors = '{broken}' where flow_run_id = ${firstRun()}`.then(() => {}),
  owner_differs: () =>
    sql`update public.node_run set user_id = ${randomUUID()} where flow_run_id = ${firstRun()}`.then(() => {}),
  request_of_ended_run_open: () =>
    past(() => sql`update public.signature_requests set root_flow_run_id = ${firstRun()} where owner_id = ${owner}`),
  pending_input_over: () => past(() => storeInput(null)),
  answer_lost: () => past(() => storeInput('submitted')),
  transaction_without_outcome: () =>
    past(() => sql`update private.flow_run_transactions set root_flow_run_id = ${firstRun()}`),
  end_not_told_once: () => sql`delete from public.webhook_deliveries where event = 'succeeded'`.then(() => {}),
  signature_request_not_told_once: () =>
    sql`delete from public.webhook_deliveries where event = 'signature_request'`.then(() => {}),
  webhook_of_no_run: () =>
    sql`update private.flow_run_jobs set settings = settings - 'on_end' where true`.then(() => {}),
  webhook_not_delivered: () => sql`update public.webhook_deliveries set status = 'failed' where true`.then(() => {}),
  webhook_not_received: async () => (facts = { ...facts, webhookIds: [] }),
  latest_wrong: () =>
    past(() =>
      sql`update public.flow_deployments_tags set deployment_id = ${deploymentIds[0]!} where entrypoint = ${flowId}`
    ),
  row_points_nowhere: () => past(() => sql`delete from public.flow_run where id = ${firstRun()}`),
  taken_over_from_nothing: async () => {
    const { id } = await redriven();
    await sql`update public.node_run set output = '{"M": {"a": {"B": true}}}' where flow_run_id = ${id}`;
  },
  done_again: async () => {
    const { id } = await redriven();
    await sql`update public.node_run set is_taken_over = false where flow_run_id = ${id}`;
  },
  redriven_although_it_succeeded: async () => {
    const { id } = await redriven();
    await sql`update public.flow_run set redriven_from = ${firstRun()} where id = ${id}`;
  },
  snapshot_unused: () => sql`insert into private.flow_snapshots (hash, data) values (sha256('x'), '{}')`.then(() => {}),
  kv_usage_wrong: () => past(() => sql`delete from public.kv_items where user_id = ${owner}`),
  event_lost: () =>
    sql`
      update private.flow_run_events set last_number = last_number - 1, events = trim_array(events, 1)
      where root_flow_run_id = ${firstRun()}`.then(() => {}),
  event_of_nothing: () => past(() => sql`delete from public.node_run where flow_run_id = ${firstRun()}`),
  event_numbered_twice: () =>
    sql`
      insert into private.flow_run_events (root_flow_run_id, first_number, last_number, events)
      select e.root_flow_run_id, e.first_number + 2, e.last_number + 2, e.events from private.flow_run_events as e
      where e.root_flow_run_id = ${firstRun()}`.then(() => {}),
  event_numbers_with_gaps: () =>
    sql`
      update private.flow_run_events set first_number = first_number + 1, last_number = last_number + 1
      where root_flow_run_id = ${firstRun()}`.then(() => {}),
  watcher_told_otherwise: async () => watch(firstRun(), [1, 2, 4], true),
  planned_time_started_twice: () => storeScheduled('10 seconds', ['null', 'null']),
  schedule_never_started: () => storeScheduled('4 minutes', []),
  last_start_misnamed: () => storeScheduled('4 minutes', ['null', 'gen_random_uuid()']),
  secret_misplaced: () => past(() => sql`update public.wallets set type = 'HARDCODED' where user_id = ${owner}`),
};

describe('the rules on stored rows', () => {
  it('find nothing in a world without faults', async () => {
    expect(await findAll()).toEqual([]);
  });

  it.each(rowChecks.map(({ name }) => name))('%s finds a violation', async (name) => {
    const breakRule = breakers[name];
    expect(breakRule, 'each rule is broken here').toBeDefined();
    await breakRule!();
    expect(await findAll()).toContain(name);
  });

  it('find no fault in a run that takes over succeeded executions', async () => {
    await redriven();
    const found = await findAll();
    expect(found).not.toContain('taken_over_from_nothing');
    expect(found).not.toContain('done_again');
    expect(found).not.toContain('redriven_although_it_succeeded');
  });

  it('report a missing latest, and a latest without a deployment', async () => {
    await past(() => sql`delete from public.flow_deployments_tags where entrypoint = ${flowId}`);
    expect(await findAll()).toEqual(['latest_wrong']);
    await sql`rollback`;
    await sql`begin`;
  });

  it('report a deployment that exists after its acknowledged deletion', async () => {
    facts = { ...facts, deployments: [{ id: deploymentIds[0]!, isGoing: true, isGone: true }] };
    expect(await findAll()).toEqual(['deployment_misplaced']);
  });

  it('report a run of a refused start', async () => {
    const { runId, mark } = await start();
    await sql`select private.end_flow_run(${runId}, 'stopped', null, null, null)`;
    records.pop();
    records.push(startRecord({ mark, isRefused: true }));
    expect(await findAll()).toContain('runs_of_start_miscounted');
  });

  it.each([
    [[1, 2, 3], true],
    [[1, 2, 3, 3, 4], true],
    [[2, 1, 3, 4], true],
    [[1, 3], false],
    [[2], false],
  ])('report a watcher with the events %j, complete: %j', async (told, isComplete) => {
    watch(firstRun(), told, isComplete);
    expect(await findAll()).toEqual(['watcher_told_otherwise']);
  });

  it('report a run that waits for a long expired signature request', async () => {
    await sql`update public.signature_requests set expires_at = now() - interval '16 seconds' where owner_id = ${owner}`;
    expect(await findAll()).toEqual(['run_neither_ended_nor_waiting']);
  });

  it.each([
    ['is open', 60, ['run_neither_ended_nor_waiting']],
    ['was open until a second ago', -1, []],
  ])('a run that was taken up and left again while its signature request %s', async (_, seconds, found) => {
    const expires_at = sql`clock_timestamp() + make_interval(secs => ${seconds})`;
    await sql`update public.signature_requests set expires_at = ${expires_at} where owner_id = ${owner}`;
    await sql`update public.flow_run set status = 'running' where status = 'waiting' and user_id = ${owner}`;
    expect(await findAll()).toEqual(found);
  });
});

describe('the rule on the chain', () => {
  const audit = async (status: 'succeeded' | 'failed', timesPaid: number): Promise<string[]> => {
    const { runId, mark } = await start({ flowKind: 'pay', party: 'payee' });
    await finish(runId, status);
    const landed = Array.from({ length: timesPaid }, () => ({ accounts: ['payer', 'payee'], error: null }));
    const findings = makeFindings();
    const failed = { accounts: ['payer', 'payee'], error: 'AccountInUse' as never };
    await auditChain(sql, {
      starts: records.filter((record) => record.mark === mark),
      deployments: [],
      webhookIds: [],
      watched: [],
      landed: [...landed, failed],
    }, findings);
    return Object.keys(findings.counts());
  };

  it.each(
    [
      ['succeeded', 1, []],
      ['failed', 0, []],
      ['succeeded', 2, ['paid_twice']],
      ['succeeded', 0, ['not_paid']],
      ['failed', 1, ['paid_unsaid']],
    ] as const,
  )('a run that %s and paid %i times: %j', async (status, timesPaid, found) => {
    expect(await audit(status, timesPaid)).toEqual(found);
  });
});
