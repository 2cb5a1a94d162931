import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../supabase/local/postgres.ts';
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
afterAll(() => database.drop());

/** A world in which all is well: what is broken in a test is undone after it. */
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

/** Starts the newest deployment; the run waits in the queue. */
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

/** Executes the queued run as a worker does that finds one node in it. */
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

/** A run that waits for a signature. */
async function waiting(): Promise<string> {
  const { runId } = await start({ flowKind: 'sign' });
  await sql`select * from public.claim_flow_runs(1, 30)`;
  const execution = { flow_run_id: runId, node_id: randomUUID(), times: 0 };
  await sql`
    insert into private.flow_run_transactions (flow_run_id, node_id, times, root_flow_run_id, members, message, has_fees, slot, last_valid_block_height)
    values (${runId}, ${execution.node_id}, 0, ${runId}, ${sql.json([execution])}, 'AAAA', false, 1, 2)`;
  await sql`
    insert into public.signature_requests (flow_run_id, node_id, times, root_flow_run_id, owner_id, pubkey, msg, expires_at)
    values (${runId}, ${execution.node_id}, 0, ${runId}, ${owner}, '11111111111111111111111111111111', 'AAAA', now() + interval '3 minutes')`;
  await sql`select public.suspend_flow_run(${runId}, 1, ${sql.json(NOTHING)})`;
  return runId;
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
  facts = {
    starts: records,
    deployments: deploymentIds.map((id) => ({ id, isGoing: false, isGone: false })),
    landed: [],
  };
  await finish((await start()).runId);
  await waiting();
  records.push(startRecord({ isRefused: true }), startRecord({ isUncertain: true }));
  await sql`insert into public.kv_stores (user_id, name) values (${owner}, 'store')`;
  await sql`insert into public.kv_items (user_id, store, key, value) values (${owner}, 'store', 'key', '{"N": 0}')`;
  await sql`
    insert into public.wallets (user_id, type, name, public_key) values (${owner}, 'ADAPTER', 'w', '11111111111111111111111111111111')`;
});
afterEach(() => sql`rollback`);

const findAll = async (): Promise<string[]> => {
  const found = [];
  for (const { name, find } of rowChecks) if ((await find(sql, facts)).length > 0) found.push(name);
  return found;
};

/** Past triggers and foreign keys, as no code of the project can. */
const past = async (change: () => PromiseLike<unknown>) => {
  await sql`set local session_replication_role = replica`;
  await change();
  await sql`set local session_replication_role = origin`;
};

const firstRun = () => records[0]!.runIds[0]!;

/** For each check, what breaks its rule. */
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
    past(() => sql`update private.flow_run_jobs set message_id = 999 where flow_run_id = ${firstRun()}`),
  job_without_message: async () => {
    const { runId } = await start();
    await sql`select pgmq.delete('flow_runs', j.message_id) from private.flow_run_jobs as j where j.flow_run_id = ${runId}`;
  },
  message_without_job: () =>
    sql`select pgmq.send('flow_runs', jsonb_build_object('flow_run_id', gen_random_uuid()))`.then(() => {}),
  child_outlives_parent: () =>
    sql`
      insert into public.flow_run (user_id, flow_id, inputs, chain_network, parent_flow_run_id, parent_node_id, parent_times)
      select r.user_id, r.flow_id, '{"M": {}}', r.chain_network, r.id, r.id, 0 from public.flow_run as r where r.id = ${firstRun()}`
      .then(() => {}),
  node_without_end: () =>
    sql`update public.node_run set end_time = null where flow_run_id = ${firstRun()}`.then(() => {}),
  owner_differs: () =>
    sql`update public.node_run set user_id = ${randomUUID()} where flow_run_id = ${firstRun()}`.then(() => {}),
  request_of_ended_run_open: () =>
    past(() => sql`update public.signature_requests set root_flow_run_id = ${firstRun()} where owner_id = ${owner}`),
  transaction_without_outcome: () =>
    past(() => sql`update private.flow_run_transactions set root_flow_run_id = ${firstRun()}`),
  latest_wrong: () =>
    past(() =>
      sql`update public.flow_deployments_tags set deployment_id = ${deploymentIds[0]!} where entrypoint = ${flowId}`
    ),
  row_points_nowhere: () => past(() => sql`delete from public.flow_run where id = ${firstRun()}`),
  snapshot_unused: () => sql`insert into private.flow_snapshots (hash, data) values (sha256('x'), '{}')`.then(() => {}),
  kv_usage_wrong: () => past(() => sql`delete from public.kv_items where user_id = ${owner}`),
  secret_misplaced: () => past(() => sql`update public.wallets set type = 'HARDCODED' where user_id = ${owner}`),
};

describe('the rules on what is stored', () => {
  it('find nothing where all is well', async () => {
    expect(await findAll()).toEqual([]);
  });

  it.each(rowChecks.map(({ name }) => name))('%s finds what breaks it', async (name) => {
    const breakRule = breakers[name];
    expect(breakRule, 'each rule is broken here').toBeDefined();
    await breakRule!();
    expect(await findAll()).toContain(name);
  });

  it('latest is wrong, too, where a flow with deployments has none, and where it is left over', async () => {
    await past(() => sql`delete from public.flow_deployments_tags where entrypoint = ${flowId}`);
    expect(await findAll()).toEqual(['latest_wrong']);
    await sql`rollback`;
    await sql`begin`;
  });

  it('a deployment whose deletion was answered must be gone', async () => {
    facts = { ...facts, deployments: [{ id: deploymentIds[0]!, isGoing: true, isGone: true }] };
    expect(await findAll()).toEqual(['deployment_misplaced']);
  });

  it('a refused start must not have made a run', async () => {
    const { runId, mark } = await start();
    await sql`select private.end_flow_run(${runId}, 'stopped', null, null, null)`;
    records.pop();
    records.push(startRecord({ mark, isRefused: true }));
    expect(await findAll()).toContain('runs_of_start_miscounted');
  });

  it('a run whose signature request is long over does not wait for it', async () => {
    await sql`update public.signature_requests set expires_at = now() - interval '16 seconds' where owner_id = ${owner}`;
    expect(await findAll()).toEqual(['run_neither_ended_nor_waiting']);
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
