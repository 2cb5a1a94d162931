import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { startChain } from '../../dev/chain/server.ts';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import '../../dev/stack/websocket.ts';
import type { Database } from '../../types/database.types.ts';
import { hardcoded, makeKeypair } from '../support/keypairs.ts';
import { accessToken, createApiKey } from '../support/tokens.ts';
import { startWebhookReceiver, withStatus } from '../support/webhook_receiver.ts';
import { flowKind, type FlowKindName, flowKindNames, type FlowParts, sharingColumns, STORE } from './flow_kinds.ts';
import type { Random } from './random.ts';
import type { Traffic } from './traffic.ts';
import type { WatchRecord } from './watching.ts';

/** The milliseconds of a slot. A signed transaction is valid for 150 slots. */
const SLOT_MS = 100;

const SOL = 1_000_000_000n;

const WEBHOOK_PATH = '/runs';

/**
 * The events of `on_end` for the deployments of a flow: the first deployment gets the first list, the next one the
 * second. With null, no messages are posted.
 */
const TOLD = [['succeeded', 'failed', 'stopped', 'signature_request'], null, ['failed', 'stopped']] as const;

/** A user of the stack under test. */
interface SoakUser {
  label: string;
  id: string;
  token: string;
  isAnonymous: boolean;
  apiKey: string | undefined;
  client: SupabaseClient<Database>;
}

export interface SoakDeployment {
  id: string;
  flow: SoakFlow;
  /** True if the owner of the deployment has asked, or is about to ask, to delete it. */
  isGoing: boolean;
  /** True if the deletion of the deployment was acknowledged. */
  isGone: boolean;
}

export interface SoakFlow {
  id: number;
  owner: SoakUser;
  kind: FlowKindName;
  parts: FlowParts;
  /** The deployments that answers have named. */
  deployments: SoakDeployment[];
}

/** A receiver of webhooks that refuses some at first. */
interface SoakWebhooks {
  url: string;
  /** The ids of the accepted webhooks. */
  takenIds: Set<string>;
  close: () => Promise<void>;
}

async function startWebhooks(): Promise<SoakWebhooks> {
  const receiver = await startWebhookReceiver();
  const refused = new Set<string>();
  const takenIds = new Set<string>();
  receiver.answer(WEBHOOK_PATH, (response, webhook) => {
    const id = webhook.headers['webhook-id']!;
    const isRefused = id.endsWith('0') && !refused.has(id);
    (isRefused ? refused : takenIds).add(id);
    withStatus(isRefused ? 503 : 204)(response, webhook);
  });
  return { url: `${receiver.url}${WEBHOOK_PATH}`, takenIds, close: receiver.close };
}

/** A webhook. Its requests have a mark, by which the runs of its flow are counted. */
interface SoakHook {
  flow: SoakFlow;
  /** The path of the webhook, relative to the functions' address. */
  path: string;
}

/** All objects that the load works with. */
export interface World {
  status: StackStatus;
  traffic: Traffic;
  users: SoakUser[];
  /** The public keys of callers without an account. */
  publicKeys: string[];
  flows: SoakFlow[];
  hooks: SoakHook[];
  chain: Awaited<ReturnType<typeof startChain>>;
  shop: string;
  webhooks: SoakWebhooks;
  /** All past and present watchers of runs. */
  watched: WatchRecord[];
  /** Gives a key lamports. */
  fund: (publicKey: string, amount: bigint) => Promise<void>;
}

