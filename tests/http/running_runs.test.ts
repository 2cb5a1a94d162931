import { beforeAll, expect, it } from 'vitest';
import { callingFlow, chainFlow, waitFlow } from '../support/mixed_flows.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const LONG_MS = 20_000;

let owner: Person;
let other: Person;
beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

const get = (path: string, token: string) => call(path, { method: 'GET', token });

/** Starts a flow of the owner that takes this long, and waits until the run is running. Returns the run's id. */
async function startRunning(durationMs: number): Promise<string> {
  const flowId = await storeFlow(owner, waitFlow(durationMs));
  const response = await call(`flow/start/${flowId}`, {
    token: owner.token,
    body: JSON.stringify({ inputs: { n: { U: '1' } } }),
    headers: { 'content-type': 'application/json' },
  });
  const { flow_run_id } = await response.json();
  await waitFor(async () => {
    const { data } = await owner.client.from('node_run').select('node_id').eq('flow_run_id', flow_run_id).is(
      'end_time',
      null,
    );
    return data?.length === 1 || undefined;
  });
  return flow_run_id;
}

const stop = (runId: string, body: object) =>
  call(`flow/stop/${runId}`, {
    token: owner.token,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

it('a running run shows its started nodes, and stops at once with the reason in its errors', async () => {
  const runId = await startRunning(LONG_MS);
  expect((await get(`flow/output/${runId}?wait=0`, owner.token)).status).toBe(202);
  expect((await stop(runId, { reason: 'changed my mind' })).status).toBe(200);
  const run = await finishedRun(owner, runId);
  expect(run.status).toBe('stopped');
  expect(run.errors).toEqual([expect.stringMatching(/^wait [0-9a-f-]{36}: canceled by user changed my mind$/)]);
  expect(run.not_run).toHaveLength(1);
  const answer = await get(`flow/output/${runId}`, owner.token);
  expect([answer.status, await answer.json()]).toMatchObject([409, {
    code: 'run_stopped',
    details: { output: { M: {} } },
  }]);
});

it('a stop with a grace period lets a node end and starts no other, and only the first stop counts', async () => {
  const runId = await startRunning(4_000);
  await stop(runId, { timeout_millies: 60_000, reason: 'first' });
  await stop(runId, { timeout_millies: 0, reason: 'second' });
  const run = await finishedRun(owner, runId);
  expect(run).toMatchObject({ status: 'stopped', errors: null, output: { M: {} } });
  expect(run.not_run).toHaveLength(1);
  const { data } = await owner.client.from('node_run').select('output, errors').eq('flow_run_id', runId).not(
    'input->M->value',
    'is',
    null,
  );
  expect(data).toEqual([{ output: { M: { value: { U: '1' }, wait_for: { B: true } } }, errors: null }]);
});

it('running nodes are cancelled at the end of the grace period', async () => {
  const runId = await startRunning(LONG_MS);
  await stop(runId, { timeout_millies: 300, reason: 'soon' });
  const run = await finishedRun(owner, runId);
  expect(run.errors).toEqual([expect.stringMatching(/: canceled by user soon$/)]);
});

it('a called flow has its own run, which does not count as a start of the deployment', async () => {
  const chain = await storeFlow(owner, chainFlow(2));
  const caller = await storeFlow(owner, callingFlow(chain));
  const deploymentId = await deploy(owner, caller);
  const { flow_run_id } = await start(owner, `id=${deploymentId}`, { inputs: { n: { U: '5' } } });
  expect(await finishedRun(owner, flow_run_id)).toMatchObject({
    status: 'succeeded',
    output: { M: { out: { S: '5' } } },
  });

  const { data: starts } = await owner.client.from('flow_run').select('*').eq('deployment_id', deploymentId);
  expect(starts?.map(({ id }) => id)).toEqual([flow_run_id]);
  const { data: children } = await owner.client.from('flow_run').select('*').eq('parent_flow_run_id', flow_run_id)
    .order('id');
  expect(children).toHaveLength(2);
  for (const child of children ?? []) {
    expect(child).toMatchObject({
      user_id: owner.id,
      flow_id: chain,
      deployment_id: null,
      status: 'succeeded',
      started_by: owner.id,
      parent_times: 0,
      output: { M: { out: { S: '5' } } },
      not_run: [],
    });
    const { data: nodes } = await owner.client.from('node_run').select('node_id').eq('flow_run_id', child.id);
    expect(nodes).toHaveLength(4);
    expect((await get(`flow/output/${child.id}`, owner.token)).status).toBe(200);
    expect((await get(`flow/output/${child.id}`, other.token)).status).toBe(404);
  }
});

it('stopping the run of a called flow stops the whole tree that it belongs to', async () => {
  const slow = await storeFlow(owner, waitFlow(LONG_MS));
  const deploymentId = await deploy(owner, await storeFlow(owner, callingFlow(slow)));
  const { flow_run_id } = await start(owner, `id=${deploymentId}`, { inputs: { n: { U: '5' } } });
  const child = await waitFor(async () => {
    const { data } = await owner.client.from('flow_run').select('id').eq('parent_flow_run_id', flow_run_id);
    return data?.[0];
  });
  expect((await stop(child.id, { reason: 'from below' })).status).toBe(200);
  expect(await finishedRun(owner, flow_run_id)).toMatchObject({ status: 'stopped' });
  expect(await finishedRun(owner, child.id)).toMatchObject({ status: 'stopped' });
});
