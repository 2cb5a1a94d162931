import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../runner/models/model.ts';
import type { NodeRetry } from '../../types/flow.ts';
import { FlowBuilder, type FormJson } from '../support/flow_builder.ts';
import { type ModelProvider, startModelProvider } from '../support/model_provider/index.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

const SECRET = 'sk-of-a-test-0123456789';
const SCHEMA = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };

let owner: Person;
let provider: ModelProvider;
beforeAll(async () => {
  owner = await signUp();
  provider = await startModelProvider();
  const connection = {
    name: 'model',
    kind: 'header',
    header: 'x-api-key',
    hosts: [new URL(provider.urls.anthropic).host],
    secret: { value: SECRET },
  };
  const response = await call('connections/upsert', {
    token: owner.token,
    body: JSON.stringify(connection),
    headers: { 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
});
afterAll(() => provider.close());

describe.each(DIALECTS)('a run with ai_chat by %s', (dialect) => {
  const run = async (form: { [name: string]: FormJson }, retry?: NodeRetry) => {
    const flow = new FlowBuilder();
    const chat = flow.node('ai_chat', {
      outputs: ['text', 'structured', 'usage', 'finish_reason'],
      form: { dialect, base_url: provider.urls[dialect], model: 'm', connection: 'model', prompt: 'hello', ...form },
      title: 'chat',
      retry,
    });
    for (const name of ['text', 'structured', 'usage']) flow.output(name, chat.output(name));
    const { flow_run_id } = await start(owner, `id=${await deploy(owner, await storeFlow(owner, flow))}`);
    return await finishedRun(owner, flow_run_id);
  };

  it('gives the answer, and sends the secret of the connection', async () => {
    provider.will({ text: `{"total": 3, "key": "${SECRET}"}` });
    const { output, errors } = await run({ response_schema: SCHEMA });
    expect(errors).toBeNull();
    expect(output).toMatchObject({
      M: {
        structured: { M: { total: { U: '3' }, key: { S: '[redacted]' } } },
        usage: { M: { requests: { U: '1' } } },
      },
    });
    expect(provider.requests.at(-1)!.headers['x-api-key']).toBe(SECRET);
    expect(JSON.stringify(output)).not.toContain(SECRET);
  });

  it('is tried again after 429 and 529, not before the time that Retry-After names', async () => {
    provider.will({ status: 429, headers: { 'retry-after': '1' } }, { status: 529 }, { text: 'third' });
    const began = Date.now();
    const { output, errors } = await run({}, { max_attempts: 3, delay_ms: 10, backoff: 1, max_delay_ms: 5_000 });
    expect([errors, output]).toMatchObject([null, { M: { text: { S: 'third' } } }]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
  });

  it.each([
    [{ model: '' }, /chat [0-9a-f-]{36}: bad_config: model: must be a text/],
    [{ connection: 'none' }, /connection_missing/],
    [{ base_url: 'https://other.example' }, /connection_url_refused/],
  ])('fails with %j', async (form, message) => {
    const { status, errors } = await run(form);
    expect([status, errors]).toEqual(['failed', [expect.stringMatching(message)]]);
  });

  it('fails with model_answer_invalid after two wrong answers', async () => {
    provider.will({ text: 'three' }, { text: 'THREE' });
    const { errors } = await run({ response_schema: SCHEMA }, {
      max_attempts: 2,
      delay_ms: 10,
      backoff: 1,
      max_delay_ms: 5_000,
    });
    expect(errors).toEqual([expect.stringMatching(/: model_answer_invalid: /)]);
  });
});

it('a run counts the tokens of its models, and fails a call beyond the limits of its deployment', async () => {
  const flow = new FlowBuilder();
  const form = { dialect: 'openai', base_url: provider.urls.openai, model: 'm', connection: 'model' };
  const first = flow.node('ai_chat', { outputs: ['text'], form: { ...form, prompt: 'hello' }, title: 'first' });
  const second = flow.node('ai_chat', { inputs: ['prompt'], outputs: ['text'], form, title: 'second' });
  flow.connect(first.output('text'), second.input('prompt'));
  flow.output('out', second.output('text'));
  const id = await deploy(owner, await storeFlow(owner, flow));
  const run = async () => {
    const { flow_run_id } = await start(owner, `id=${id}`);
    const { errors } = await finishedRun(owner, flow_run_id);
    const { data } = await owner.client.from('flow_run').select('usage').eq('id', flow_run_id).single().throwOnError();
    return { errors, usage: data.usage };
  };
  expect(await run()).toEqual({
    errors: null,
    usage: { m: { requests: 2, input_tokens: 22, output_tokens: 14 } },
  });

  await owner.client.from('flow_deployments').update({ model_limits: { run_tokens: 18 } }).eq('id', id).throwOnError();
  const before = provider.requests.length;
  expect(await run()).toEqual({
    errors: [expect.stringMatching(/^second [0-9a-f-]{36}: model_limit_reached: the run has used 18 tokens/)],
    usage: { m: { requests: 1, input_tokens: 11, output_tokens: 7 } },
  });
  expect(provider.requests.length).toBe(before + 1);

  const limits = { day_tokens: 50 };
  await owner.client.from('flow_deployments').update({ model_limits: limits }).eq('id', id).throwOnError();
  expect((await run()).errors).toEqual([expect.stringMatching(/: model_limit_reached: .* used 54 tokens today/)]);
});
