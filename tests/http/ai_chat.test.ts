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
