import { beforeAll, beforeEach, expect, it } from 'vitest';
import { FlowBuilder, type FormJson } from '../support/flow_builder.ts';
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
