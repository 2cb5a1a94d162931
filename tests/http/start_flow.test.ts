import { beforeAll, expect, it } from 'vitest';
import { createFlowClient } from '../../client/create_flow_client.ts';
import type { StartFlowParams, StartFlowResult } from '../../types/deployment.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
beforeAll(async () => {
  owner = await signUp();
});

const startFlow = async (flowId: number, params: StartFlowParams): Promise<Response> =>
  await call(`flow/start/${flowId}`, {
    token: owner.token,
    body: JSON.stringify(params),
    headers: { 'content-type': 'application/json' },
  });

const run = async (flowId: number, params: StartFlowParams) => {
  const started: StartFlowResult = await (await startFlow(flowId, params)).json();
  return await finishedRun(owner, started.flow_run_id);
};

/** Makes a flow that doubles each number of a list, by an expression on an edge, and collects the numbers as texts. */
function doublingFlow() {
  const flow = new FlowBuilder();
  const text = flow.toText({ ...flow.foreach(flow.input('list')), expression: '$ * 2' });
  const output = flow.output('texts', flow.collect(text));
  return { flow, textId: text.nodeId, outputIds: flow.nodes.slice(-2).map(({ id }) => id), outputId: output.id };
}

it('a start runs only the nodes of only_nodes, with the values of an earlier run or those given by hand', async () => {
  const { flow, textId, outputIds, outputId } = doublingFlow();
  const flowId = await storeFlow(owner, flow);
  const whole = await run(flowId, { values: { list: [1, 2, 3] } });

  const values_config = { default_run_id: whole.id };
  const part = await run(flowId, { partial_config: { only_nodes: [textId, ...outputIds], values_config } });
  expect(part).toMatchObject({ status: 'succeeded', output: whole.output, not_run: [] });
  const { data } = await owner.client.from('node_run').select('node_id, times, input').eq('flow_run_id', part.id)
    .eq('node_id', textId).order('times').throwOnError();
  expect(data.map(({ times, input }) => [times, input])).toEqual(
    [2, 4, 6].map((number, times) => [times, { M: { stringify: { U: String(number) } } }]),
  );
  const { count } = await owner.client.from('node_run').select('*', { count: 'exact', head: true })
    .eq('flow_run_id', part.id).throwOnError();
  expect(count).toBe(5);

  // A value given by hand takes precedence over the value of the run.
  const inline = { [outputId]: { texts: { S: 'by hand' } } };
  const given = await run(flowId, {
    partial_config: { only_nodes: [outputId], values_config: { ...values_config, inline } },
  });
  expect(given.output).toEqual({ M: { texts: { S: 'by hand' } } });
});

it('a node without a value that it needs fails, and a redrive of its run does not run other nodes', async () => {
  const { flow, outputIds } = doublingFlow();
  const flowId = await storeFlow(owner, flow);
  const [collectId, outputId] = outputIds as [string, string];
  const failed = await run(flowId, { partial_config: { only_nodes: [outputId] } });
  const [title] = failed.errors![0]!.split(': ');
  expect(failed.errors).toEqual([
    `${title}: value_missing: no value for input "texts": no run is named for output "array" of collect ${collectId}`,
  ]);
  const answer = await call(`flow/redrive/${failed.id}`, { token: owner.token });
  const redriven = await finishedRun(owner, (await answer.json()).flow_run_id);
  expect(redriven).toMatchObject({ status: 'failed', errors: failed.errors, not_run: [] });
});

it('a start with an unknown run is one 404, and with an unknown node a 400 that names it', async () => {
  const { flow, textId } = doublingFlow();
  const flowId = await storeFlow(owner, flow);
  const unknown = '01930000-0000-7000-8000-0000000000aa';
  const named = await startFlow(flowId, {
    partial_config: { only_nodes: [textId], values_config: { default_run_id: unknown } },
  });
  expect([named.status, (await named.json()).code]).toEqual([404, 'flow_run_not_found']);
  const node = await startFlow(flowId, { partial_config: { only_nodes: [unknown] } });
  expect([node.status, (await node.json()).details]).toEqual([400, [{
    path: 'partial_config.only_nodes',
    message: `the flow has no node ${unknown}`,
  }]]);
  const shape = await startFlow(flowId, { partial_config: { only_nodes: 'all' as never } });
  expect([shape.status, (await shape.json()).code]).toEqual([400, 'request_invalid']);
});

