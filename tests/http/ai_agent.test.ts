import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { describeTools } from '../../client/describing/index.ts';
import { createFlowClient } from '../../client/index.ts';
import { FlowBuilder, type FormJson } from '../support/flow_builder.ts';
import { startMcpServer } from '../support/mcp_server.ts';
import { type ModelProvider, startModelProvider } from '../support/model_provider/index.ts';
import { answer, pendingInputs } from '../support/pending_inputs.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
let provider: ModelProvider;
beforeAll(async () => {
  owner = await signUp();
});
beforeEach(async () => {
  provider = await startModelProvider();
  return provider.close;
});

/** A flow that doubles a number. */
async function doubling(): Promise<number> {
  const flow = new FlowBuilder();
  const number = flow.input('number', undefined, { type: 'integer', required: true, help: 'What to double' });
  flow.output('doubled', flow.script('a * 2', { a: number }).output('u'));
  return await storeFlow(owner, flow);
}

function agentFlow(tools: FormJson[]): FlowBuilder {
  const flow = new FlowBuilder();
  const form = { dialect: 'openai', base_url: provider.urls.openai, model: 'm', tools };
  const agent = flow.use('ai_agent', { input: flow.input('task') }, { form, title: 'agent' });
  for (const name of ['text', 'steps', 'finish_reason']) flow.output(name, agent.output(name));
  return flow;
}

const startAgent = async (flow: FlowBuilder): Promise<string> => {
  const id = await deploy(owner, await storeFlow(owner, flow));
  return (await start(owner, `id=${id}`, { values: { task: 'double 21' } })).flow_run_id;
};
const callOf = (number: unknown) => ({ name: 'double', arguments: JSON.stringify({ number }) });

it.each([
  ['Approve', '{"doubled":42}'],
  ['Refuse', 'Error: a person has refused this call'],
])('a tool that needs approval is asked for in the inbox; after %s the model is told %s', async (word, told) => {
  provider.will({ toolCalls: [callOf(21)] }, { text: 'done' });
  const runId = await startAgent(agentFlow([{ flow: await doubling(), name: 'double', needs_approval: true }]));
  const [input] = await pendingInputs(owner, runId);
  expect(input).toMatchObject({
    title: 'May double be called?',
    description: '{\n  "number": 21\n}',
    choices: ['Approve', 'Refuse'],
    answered_by: 'owner',
    root_flow_run_id: runId,
  });
  expect((await answer(input!.url, { values: word })).status).toBe(404);
  expect((await answer(input!.url, { values: word }, { authorization: `Bearer ${owner.token}` })).status).toBe(200);
  expect(await finishedRun(owner, runId)).toMatchObject({
    status: 'succeeded',
    output: { M: { text: { S: 'done' }, steps: { U: '3' }, finish_reason: { S: 'stop' } } },
  });
  const messages = provider.requests[1]!.body['messages'] as { content: string }[];
  expect(messages.at(-1)!.content).toBe(told);
  const { data } = await owner.client.from('flow_run').select('usage').eq('id', runId).single();
  expect(data!.usage).toMatchObject({ m: { requests: 2 } });
});

it('a tool of an MCP server is a tool of the agent, with the connection that its author fixed', async () => {
  const token = 'token-of-the-shelf-0123456789';
  const server = await startMcpServer({
    count: {
      description: {
        description: 'Counts a shelf.',
        inputSchema: { type: 'object', properties: { shelf: { type: 'string' }, unit: { type: 'string' } } },
      },
      call: ({ params }) => ({ content: [{ type: 'text', text: JSON.stringify([params.arguments, token]) }] }),
    },
  }, { guard: ({ authorization }) => authorization === `Bearer ${token}` });
  onTestFinished(server.close);
  const flows = createFlowClient(owner.client);
  const body = { name: 'shelf', kind: 'bearer', hosts: [new URL(server.url).host], secret: { token } };
  await call('connections/upsert', {
    token: owner.token,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const { definitions } = describeTools(await flows.readTools(server.url, { connection: 'shelf' }));
  await flows.storeDefinitions(definitions);
  server.received.length = 0;

  const node = { type: 'mcp', node_id: 'count', version: '3', form_data: { unit: 'box', connection: 'shelf' } };
  provider.will(
    { toolCalls: [{ name: 'count', arguments: '{"shelf":"a","unit":"ton"}' }] },
    { toolCalls: [{ name: 'count', arguments: '{"shelf":"a"}' }] },
    { text: 'done' },
  );
  const runId = await startAgent(agentFlow([{ node, name: 'count', needs_approval: true }]));
  const [input] = await pendingInputs(owner, runId);
  expect(input).toMatchObject({ title: 'May count be called?', description: '{\n  "shelf": "a"\n}' });
  expect(server.received).toEqual([]);
  await answer(input!.url, { values: 'Approve' }, { authorization: `Bearer ${owner.token}` });
  expect(await finishedRun(owner, runId)).toMatchObject({ status: 'succeeded', output: { M: { steps: { U: '5' } } } });
  expect(server.received.map(({ message }) => message)).toEqual(['tools/call']);
  expect(provider.requests[0]!.body['tools']).toMatchObject([{
    function: { description: 'Counts a shelf.', parameters: { properties: { shelf: { type: 'string' } } } },
  }]);
  const told = (provider.requests[2]!.body['messages'] as { role: string; content: string }[])
    .filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(told[0]).toBe('Error: the arguments: must not have the member "unit"');
  expect(told[1]).toMatch(/shelf.*box/);
  // The server repeated the secret.
  expect(JSON.stringify(provider.requests.map((request) => request.body))).not.toContain(token);
});

it('a redrive takes over all steps before the failure', async () => {
  provider.will({ toolCalls: [callOf(21)] }, { status: 400 }, { text: 'done' });
  const failedId = await startAgent(agentFlow([{ flow: await doubling(), name: 'double' }]));
  expect(await finishedRun(owner, failedId)).toMatchObject({ status: 'failed' });
  const response = await call(`flow/redrive/${failedId}`, { token: owner.token });
  const { flow_run_id: runId } = await response.json() as { flow_run_id: string };
  expect(await finishedRun(owner, runId)).toMatchObject({
    status: 'succeeded',
    output: { M: { text: { S: 'done' }, steps: { U: '3' } } },
  });
  expect(provider.requests).toHaveLength(3);
  const { data } = await owner.client.from('flow_run').select('id, node_run(is_taken_over)').eq(
    'parent_flow_run_id',
    runId,
  );
  expect(data![0]!.node_run.filter(({ is_taken_over }) => is_taken_over)).toHaveLength(2);
});

it('a deploy refuses a tool that is no flow of the owner', async () => {
  const flowId = await storeFlow(owner, agentFlow([{ flow: 2_000_000_000, name: 'far' }]));
  const response = await call(`flow/deploy/${flowId}`, { token: owner.token });
  expect([response.status, await response.json()]).toMatchObject([422, {
    code: 'flow_invalid',
    details: [{ code: 'interflow_flow_unknown', path: 'nodes[1].data.targets_form.form_data.tools[0].flow' }],
  }]);
});
