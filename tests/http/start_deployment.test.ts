import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
let other: Person;
let flowId: number;
let deploymentId: string;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  flowId = await storeFlow(owner, textFlow());
  deploymentId = await deploy(owner, flowId);
});

const startWith = (path: string, token: string, inputs: object, headers: Record<string, string> = {}) =>
  call(path, {
    token,
    body: JSON.stringify({ inputs }),
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('POST /deployment/start', () => {
  it("answers 200 with run id and token, and the run gives the flow's output", async () => {
    const result = await start(owner, `id=${deploymentId}`, { inputs: { value: { D: '1.50' } } });
    expect(Object.keys(result).toSorted()).toEqual(['flow_run_id', 'token']);
    expect(result.token).toMatch(/^fr_[\w-]{64}$/);
    const run = await finishedRun(owner, result.flow_run_id);
    expect(run).toMatchObject({
      status: 'succeeded',
      user_id: owner.id,
      started_by: owner.id,
      started_by_public_key: null,
      flow_id: flowId,
      deployment_id: deploymentId,
      inputs: { M: { value: { D: '1.50' } } },
      output: { M: { text: { S: '1.50' } } },
      errors: null,
      not_run: [],
      chain_network: { cluster: 'devnet' },
    });
    expect(Date.parse(run.start_time!)).toBeGreaterThanOrEqual(Date.parse(run.created_at));
  });

  it("uses a missing input's default, and accepts a missing body", async () => {
    const { flow_run_id } = await start(owner, `flow=${flowId}`);
    expect((await finishedRun(owner, flow_run_id)).output).toEqual({ M: { text: { S: 'nothing' } } });
  });

  it("refuses unknown inputs, and names the flow's own ones", async () => {
    const bare = await storeFlow(owner, new FlowBuilder());
    const cases: [string, string, string][] = [
      [`deployment/start?id=${deploymentId}`, 'valeu', 'inputs: the flow has no input "valeu"; it has "value".'],
      [`flow/start/${flowId}`, 'Value', 'inputs: the flow has no input "Value"; it has "value".'],
      [
        `deployment/start?id=${await deploy(owner, bare)}`,
        'value',
        'inputs: the flow has no input "value"; it has none.',
      ],
      [`flow/start/${bare}`, 'value', 'inputs: the flow has no input "value"; it has none.'],
    ];
    for (const [path, name, message] of cases) {
      const response = await startWith(path, owner.token, { [name]: { S: 'x' } });
      expect([response.status, await response.json()]).toEqual([400, {
        code: 'inputs_invalid',
        message,
        details: [{ path: `inputs.${name}`, message: 'the flow has no such input' }],
        hint: null,
        error: message,
      }]);
    }
  });

  it('does not reveal the inputs of a deployment that the caller may not start', async () => {
    const answers = await Promise.all([deploymentId, randomUUID()].map(async (id) => {
      const response = await startWith(`deployment/start?id=${id}`, other.token, { nothing: { S: 'x' } });
      return [response.status, await response.text()];
    }));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toEqual([404, expect.stringContaining('deployment_not_found')]);
  });

  it('returns the run of a repeated start even if the flow has lost the input meanwhile', async () => {
    const edited = await storeFlow(owner, textFlow());
    const again = () =>
      startWith(`flow/start/${edited}`, owner.token, { value: { S: 'x' } }, { 'idempotency-key': 'again' });
    const { flow_run_id } = await (await again()).json();
    const { nodes, edges } = JSON.parse(JSON.stringify(textFlow().row()).replaceAll('"value"', '"other"'));
    await owner.client.from('flows').update({ nodes, edges }).eq('id', edited).throwOnError();
    const repeated = await again();
    expect([repeated.status, await repeated.json()]).toMatchObject([200, { flow_run_id }]);
    expect((await startWith(`flow/start/${edited}`, owner.token, { value: { S: 'x' } })).status).toBe(400);
  });

  it('starts the deployment of latest by a flow, and that of the tag by a tag', async () => {
    const ownFlow = await storeFlow(owner, textFlow());
    const [first, second] = [await deploy(owner, ownFlow), await deploy(owner, ownFlow)];
    const { error } = await owner.client.from('flow_deployments_tags').insert({
      entrypoint: ownFlow,
      tag: 'stable',
      deployment_id: first,
    });
    expect(error).toBeNull();
    const deploymentOf = async (query: string) =>
      (await finishedRun(owner, (await start(owner, query)).flow_run_id)).deployment_id;
    expect(await deploymentOf(`flow=${ownFlow}`)).toBe(second);
    expect(await deploymentOf(`flow=${ownFlow}&tag=latest`)).toBe(second);
    expect(await deploymentOf(`flow=${ownFlow}&tag=stable`)).toBe(first);
    await owner.client.from('flow_deployments_tags').update({ deployment_id: second }).eq('entrypoint', ownFlow).eq(
      'tag',
      'stable',
    );
    expect(await deploymentOf(`flow=${ownFlow}&tag=stable`)).toBe(second);
  });

  it('shows runs by deployment_id to the owner and the starter, and node runs to the owner only', async () => {
    const shared = await storeFlow(owner, textFlow(), { is_public: true, start_shared: true });
    const sharedDeployment = await deploy(owner, shared);
    const { flow_run_id } = await start(other, `id=${sharedDeployment}`);
    await finishedRun(other, flow_run_id);
    for (const [person, nodeRuns] of [[owner, 3], [other, 0]] as const) {
      const runs = await person.client.from('flow_run').select('*').eq('deployment_id', sharedDeployment);
      expect(runs.data?.map((run) => run.id)).toEqual([flow_run_id]);
      const nodes = await person.client.from('node_run').select('*').eq('flow_run_id', flow_run_id);
      expect(nodes.data).toHaveLength(nodeRuns);
    }
    const stranger = await signUp();
    const { data } = await stranger.client.from('flow_run').select('*').eq('deployment_id', sharedDeployment);
    expect(data).toEqual([]);
  });

  it('embeds the deployment into its runs, until it is deleted', async () => {
    const ownFlow = await storeFlow(owner, textFlow());
    const ownDeployment = await deploy(owner, ownFlow);
    const { flow_run_id } = await start(owner, `id=${ownDeployment}`);
    await finishedRun(owner, flow_run_id);
    const read = async () =>
      (await owner.client.from('flow_run').select('deployment_id, deployment(entrypoint)').eq('id', flow_run_id)
        .single()).data;
    expect(await read()).toEqual({ deployment_id: ownDeployment, deployment: { entrypoint: ownFlow } });
    await owner.client.from('flow_deployments').delete().eq('id', ownDeployment);
    expect(await read()).toEqual({ deployment_id: ownDeployment, deployment: null });
  });

  it('refuses every deployment that the caller may not start with the same 404', async () => {
    const unknown = '01890000-0000-7000-8000-000000000000';
    const refusals = await Promise.all([
      `id=${deploymentId}`,
      `id=${unknown}`,
      `flow=${flowId}`,
      `flow=${flowId}&tag=none`,
      'flow=2147483647',
    ].map(async (query) => {
      const response = await call(`deployment/start?${query}`, { token: other.token });
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      return JSON.stringify([response.status, await response.text(), headers]);
    }));
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toContain('404');
    expect(refusals[0]).toContain('deployment_not_found');
  });

  it('checks the permission before the inputs', async () => {
    const { error } = await other.client.rpc('start_deployment', { id: deploymentId, inputs: { bad: 5 } });
    expect(error).toMatchObject({ code: 'deployment_not_found' });
  });

  it('is the same function under /rest/v1/rpc, with the same errors', async () => {
    const started = await owner.client.rpc('start_deployment', { flow: flowId, inputs: { value: { S: 'rpc' } } });
    const run = await finishedRun(owner, (started.data as { flow_run_id: string }).flow_run_id);
    expect(run.output).toEqual({ M: { text: { S: 'rpc' } } });
    const { error, status } = await owner.client.rpc('start_deployment', { flow: flowId, inputs: { value: { S: 5 } } });
    expect([status, error?.code, error?.message]).toEqual([400, 'inputs_invalid', 'inputs.value.S: must be a string']);
  });

  it.each(['deployment', 'flow'])('of a %s takes a priority in range, and only from the owner', async (target) => {
    const path = target === 'flow' ? `flow/start/${flowId}` : `deployment/start?id=${deploymentId}`;
    await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' }).eq('id', deploymentId)
      .throwOnError();
    const send = async (priority: number, { token } = owner) => {
      const body = JSON.stringify({ priority });
      const response = await call(path, { token, body, headers: { 'content-type': 'application/json' } });
      return [response.status, (await response.json() as { code?: string }).code];
    };
    expect(await send(-3600)).toEqual([200, undefined]);
    expect(await send(3601)).toEqual([400, 'priority_invalid']);
    expect(await send(1.5)).toEqual([400, 'request_invalid']);
    expect(await send(60, other)).toEqual(
      target === 'flow' ? [404, 'flow_not_found'] : [400, 'priority_invalid'],
    );
    await owner.client.from('flow_deployments').update({ start_permission: 'Owner' }).eq('id', deploymentId)
      .throwOnError();
  });
});

describe('Prefer: wait', () => {
  const startAndWait = async (path: string, prefer: string, token = owner.token) => {
    const response = await startWith(path, token, {}, { prefer });
    return { applied: response.headers.get('preference-applied'), body: await response.json() };
  };
  const text = (S: string) => ({ M: { text: { S } } });

  it.each(['deployment', 'flow'])('on a %s answers with the result of the run', async (target) => {
    const path = target === 'flow' ? `flow/start/${flowId}` : `deployment/start?id=${deploymentId}`;
    const { applied, body } = await startAndWait(path, 'respond-async, wait=100');
    expect(applied).toBe('wait=100');
    expect(body).toMatchObject({
      flow_run_id: expect.any(String),
      token: expect.stringMatching(/^fr_/),
      status: 'succeeded',
      output: text('nothing'),
      errors: null,
    });
  });

  it('answers with the errors of a failed run', async () => {
    const failing = new FlowBuilder();
    failing.output('out', failing.script('throw "no"', {}).output('u'));
    const { body } = await startAndWait(`flow/start/${await storeFlow(owner, failing)}`, 'wait=100');
    expect(body).toMatchObject({ status: 'failed', errors: [expect.stringContaining('no')] });
  });

  it('answers without a result when the time is over, and the run goes on', async () => {
    const sleeping = new FlowBuilder();
    sleeping.output('out', sleeping.wait(sleeping.json(1), 3_000));
    const { applied, body } = await startAndWait(`flow/start/${await storeFlow(owner, sleeping)}`, 'wait=1');
    expect([applied, Object.keys(body).toSorted()]).toEqual(['wait=1', ['flow_run_id', 'token', 'warnings']]);
    expect((await finishedRun(owner, body.flow_run_id)).status).toBe('succeeded');
  });

  it('does not wait for a refused start, nor without the preference', async () => {
    const { applied, body } = await startAndWait(`deployment/start?id=${deploymentId}`, 'wait=100', other.token);
    expect([applied, body.code]).toEqual([null, 'deployment_not_found']);
    expect((await startAndWait(`deployment/start?id=${deploymentId}`, 'return=minimal')).body).not.toHaveProperty(
      'status',
    );
  });
});