it('a start with an empty list of nodes runs the whole flow', async () => {
  const flow = textFlow();
  const { status, output, not_run } = await run(await storeFlow(owner, flow), {
    values: { value: 'all' },
    partial_config: { only_nodes: [], values_config: {} },
  });
  expect([status, output, not_run]).toEqual(['succeeded', { M: { text: { S: 'all' } } }, []]);
});

it('a start gives its flow the environment names that the flow lacks, and called flows none', async () => {
  const script = { outputs: ['names'], form: { source: 'return JSON.stringify(ENV)' } };
  const called = new FlowBuilder();
  called.output('names', called.node('javascript', script).output('names'));
  const calledId = await storeFlow(owner, called, { environment: { CALLED: '1' } });
  const flow = new FlowBuilder();
  flow.output('own', flow.node('javascript', script).output('names'));
  flow.output('called', flow.interflow(calledId, {}, ['names']).output('names'));
  const flowId = await storeFlow(owner, flow, { environment: { OWN: 'flow' } });
  const ended = await run(flowId, { environment: { OWN: 'start', NEW: 'start' }, output_instructions: true });
  const { own, called: ofCalled } = (ended.output as { M: Record<string, { S: string }> }).M;
  expect([JSON.parse(own!.S), JSON.parse(ofCalled!.S)]).toEqual([{ NEW: 'start', OWN: 'flow' }, { CALLED: '1' }]);
  expect(ended.output_instructions).toBe(true);
});

it('a start of a flow uses pinned outputs, and node_run shows which; a deployment runs the node', async () => {
  const { flow, textId } = doublingFlow();
  const flowId = await storeFlow(owner, flow);
  await owner.client.from('flow_pins').insert({
    flow_id: flowId,
    node_id: textId,
    outputs: { result: { S: 'pinned' } },
  }).throwOnError();
  const pinned = await run(flowId, { values: { list: [1, 2] } });
  expect(pinned.output).toEqual({ M: { texts: { A: [{ S: 'pinned' }, { S: 'pinned' }] } } });
  const { data } = await owner.client.from('node_run').select('node_id, times').eq('flow_run_id', pinned.id)
    .eq('is_pinned', true).order('times').throwOnError();
  expect(data).toEqual([0, 1].map((times) => ({ node_id: textId, times })));
  const { flow_run_id } = await start(owner, `id=${await deploy(owner, flowId)}`, { values: { list: [1, 2] } });
  expect((await finishedRun(owner, flow_run_id)).output).toEqual({ M: { texts: { A: [{ S: '2' }, { S: '4' }] } } });
});

it('runNode of the client runs a node with values by hand or of a run, and nodeRuns reads its outputs', async () => {
  const client = createFlowClient(owner.client);
  const { flow, textId } = doublingFlow();
  const flowId = await storeFlow(owner, flow);
  const byHand = await client.runNode(flowId, textId, { values: { stringify: 'by hand' } });
  await client.output(byHand);
  expect(await client.nodeRuns(byHand, { node: textId })).toMatchObject([
    { times: 0, input: { M: { stringify: { S: 'by hand' } } }, output: { M: { result: { S: 'by hand' } } } },
  ]);
  const whole = await run(flowId, { values: { list: [1, 2] } });
  const again = await client.runNode(flowId, textId, { from: whole.id });
  await client.output(again);
  expect((await client.nodeRuns(again)).map(({ output }) => output)).toEqual(
    ['2', '4'].map((text) => ({ M: { result: { S: text } } })),
  );
  await expect(client.runNode(flowId, textId, { from: again.flow_run_id.replace(/^./, '1') }))
    .rejects.toMatchObject({ code: 'flow_run_not_found' });
});
