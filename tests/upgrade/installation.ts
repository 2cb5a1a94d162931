import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { createFlowClient } from '../../client/index.ts';
import type { FlowClient, StartedRun } from '../../client/flow_client.ts';
import type { Database } from '../../types/database.types.ts';
import { paymentFlow } from '../support/actions.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { hardcoded, type Keypair, makeKeypair } from '../support/keypairs.ts';
import { askingFlow } from '../support/pending_inputs.ts';
import { fundedKeypair } from '../support/transactions.ts';
import { SOL, type TestChain } from '../support/solana.ts';
import { waitFor } from '../support/wait.ts';

/** How long the sleeping run sleeps: longer than the upgrade takes. */
const SLEEP_MS = 60_000;

type Db = SupabaseClient<Database>;

/** The owner of an installation, as a client of one of its stacks. */
export interface Owner {
  db: Db;
  flows: FlowClient;
  token: string;
}

/** Everything that a user has stored in an installation before its upgrade, and what they keep to use it afterwards. */
export interface Installation {
  email: string;
  refreshToken: string;
  accessToken: string;
  apiKey: string;
  /** The flow that every other start uses: a text input that becomes a text. */
  flowId: number;
  deploymentId: string;
  webhookUrl: string;
  connection: { secret: string; flowId: number };
  signer: Keypair;
  buyer: Keypair;
  payer: { keypair: Keypair; flowId: number };
  idempotent: { key: string; run: StartedRun };
  runs: { [state in 'ended' | 'failed' | 'queued' | 'running' | 'sleeping' | 'asking' | 'signing']: StartedRun };
}

const anonymous = (status: StackStatus): Db =>
  createClient<Database>(status.API_URL, status.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
  });

/** Signs the owner in with a session that a stack has made earlier. */
export async function resume(
  status: StackStatus,
  { refreshToken }: Pick<Installation, 'refreshToken'>,
): Promise<Owner> {
  const db = anonymous(status);
  const { data, error } = await db.auth.refreshSession({ refresh_token: refreshToken });
  if (error !== null || data.session === null) throw new Error('the old session is refused', { cause: error });
  return { db, flows: createFlowClient(db), token: data.session.access_token };
}