/** Sends a request to an Edge Function. */
export const callFunction = (
  { status, traffic }: Pick<World, 'status' | 'traffic'>,
  kind: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
) =>
  traffic.send(kind, `${status.FUNCTIONS_URL}/${path}`, {
    method: body === undefined && /^flow\/(output|signature_request)\//.test(path) ? 'GET' : 'POST',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Returns the data of a request. No fault has happened yet, so the request must succeed. */
function must<Data>({ data, error }: { data: Data; error: unknown }): NonNullable<Data> {
  if (error !== null || data === null || data === undefined) {
    throw new Error('the soak could not be prepared', { cause: error });
  }
  return data;
}

/** Deploys a flow. Returns the deployment if the answer named it. */
export async function deployFlow(world: World, flow: SoakFlow): Promise<SoakDeployment | undefined> {
  const { status, body } = await callFunction(world, 'deploy', `flow/deploy/${flow.id}`, bearer(flow.owner.token));
  if (status !== 200) return undefined;
  const deployment = { id: body.deployment_id, flow, isGoing: false, isGone: false };
  flow.deployments.push(deployment);
  const events = TOLD[flow.deployments.length % TOLD.length];
  const settings = {
    // The load starts deployments that anybody may start more often than the defaults allow.
    max_starts_per_minute: 60_000,
    max_runs_in_flight: 10_000,
    ...(events !== null && { on_end: { url: world.webhooks.url, events } }),
  };
  // If this request fails, the deployment keeps the defaults, without `on_end`. If only the answer is lost, the
  // settings are stored nevertheless.
  await flow.owner.client.from('flow_deployments').update(settings as never).eq('id', deployment.id);
  return deployment;
}

/**
 * Makes the users, and a chain for their money. The first two users own a flow of each kind, which is deployed once.
 */
export async function makeWorld(
  status: StackStatus,
  sql: Sql,
  traffic: Traffic,
  random: Random,
  tokenSeconds: number,
): Promise<World> {
  const clientOf = (token?: string) =>
    createClient<Database>(status.API_URL, status.PUBLISHABLE_KEY, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { fetch: traffic.restFetch, ...(token !== undefined && { headers: bearer(token) }) },
    });
  const withToken = async (label: string, id: string, isAnonymous: boolean): Promise<SoakUser> => {
    // This token is valid for the whole soak. A token from the Auth server would expire earlier.
    const options = { secret: status.JWT_SECRET, expiresIn: tokenSeconds, isAnonymous };
    const token = await accessToken(id, options);
    return { label, id, token, isAnonymous, apiKey: undefined, client: clientOf(token) };
  };
  const signUp = async (label: string): Promise<SoakUser> => {
    const email = `${randomUUID()}@example.com`;
    const { user } = must(await clientOf().auth.signUp({ email, password: randomUUID() }));
    const signedUp = await withToken(label, user!.id, false);
    return { ...signedUp, apiKey: (await createApiKey(signedUp)).key };
  };
  const signInAnonymously = async (label: string): Promise<SoakUser> => {
    const id = randomUUID();
    await sql`insert into auth.users (id, is_anonymous) values (${id}, true)`;
    return await withToken(label, id, true);
  };
  const users = [
    ...await Promise.all(['owner 1', 'owner 2', 'other 1', 'other 2'].map(signUp)),
    ...await Promise.all(['anonymous 1', 'anonymous 2'].map(signInAnonymously)),
  ];

  const chain = await startChain({ slotMs: SLOT_MS });
  const fund = async (publicKey: string, amount: bigint) => {
    // Written by hand, because the number may be greater than JavaScript's integers.
    const body = `{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["${publicKey}",${amount}]}`;
    await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  };
  const webhooks = await startWebhooks();
  const shop = makeKeypair().publicKey;
  const publicKeys = [makeKeypair().publicKey, makeKeypair().publicKey];
  const world: World = {
    status,
    traffic,
    users,
    publicKeys,
    flows: [],
    hooks: [],
    chain,
    shop,
    webhooks,
    watched: [],
    fund,
  };
  await fund(shop, SOL);
  for (const owner of users.slice(0, 2)) await addFlows(world, sql, owner, random);
  return world;
}

/** Stores and deploys a flow of each kind. */
async function addFlows(world: World, sql: Sql, owner: SoakUser, random: Random): Promise<void> {
  const wallet = makeKeypair();
  const upsert = await callFunction(world, 'wallet', 'wallets/upsert', bearer(owner.token), hardcoded(wallet));
  if (upsert.status !== 200) throw new Error('the wallet could not be stored', { cause: upsert });
  await world.fund(wallet.publicKey, 100_000n * SOL);
  await sql`insert into public.kv_stores (user_id, name) values (${owner.id}, ${STORE})`;
  const parts: FlowParts = { chainFlowId: 0, wallet: wallet.publicKey, shop: world.shop };
  // Keep the order of the kinds, so that the called flow exists before its callers.
  for (const kind of flowKindNames) {
    const row = {
      name: kind,
      ...flowKind(kind).build(parts, random).row(),
      ...sharingColumns(flowKind(kind).permission),
      ...(flowKind(kind).onChain && { chain_network: { url: world.chain.url, cluster: 'devnet' } }),
    };
    const { id } = must(await owner.client.from('flows').insert(row as never).select('id').single());
    if (kind === 'chain') parts.chainFlowId = id;
    const flow: SoakFlow = { id, owner, kind, parts, deployments: [] };
    if (await deployFlow(world, flow) === undefined) throw new Error(`the flow ${kind} could not be deployed`);
    world.flows.push(flow);
    if (kind === 'text') await addAutomaticStarts(world, flow);
  }
}

/** Gives a flow a schedule that is due each minute, and a webhook. */
async function addAutomaticStarts(world: World, flow: SoakFlow): Promise<void> {
  const { client } = flow.owner;
  must(await client.from('flow_schedules').insert({ flow: flow.id, cron: '* * * * *' }).select('id').single());
  const made = must(await client.rpc('create_webhook', { flow: flow.id, input: 'mark' })) as { url: string };
  world.hooks.push({ flow, path: made.url.split('/functions/v1/')[1]! });
}
