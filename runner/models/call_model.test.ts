import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uncounted } from '../../tests/support/node_call.ts';
import { HTTP_LIMITS } from '../../tests/support/http_limits.ts';
import { type ModelProvider, startModelProvider } from '../../tests/support/model_provider/index.ts';
import type { ScriptedAnswer } from '../../tests/support/model_provider/scripts.ts';
import { makeCredential } from '../connections/credential.ts';
import { NodeError } from '../engine/node.ts';
import { makeHttpClient } from '../reach/http_client.ts';
import { callModel, type ModelCall } from './call_model.ts';
import { DIALECTS, type ModelRequest, type ModelSettings, type ModelTool } from './model.ts';

let provider: ModelProvider;
beforeAll(async () => {
  provider = await startModelProvider();
});
afterAll(() => provider.close());

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });
const HELLO: ModelRequest = { messages: [{ role: 'user', text: 'hello' }] };
const SECRET = 'sk-test-0123456789abcdef';
const TOOLS: ModelTool[] = [{
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] },
}];

describe.each(DIALECTS)('%s', (dialect) => {
  const settings = (given: Partial<ModelSettings> = {}): ModelSettings => ({
    dialect,
    baseUrl: provider.urls[dialect],
    model: 'test-model',
    ...given,
  });
  const call = (
    request: ModelRequest = HELLO,
    given: Partial<ModelSettings> = {},
    limits: Partial<ModelCall> = {},
  ) =>
    callModel(settings(given), request, {
      http,
      models: uncounted,
      signal: new AbortController().signal,
      maxBytes: 1_048_576,
      ...limits,
    });
  const lastBody = () => provider.requests.at(-1)!.body;
  const failure = async (promise: Promise<unknown>): Promise<NodeError> => {
    const error = await promise.then(() => undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NodeError);
    return error as NodeError;
  };

  it('gives the text of a streamed answer, with its tokens', async () => {
    const text = 'Grüße – 你好 🙂\nand a second line';
    provider.will({ text, usage: { input: 3, output: 5 } });
    const usage = { inputTokens: 3, outputTokens: 5 };
    expect(await call()).toEqual({ text, toolCalls: [], usage, finishReason: 'stop' });
    expect(lastBody()).toMatchObject({ model: 'test-model', stream: true });
    expect(lastBody()).not.toHaveProperty('temperature');
  });

  it('sends the settings and the system text', async () => {
    await call({ ...HELLO, system: 'Be brief.' }, { temperature: 0.5, maxTokens: 99 });
    const { temperature, max_tokens, max_completion_tokens, system, messages } = lastBody();
    expect(temperature).toBe(0.5);
    expect(max_tokens ?? max_completion_tokens).toBe(99);
    expect(system ?? messages).toEqual(
      dialect === 'anthropic'
        ? 'Be brief.'
        : [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'hello' }],
    );
  });

  it('sends images by their address and by their bytes', async () => {
    const images = [{ url: 'https://example.com/a.png' }, { mediaType: 'image/png', base64: 'AAEC' }];
    await call({ messages: [{ role: 'user', text: 'what is this?', images }] });
    const [{ content }] = lastBody()['messages'] as [{ content: { [name: string]: unknown }[] }];
    expect(content.filter(({ type }) => type !== 'text')).toEqual(
      dialect === 'anthropic'
        ? [
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAEC' } },
        ]
        : [
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
        ],
    );
  });

  it('gives the calls of tools as the model wrote them, and sends their results', async () => {
    const toolCalls = [
      { id: 'call_a', name: 'add', arguments: '{"a": 1, "b": 12345678901234567890}' },
      { id: 'call_b', name: 'add', arguments: '{"a": ' },
      { id: 'call_c', name: 'add', arguments: '{}' },
    ];
    provider.will({ text: 'I add.', toolCalls });
    const answer = await call({ ...HELLO, tools: TOOLS });
    expect(answer).toMatchObject({ text: 'I add.', toolCalls, finishReason: 'tool_calls' });
    const described = lastBody()['tools'];
    expect(JSON.stringify(described)).toContain('"required":["a","b"]');

    provider.will({ text: 'done' });
    const results = toolCalls.map(({ id }, index) => ({
      role: 'tool' as const,
      callId: id,
      text: `result ${index}`,
      isError: index === 1,
    }));
    const messages = [...HELLO.messages, { role: 'assistant' as const, ...answer }, ...results];
    expect(await call({ messages, tools: TOOLS })).toMatchObject({ text: 'done', finishReason: 'stop' });
    const sent = JSON.stringify(lastBody());
    expect(sent).toContain('result 2');
    expect(sent).toMatch(dialect === 'anthropic' ? /"is_error":true/ : /Error: result 1/);
  });

  it('keeps the digits of numbers when it sends earlier calls', async () => {
    const toolCalls = [{ id: 'call_a', name: 'add', arguments: '{"a":1.10,"b":12345678901234567890}' }];
    let sent = '';
    const spying = {
      request: (request: Parameters<typeof http.request>[0]) => {
        sent = new TextDecoder().decode(request.makeBody?.() as Uint8Array);
        return http.request(request);
      },
    };
    await call(
      {
        messages: [...HELLO.messages, { role: 'assistant', text: '', toolCalls }, {
          role: 'tool',
          callId: 'call_a',
          text: '3',
        }],
      },
      {},
      { http: spying },
    );
    expect(sent.replaceAll('\\"', '"')).toContain('{"a":1.10,"b":12345678901234567890}');
  });

  it('asks for an answer in the form of a schema', async () => {
    const responseSchema = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };
    provider.will({ text: '{"total": 3}' });
    expect(await call({ ...HELLO, responseSchema })).toMatchObject({ text: '{"total": 3}' });
    expect(JSON.stringify(lastBody()).replaceAll('\\"', '"')).toContain(JSON.stringify(responseSchema));
  });

  it.each(
    [
      ['length', { text: 'cut', finish: 'length' }],
      ['refusal', { text: 'I can not do that.', finish: 'refusal' }],
    ] satisfies [string, ScriptedAnswer][],
  )('an answer can end by %s', async (finishReason, script) => {
    provider.will(script);
    expect(await call()).toMatchObject({ text: script.text, finishReason });
  });

  it.each([
    [429, '7', 7_000],
    [529, '1', 1_000],
    [500, undefined, undefined],
    [503, undefined, undefined],
  ])('status %i is transient, and Retry-After counts', async (status, retryAfter, retryAfterMs) => {
    provider.will({ status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } });
    const error = await failure(call());
    expect(error.message).toContain(`status code: ${status}`);
    expect(error.transience).toEqual({ retryAfterMs });
  });

  it('status 400 quotes the provider and is not transient', async () => {
    const { message, transience } = await failure(call({ messages: [] }));
    expect(message).toMatch(/status code: 400.*(message is required|with a message)/s);
    expect(transience).toBeUndefined();
  });

  it.each(['breaks_off', 'ends_early', 'not_json', 'overloaded'] as const)(
    'an answer that %s is a transient failure',
    async (fault) => {
      provider.will({ text: 'a beginning', fault });
      const { transience } = await failure(call());
      expect(transience).toBeDefined();
    },
  );

  it('an error inside the stream is quoted', async () => {
    provider.will({ text: 'a beginning', fault: 'invalid' });
    const { message, transience } = await failure(call());
    expect(message).toContain('The prompt is too long');
    expect(transience).toBeUndefined();
  });

  it('a provider that sends nothing for too long fails, and its connection is closed', async () => {
    provider.will({ text: 'a beginning', fault: 'silent' });
    const { message, transience } = await failure(call(HELLO, {}, { silenceMs: 100 }));
    expect(message).toContain('sent nothing for 0.1 s');
    expect(transience).toBeDefined();
    await expect.poll(() => provider.open()).toBe(0);
  });

  it.each([
    ['time', { timeoutMs: 300 }, 'longer than 0.3 s'],
    ['bytes', { maxBytes: 1_000 }, 'output_too_large'],
  ])('an answer without end ends by its %s', async (_, limits, expected) => {
    provider.will({ text: 'a beginning', fault: 'endless' });
    expect((await failure(call(HELLO, {}, limits))).message).toContain(expected);
    await expect.poll(() => provider.open()).toBe(0);
  });

  it('an abort closes the connection', async () => {
    provider.will({ text: 'a beginning', fault: 'silent' });
    const ending = new AbortController();
    const before = provider.requests.length;
    const failed = failure(call(HELLO, {}, { signal: ending.signal }));
    await expect.poll(() => provider.requests.length).toBe(before + 1);
    ending.abort();
    await failed;
    await expect.poll(() => provider.open()).toBe(0);
  });

  it('sends the secret of its connection, and removes it from the answer', async () => {
    const name = dialect === 'anthropic' ? 'x-api-key' : 'authorization';
    const { host } = new URL(provider.urls.openai);
    const connection = { name: 'model', hosts: [host], header: 'x-api-key', parameter: null };
    const credential = makeCredential(
      connection,
      dialect === 'anthropic'
        ? { kind: 'header', secret: { value: SECRET } }
        : { kind: 'bearer', secret: { token: SECRET } },
      { allowsHttp: true },
    );
    const toolCalls = [{ id: 'call_1', name: 'add', arguments: `{"a": "${SECRET}"}` }];
    provider.will({ text: `your key is ${SECRET}!`, toolCalls }, { status: 401, body: { error: SECRET } });
    const answer = await call(HELLO, { credential });
    expect(provider.requests.at(-1)!.headers[name]).toContain(SECRET);
    expect(answer.text).toBe('your key is [redacted]!');
    expect(answer.toolCalls[0]!.arguments).toBe('{"a": "[redacted]"}');
    expect((await failure(call(HELLO, { credential }))).message).not.toContain(SECRET);
  });

  it('refuses an answer that is no stream', async () => {
    provider.will({ status: 200, body: { text: 'hello' } });
    expect((await failure(call())).message).toContain('text/event-stream');
  });
});