/** Sends JSON to a function of the stack as this user. */
export async function post<Answer>(status: StackStatus, path: string, token: string, body: object): Promise<Answer> {
  const response = await fetch(`${status.FUNCTIONS_URL}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json() as Answer;
}

const columnsOf = (flow: FlowBuilder) => flow.row() as unknown as { nodes: object[]; edges: object[] };

function textFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('text', flow.toText(flow.input('value', 'nothing')));
  return flow;
}

/** A flow that gets an address, with the secret of a connection if one is named. */
function requestFlow(url: string, connection?: string): FlowBuilder {
  const flow = new FlowBuilder();
  const form = { url, ...(connection !== undefined && { connection }) };
  flow.output('body', flow.use('http_request', {}, { form }).output('body'));
  return flow;
}

function sleepingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('text', flow.wait(flow.input('value', 'slept'), SLEEP_MS));
  return flow;
}

/**
 * Fills a new installation by its own routes and functions: a row of each kind, and a run in each state.
 *
 * @param server A server on loopback: `/silent` does not answer.
 */
export async function fillInstallation(status: StackStatus, chain: TestChain, server: string): Promise<Installation> {
  const db = anonymous(status);
  const email = 'owner@example.com';
  const { data: { session, user } } = await db.auth.signUp({ email, password: 'correct horse battery' });
  const flows = createFlowClient(db);
  const token = session!.access_token;
  const store = async (flow: FlowBuilder, columns: object = {}) =>
    await flows.storeFlow({ ...columnsOf(flow), ...columns });
  const network = { chain_network: { url: chain.url, cluster: 'devnet' } };
  const startFlow = async (flowId: number, values: object = {}): Promise<StartedRun> =>
    await flows.start({ flow: flowId }, values) as StartedRun;
  const deployed = async (flow: FlowBuilder, columns: object = {}): Promise<number> => {
    const flowId = await store(flow, columns);
    await flows.deploy(flowId);
    return flowId;
  };
  const reached = async (run: StartedRun, state: string) =>
    await waitFor(async () => (await flows.run(run)).status === state || undefined, 30_000).catch(async (cause) => {
      const { status, errors } = await flows.run(run);
      throw new Error(`a run is ${status}, not ${state}: ${errors}`, { cause });
    });

  // Rows of a user.
  const flowId = await deployed(textFlow());
  const { deployment_id } = await flows.deploy(flowId, { tag: 'stable' });
  await db.from('flow_deployments').update({ start_permission: 'Anonymous', name: 'Kept' }).eq('id', deployment_id)
    .throwOnError();
  await db.rpc('keep_flow_version', { flow_id: flowId, name: 'before the upgrade' }).throwOnError();
  const { nodes } = textFlow().row();
  await db.from('flow_pins').insert({ flow_id: flowId, node_id: nodes[0]!.id, outputs: { value: { S: 'pinned' } } })
    .throwOnError();
  const { key: apiKey } = (await db.rpc('create_api_key', { name: 'ci' }).throwOnError()).data as { key: string };
  const { error: uploadError } = await db.storage.from('user-storages').upload(`${user!.id}/kept.txt`, 'kept');
  if (uploadError !== null) throw uploadError;
  await db.rpc('create_kv_store', { store: 'settings' }).throwOnError();
  await db.rpc('write_kv_item', { store: 'settings', key: 'colour', value: { S: 'red' } }).throwOnError();
  await db.from('nodes').insert({
    type: 'native',
    data: { node_id: 'my_node', version: '0.1', display_name: 'My node' },
    sources: [],
    targets: [],
  }).throwOnError();
  const [signer, buyer, payer] = [makeKeypair(), await fundedKeypair(chain), await fundedKeypair(chain, 3n * SOL)];
  await post(status, 'wallets/upsert', token, hardcoded(signer));
  await post(status, 'wallets/upsert', token, hardcoded(payer));
  const secret = 'secret-of-the-connection';
  await flows.upsertConnection({
    name: 'api',
    kind: 'bearer',
    hosts: [new URL(server).host],
    secret: { token: secret },
  });
  await flows.schedule({ flow: flowId, tag: 'stable' }, { cron: '* * * * *', values: { value: 'by the clock' } });
  const webhook = await flows.createWebhook({ flow: flowId, tag: 'stable' }, { input: 'value' });

  // Runs in each state. The ended ones come first: each start wakes the runner, which would take a queued run.
  const ended = await startFlow(flowId, { value: 'before' });
  const key = 'a key that is used before and after the upgrade';
  const idempotent = await flows.start({ flow: flowId }, { value: 'once' }, { idempotencyKey: key }) as StartedRun;
  const failed = await startFlow(await deployed(requestFlow('http://127.0.0.1:1/refused')));
  const running = await startFlow(await deployed(requestFlow(`${server}/silent`)));
  const sleeping = await startFlow(await deployed(sleepingFlow()));
  const asking = await startFlow(await deployed(askingFlow()));
  const shop = makeKeypair().publicKey;
  const signing = await startFlow(await deployed(paymentFlow(shop), network), { buyer: buyer.publicKey });
  await Promise.all([
    reached(ended, 'succeeded'),
    reached(idempotent, 'succeeded'),
    reached(failed, 'failed'),
    ...[running, sleeping].map((run) => reached(run, 'running')),
    ...[asking, signing].map((run) => reached(run, 'waiting')),
  ]);
  // This call starts a run without waking the runner.
  const { data: queued } = await db.rpc('start_deployment', { id: deployment_id, inputs: { value: { S: 'queued' } } })
    .throwOnError();

  const paying = new FlowBuilder();
  paying.output(
    'signature',
    paying.use('transfer_sol', {
      sender: paying.use('wallet', {}, { form: { public_key: payer.publicKey }, title: 'payer' }).output('keypair'),
      recipient: paying.use('wallet', {}, { form: { public_key: shop }, title: 'shop' }).output('pubkey'),
      amount: paying.constant({ D: '0.01' }, 'price'),
    }).output('signature'),
  );
  return {
    email,
    refreshToken: session!.refresh_token,
    accessToken: token,
    apiKey,
    flowId,
    deploymentId: deployment_id,
    webhookUrl: webhook.url,
    connection: { secret, flowId: await store(requestFlow(`${server}/private`, 'api')) },
    signer,
    buyer,
    payer: { keypair: payer, flowId: await store(paying, network) },
    idempotent: { key, run: idempotent },
    runs: { ended, failed, queued: queued as unknown as StartedRun, running, sleeping, asking, signing },
  };
}

/** The tables of the installation that no upgrade changes by itself. Runs that have not ended are left out. */
const TABLES = [
  'api_keys',
  'connections',
  'flow_deployments',
  'flow_deployments_tags',
  'flow_pins',
  'flow_versions',
  'flows',
  'kv_items',
  'kv_stores',
  'nodes',
  'wallets',
] as const;

/** Reads what a user reads: all rows of these tables, and of ended runs. */
export async function readInstallation({ db }: Owner, { runs }: Installation): Promise<Record<string, object[]>> {
  const rows: Record<string, object[]> = {};
  for (const table of TABLES) {
    const { data } = await db.from(table).select('*').throwOnError();
    rows[table] = (data as object[]).toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  }
  const ids = [runs.ended.flow_run_id, runs.failed.flow_run_id];
  rows['flow_run'] = (await db.from('flow_run').select('*').in('id', ids).order('id').throwOnError()).data!;
  rows['node_run'] = (await db.from('node_run').select('*').in('flow_run_id', ids).order('flow_run_id').order('node_id')
    .throwOnError()).data!;
  rows['flow_run_logs'] = (await db.from('flow_run_logs').select('*').in('flow_run_id', ids).order('flow_run_id')
    .order('log_index').throwOnError()).data!;
  return rows;
}
