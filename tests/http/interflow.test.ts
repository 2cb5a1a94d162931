import { beforeAll, expect, it } from 'vitest';
import type { Json } from '../../types/database.types.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
beforeAll(async () => {
  owner = await signUp();
});

/** A flow that outputs this text, whatever its inputs are. */
function sayingFlow(text: string): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('said', flow.constant({ S: text }));
  return flow;
}

function askingFlow(flowId: number): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('heard', flow.interflow(flowId, {}, ['said'], 'ask').output('said'));
  return flow;
}

async function edit(flowId: number, flow: FlowBuilder): Promise<void> {
  // SAFETY: the flow builder makes only JSON.
  const row = flow.row() as unknown as { nodes: Json[]; edges: Json[] };
  await owner.client.from('flows').update(row).eq('id', flowId).throwOnError();
}

async function startNormally(flowId: number): Promise<string> {
  const response = await call(`flow/start/${flowId}`, { token: owner.token });
  return (await response.json()).flow_run_id;
}

const heardBy = async (runId: string) => (await finishedRun(owner, runId)).output;

it('a deployment calls flows as they were at the deploy, and a normal run calls the present ones', async () => {
  const saying = await storeFlow(owner, sayingFlow('before'));
  const asking = await storeFlow(owner, askingFlow(saying));
  const deploymentId = await deploy(owner, asking);
  await edit(saying, sayingFlow('after'));

  const deployed = await start(owner, `id=${deploymentId}`);
  expect(await heardBy(deployed.flow_run_id)).toEqual({ M: { heard: { S: 'before' } } });
  expect(await heardBy(await startNormally(asking))).toEqual({ M: { heard: { S: 'after' } } });

  // The deployment still works after the called flow is deleted.
  await owner.client.from('flows').delete().eq('id', saying).throwOnError();
  const later = await start(owner, `id=${deploymentId}`);
  expect(await heardBy(later.flow_run_id)).toEqual({ M: { heard: { S: 'before' } } });
  expect((await call(`flow/start/${asking}`, { token: owner.token })).status).toBe(422);
});

it('the error of a called flow becomes the error of the calling node, and both runs fail', async () => {
  const failing = new FlowBuilder();
  const script = failing.script('throw "no luck"', {}, 1, 'try');
  failing.output('said', script.output('u'));
  const failingId = await storeFlow(owner, failing);
  const runId = await startNormally(await storeFlow(owner, askingFlow(failingId)));
  const run = await finishedRun(owner, runId);
  expect(run.status).toBe('failed');
  expect(run.errors).toEqual([expect.stringMatching(/^ask [0-9a-f-]{36}: try [0-9a-f-]{36}: .*no luck/)]);
  expect(run.not_run).toHaveLength(1);
  const { data } = await owner.client.from('flow_run').select('status, flow_id').eq('parent_flow_run_id', runId);
  expect(data).toEqual([{ status: 'failed', flow_id: failingId }]);
});
