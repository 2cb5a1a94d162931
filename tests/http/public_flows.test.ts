import { beforeAll, describe, expect, inject, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, makeClient, type Person, signUp, start, storeFlow } from '../support/people.ts';

const SECRETS = ['secret-of-environment', 'secret-of-network'];
const environment = { API_TOKEN: 'secret-of-environment' };
const chainNetwork = { url: 'https://rpc.example.com/?key=secret-of-network', cluster: 'devnet' };

function greetingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('said', flow.constant({ S: 'hello' }));
  return flow;
}

let owner: Person;
let other: Person;
let flowId: number;
let privateId: number;
let deploymentId: string;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  const columns = { environment, chain_network: chainNetwork };
  const open = { is_public: true, start_shared: true };
  flowId = await storeFlow(owner, greetingFlow(), { ...columns, ...open, name: 'shared greeting' });
  privateId = await storeFlow(owner, greetingFlow(), { ...columns, name: 'private greeting' });
  deploymentId = await deploy(owner, flowId);
});

it('only the owner can read flows; others can read public flows without their secrets', async () => {
  const own = await owner.client.from('flows').select('environment, chain_network').eq('id', flowId).single();
  expect(own.data).toEqual({ environment, chain_network: chainNetwork });
  expect((await other.client.from('flows').select('id').in('id', [flowId, privateId])).data).toEqual([]);

  const { data } = await other.client.from('public_flows').select('*').in('id', [flowId, privateId]);
  expect(data).toEqual([{
    id: flowId,
    user_id: owner.id,
    name: 'shared greeting',
    description: '',
    nodes: expect.any(Array),
    edges: expect.any(Array),
    chain_network: { cluster: 'devnet' },
    instructions_bundling: 'Off',
    start_shared: true,
    start_unverified: false,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  }]);
  const [row] = data!;
  const stored = await owner.client.from('flows').select('nodes, edges').eq('id', flowId).single();
  expect({ nodes: row!.nodes, edges: row!.edges }).toEqual(stored.data);
});

it('public flows can be selected, filtered, ordered and counted like a table', async () => {
  const second = await storeFlow(owner, greetingFlow(), { is_public: true, name: 'shared second' });
  const names = async () =>
    (await other.client.from('public_flows').select('name').eq('user_id', owner.id).ilike('name', '%GREET%')).data;
  expect(await names()).toEqual([{ name: 'shared greeting' }]);
  const { data, count } = await other.client.from('public_flows')
    .select('id, cluster:chain_network->>cluster', { count: 'exact' }).in('id', [flowId, privateId, second])
    .order('id', { ascending: false }).limit(1);
  expect([data, count]).toEqual([[{ id: second, cluster: 'devnet' }], 2]);
  const byKey = await other.client.from('public_flows').select('id').eq('id', privateId).maybeSingle();
  expect(byKey).toMatchObject({ data: null, error: null });
});

it("a filter can't match columns that public_flows omits", async () => {
  const read = (query: string) =>
    fetch(`${inject('stack').API_URL}/rest/v1/public_flows?${query}`, {
      headers: { apikey: inject('stack').PUBLISHABLE_KEY, authorization: `Bearer ${other.token}` },
    });
  for (const query of ['select=environment', 'environment->>API_TOKEN=like.secret*', 'order=environment']) {
    expect((await read(query)).status, query).toBe(400);
  }
  const byUrl = await read(`id=eq.${flowId}&chain_network->>url=like.*secret*`);
  expect([byUrl.status, await byUrl.json()]).toEqual([200, []]);
});

it.each(['POST', 'PATCH', 'DELETE'])("public_flows can't be written by %s", async (method) => {
  const response = await fetch(`${inject('stack').API_URL}/rest/v1/public_flows?id=eq.${flowId}`, {
    method,
    headers: {
      apikey: inject('stack').PUBLISHABLE_KEY,
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
    },
    ...method !== 'DELETE' && { body: '{"name": "mine"}' },
  });
  expect(response.status).toBe(403);
});

it('visitors who are not signed in can read neither', async () => {
  const client = makeClient();
  expect((await client.from('flows').select('id').eq('id', flowId)).status).toBe(401);
  expect((await client.from('public_flows').select('id').eq('id', flowId)).status).toBe(401);
});

describe('a caller who may start a public flow', () => {
  /** For each way of reading, the text that a user who is not the owner gets. */
  const seen = new Map<string, string>();

  beforeAll(async () => {
    const { flow_run_id: id } = await start(other, `id=${deploymentId}`);
    await finishedRun(other, id);
    const restQueries = [
      `flow_run?id=eq.${id}`,
      // A request for each table that is related to `flows` can embed columns of `flows`.
      ...['flow_run', 'flow_deployments', 'flow_deployments_tags', 'flow_schedules', 'flow_webhooks'].flatMap((
        table,
      ) => [
        `${table}?select=*,flows(*)`,
        `${table}?select=*,public_flows(*)`,
      ]),
      'public_flows?select=*,flow_deployments(*)',
      `flow_run?select=*,deployment(*,flows(*))&id=eq.${id}`,
      `node_run?flow_run_id=eq.${id}`,
      `flow_run_logs?flow_run_id=eq.${id}`,
      `flows?id=eq.${flowId}`,
      `public_flows?id=eq.${flowId}`,
      `rpc/read_deployment?id=${deploymentId}`,
      `rpc/deployment_graph?id=${deploymentId}`,
      `rpc/flow_run_stats?flow=${flowId}`,
    ];
    for (const query of restQueries) {
      const response = await fetch(`${inject('stack').API_URL}/rest/v1/${query}`, {
        headers: { apikey: inject('stack').PUBLISHABLE_KEY, authorization: `Bearer ${other.token}` },
      });
      seen.set(query, await response.text());
    }
    for (const path of [`flow/output/${id}`, `flow/events/${id}`, `deployment/read?id=${deploymentId}`]) {
      seen.set(path, await (await call(path, { method: 'GET', token: other.token })).text());
    }
  });

  it('sees the run, but nowhere a secret of the flow', () => {
    expect([...seen].find(([way]) => way.startsWith('flow/output/'))?.[1]).toContain('hello');
    for (const [way, text] of seen) {
      for (const secret of SECRETS) expect(text, way).not.toContain(secret);
    }
  });

  it("can't read the graph of the deployment", () => {
    expect(seen.get(`rpc/deployment_graph?id=${deploymentId}`)).toContain('deployment_not_found');
  });
});
