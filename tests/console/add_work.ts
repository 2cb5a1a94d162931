import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database, FlowClient } from 'flow-deployments-client';
import definition from '../../runner/nodes/ai_agent/definition.json' with { type: 'json' };
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { startModelProvider } from '../support/model_provider/index.ts';
import { waitFor } from '../support/wait.ts';

type Db = SupabaseClient<Database>;

/** The user's rows around an agent and an approval. */
export interface WorkRows {
  agentFlow: number;
  agentRun: string;
  waitingRun: string;
  /** A run that waits for the end of `waitingRun`, because both have the same key. */
  queuedRun: string;
}

async function store(db: Db, flow: FlowBuilder, name: string, folder = ''): Promise<number> {
  const row = { ...flow.row(), name, folder } as unknown as Database['public']['Tables']['flows']['Insert'];
  const { data } = await db.from('flows').insert(row).select('id').single().throwOnError();
  return data.id;
}

/** A flow that pays an amount after an approval. */
function expenseFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const amount = flow.input('amount', undefined, { type: 'number', title: 'Amount', required: true });
  const form = {
    title: 'May we pay this expense?',
    choices: ['Approve', 'Refuse'],
    shown_inputs: ['amount', 'reason'],
  };
  flow.output('amount', amount);
  flow.input('reason', undefined, { type: 'text', title: 'Reason' });
  flow.output('answer', flow.use('api_input', {}, { form, title: 'Approval' }).output('value'));
  return flow;
}

/** Waits until a run asks for an input. */
const untilAsked = (db: Db, runId: string): Promise<true> =>
  waitFor(async () => {
    const { data } = await db.from('pending_inputs').select('id').eq('root_flow_run_id', runId).throwOnError();
    return data.length > 0 || undefined;
  });

/** Starts an agent that makes a wrong call, and then waits for the approval of another one. */
async function startAgent(db: Db, flows: FlowClient): Promise<Pick<WorkRows, 'agentFlow' | 'agentRun'>> {
  const tool = new FlowBuilder();
  tool.output('paid', tool.input('to', undefined, { type: 'text', required: true }));
  const provider = await startModelProvider();
  const pay = (to: unknown) => ({ name: 'pay_back', arguments: JSON.stringify({ to }) });
  provider.will(
    { text: 'I look for the customer, and pay the order back.', toolCalls: [pay(7), pay('Ada Lovelace')] },
  );
  try {
    const flow = new FlowBuilder();
    const form = {
      dialect: 'openai',
      base_url: provider.urls.openai,
      model: 'small-model',
      instructions: 'Help the customers of the shop.',
      tools: [{
        flow: await store(db, tool, 'Pay an order back', 'Shop'),
        name: 'pay_back',
        description: 'Pays an order back to a customer.',
        needs_approval: true,
        answered_by: 'owner',
      }],
    };
    const agent = flow.use('ai_agent', { input: flow.input('task') }, { form, title: 'Helper' });
    flow.output('text', agent.output('text'));
    // As the editor stores the node, so that its panel has the fields of the form.
    const { data } = flow.nodes.find(({ data }) => data.node_id === 'ai_agent')!;
    Object.assign(data.targets_form, {
      json_schema: definition['targets_form.json_schema'],
      ui_schema: definition['targets_form.ui_schema'],
    });
    const agentFlow = await store(db, flow, 'Customer service', 'Shop');
    const { deployment_id } = await flows.deploy(agentFlow);
    const { flow_run_id } = await flows.start({ id: deployment_id }, { task: 'Pay the last order of Ada back.' });
    await untilAsked(db, flow_run_id);
    const { data: { id } } = await db.from('flow_run').select('id').eq('parent_flow_run_id', flow_run_id).single()
      .throwOnError();
    return { agentFlow, agentRun: id };
  } finally {
    await provider.close();
  }
}

/** Lets changes of a table start a flow. */
async function addRowStart(dbUrl: string, flow: number): Promise<void> {
  const sql = connect(dbUrl);
  try {
    await sql`create table if not exists public.shown_orders (id integer primary key, state text)`;
    await sql`
      select private.start_flow_on_rows(
        'public.shown_orders', '{insert,update}', ${flow}, 'latest', 'reason', columns => '{state}'
      )`;
  } finally {
    await sql.end();
  }
}

/** Adds a run that waits for an approval, limits by key, a start by rows, and the run of an agent. */
export async function addWork({ db, flows }: { db: Db; flows: FlowClient }, dbUrl: string): Promise<WorkRows> {
  const expenses = await store(db, expenseFlow(), 'Expenses', 'Office');
  const { deployment_id: id } = await flows.deploy(expenses);
  await db.from('flow_deployments').update({ queue_key: 'caller', max_running_per_key: 1 }).eq('id', id).throwOnError();
  await addRowStart(dbUrl, expenses);
  const waiting = await flows.start({ id }, { amount: 120, reason: 'A train to Leipzig' });
  const queued = await flows.start({ id }, { amount: 80, reason: 'Books' });
  await untilAsked(db, waiting.flow_run_id);
  return { waitingRun: waiting.flow_run_id, queuedRun: queued.flow_run_id, ...await startAgent(db, flows) };
}
