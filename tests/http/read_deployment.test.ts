import { beforeAll, describe, expect, inject, it } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const PUBLIC_KEY = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
const anybody = { is_public: true, start_shared: true, start_unverified: true };

let owner: Person;
let other: Person;
let paymentId: number;

/** A flow that pays. Its ports are drawn as free, so only the node definitions have the types of its inputs. */
function paymentFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const [buyer, amount] = [flow.input('buyer'), flow.input('amount', 0.01)];
  const shop = flow.use('wallet', {}, { form: { public_key: PUBLIC_KEY } });
  const pay = flow.use('transfer_sol', { sender: buyer, recipient: shop.output('pubkey'), amount });
  flow.output('signature', pay.output('signature'));
  return flow;
}

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  paymentId = await storeFlow(owner, paymentFlow(), { name: 'Shop', description: 'Pays.', ...anybody });
});

const read = (query: string, headers: Record<string, string>) =>
  call(`deployment/read?${query}`, { method: 'GET', headers });
const asPublicKey = { authorization: `Bearer ${PUBLIC_KEY}` };

describe('GET /deployment/read', () => {
  it('describes inputs and outputs to a wallet, by the definitions of the nodes', async () => {
    const deploymentId = await deploy(owner, paymentId);
    const icon_url = 'https://shop.example/icon.png';
    await owner.client.from('flow_deployments').update({ icon_url, name: 'Pay the shop' }).eq('id', deploymentId)
      .throwOnError();
    const response = await read(`flow=${paymentId}`, asPublicKey);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(await response.json()).toEqual({
      deployment_id: deploymentId,
      flow_id: paymentId,
      name: 'Pay the shop',
      description: 'Pays.',
      icon_url,
      created_at: expect.stringMatching(/^20/),
      start_permission: 'Anonymous',
      output_instructions: false,
      action_identity: null,
      fees: [],
      cluster: 'devnet',
      uses_solana: true,
      node_count: 5,
      inputs: [
        {
          name: 'buyer',
          description: expect.stringMatching(/./),
          type_bounds: ['keypair'],
          required: true,
          default: null,
          json_schema: { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,88}$' },
        },
        {
          name: 'amount',
          description: expect.stringMatching(/./),
          type_bounds: ['decimal'],
          required: false,
          default: 0.01,
          json_schema: { anyOf: [{ type: 'number' }, { type: 'string', pattern: expect.any(String) }] },
        },
      ],
      outputs: [{ name: 'signature', type: 'signature' }],
    });
  });

  it('is already computed by the deploy', async () => {
    const flow = new FlowBuilder();
    flow.input(`asked by ${owner.id}`);
    const deploymentId = await deploy(owner, await storeFlow(owner, flow));
    const sql = connect(inject('stack').SUPERUSER_URL);
    try {
      const inputs = await waitFor(async () => {
        const [row] = await sql`
          select i.inputs from public.flow_deployments as d
          join private.flow_snapshot_interfaces as i on i.snapshot_hash = d.snapshot_hash where d.id = ${deploymentId}`;
        return row?.inputs as { name: string }[] | undefined;
      });
      expect(inputs.map(({ name }) => name)).toEqual([`asked by ${owner.id}`]);
    } finally {
      await sql.end();
    }
  });

  it('keeps all digits of numbers that a float cannot hold', async () => {
    const flow = new FlowBuilder();
    flow.use('wait', { value: flow.input('wait', 1), duration_ms: flow.input('ms') });
    const flowId = await storeFlow(owner, flow);
    const deploymentId = await deploy(owner, flowId);
    await owner.client.from('flow_deployments').update({ fees: [[PUBLIC_KEY, '18446744073709551615']] as never }).eq(
      'id',
      deploymentId,
    ).throwOnError();
    const text = await (await read(`id=${deploymentId}`, { authorization: `Bearer ${owner.token}` })).text();
    expect(text).toContain('"maximum": 18446744073709551615');
    expect(text).toContain('18446744073709551615]]');
  });

  it('answers 304 to a caller who has the answer, after checking the caller', async () => {
    const deploymentId = await deploy(owner, paymentId);
    const query = `id=${deploymentId}`;
    const etag = (await read(query, asPublicKey)).headers.get('etag')!;
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    for (const shown of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await read(query, { ...asPublicKey, 'if-none-match': shown });
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, etag, '']);
    }
    expect((await read(query, { ...asPublicKey, 'if-none-match': '"other"' })).status).toBe(200);
    await owner.client.from('flow_deployments').update({ name: 'another' }).eq('id', deploymentId).throwOnError();
    const changed = await read(query, { ...asPublicKey, 'if-none-match': etag });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    await owner.client.from('flow_deployments').update({ start_permission: 'Owner' }).eq('id', deploymentId)
      .throwOnError();
    expect((await read(query, { ...asPublicKey, 'if-none-match': '*' })).status).toBe(404);
    expect((await read(query, { 'if-none-match': '*' })).status).toBe(401);
  });

  it('refuses a query that does not name one deployment', async () => {
    const token = { authorization: `Bearer ${owner.token}` };
    const codes = await Promise.all(
      ['', 'id=x', `flow=${paymentId}&id=01a20697-8799-7e0c-8f35-4332846069bc`, 'flow=1&flow=2', 'flow=1&tag=-'].map(
        async (query) => {
          const response = await read(query, token);
          return [response.status, (await response.json()).code];
        },
      ),
    );
    expect(codes).toEqual([
      [400, 'start_target_ambiguous'],
      [400, 'request_invalid'],
      [400, 'start_target_ambiguous'],
      [400, 'request_invalid'],
      [400, 'request_invalid'],
    ]);
    expect((await call('deployment/read?flow=1', { headers: token })).status).toBe(405);
  });
});

describe('rpc deployment_graph', () => {
  it('returns the frozen graphs by flow, only to the owner', async () => {
    const flowId = await storeFlow(owner, textFlow(), anybody);
    const id = await deploy(owner, flowId);
    const { data } = await owner.client.rpc('deployment_graph', { id });
    const { nodes, edges } = textFlow().row();
    expect(data).toMatchObject({ deployment_id: id, flow_id: flowId });
    const graph = (data as { flows: Record<string, { nodes: { id: string; position: unknown }[]; edges: unknown[] }> })
      .flows[flowId]!;
    expect(graph.nodes.map((node) => [node.id, node.position])).toEqual(nodes.map((node) => [node.id, null]));
    expect(graph.edges).toEqual(edges);
    const { error } = await other.client.rpc('deployment_graph', { id });
    expect(error).toMatchObject({ code: 'deployment_not_found', details: null });
  });
});
