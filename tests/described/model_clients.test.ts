import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { type ModelProvider, startModelProvider } from '../support/model_provider/index.ts';

// The provider of the tests has to speak both dialects as the official clients understand them. Otherwise the dialects
// of the runner would be tested against a mistake of their own.

const OPENAI = '7.59.0';
const ANTHROPIC = '1.14.0';

/** The members of the clients that the tests use. */
type Create = (body: object) => Promise<Record<string, unknown> & AsyncIterable<Record<string, unknown>>>;
type Client<Api> = new (options: { apiKey: string; baseURL: string; maxRetries: number }) => Api;

const load = (name: string, version: string) =>
  createRequire(join(fetchPackage(name.replaceAll('/', '-'), name, version), 'package.json'))(name);

const CALL = { id: 'call_1', name: 'add', arguments: '{"a":1,"b":2}' };
const SCRIPT = { text: 'I add 1 and 2.', toolCalls: [CALL], usage: { input: 21, output: 9 } };

let provider: ModelProvider;
let OpenAI: Client<{ chat: { completions: { create: Create } } }>;
let Anthropic: Client<{ messages: { create: Create } }>;
beforeAll(async () => {
  if (runsLongTests) {
    ({ OpenAI } = load('openai', OPENAI));
    ({ Anthropic } = load('@anthropic-ai/sdk', ANTHROPIC));
  }
  provider = await startModelProvider();
});
afterAll(() => provider.close());

describe.runIf(runsLongTests)(`openai ${OPENAI}`, () => {
  let create: Create;
  const ask = (more: object = {}) =>
    create({ model: 'test', messages: [{ role: 'user', content: 'add 1 and 2' }], ...more });
  beforeAll(() => {
    const { chat } = new OpenAI({ apiKey: 'sk-test', baseURL: provider.urls.openai, maxRetries: 0 });
    create = (body) => chat.completions.create(body);
  });

  it('reads a whole answer', async () => {
    provider.will(SCRIPT);
    expect(await ask()).toMatchObject({
      choices: [{
        message: {
          content: SCRIPT.text,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: CALL.arguments } }],
        },
        finish_reason: 'tool_calls',
      }],
      usage: { prompt_tokens: 21, completion_tokens: 9 },
    });
  });

  it('reads a stream', async () => {
    provider.will(SCRIPT);
    let text = '';
    let written = '';
    const reasons: unknown[] = [];
    const usages: unknown[] = [];
    for await (const chunk of await ask({ stream: true, stream_options: { include_usage: true } })) {
      const { choices, usage } = chunk as {
        choices: {
          delta: { content?: string; tool_calls?: { function: { arguments: string } }[] };
          finish_reason: unknown;
        }[];
        usage: unknown;
      };
      for (const { delta, finish_reason } of choices) {
        text += delta.content ?? '';
        written += delta.tool_calls?.[0]?.function.arguments ?? '';
        if (finish_reason !== null) reasons.push(finish_reason);
      }
      if (usage !== null) usages.push(usage);
    }
    expect([text, written, reasons]).toEqual([SCRIPT.text, CALL.arguments, ['tool_calls']]);
    expect(usages).toEqual([{ prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 }]);
  });

  it('gives the errors of the provider', async () => {
    provider.will({ status: 429, headers: { 'retry-after': '1' } });
    await expect(ask()).rejects.toMatchObject({ status: 429 });
    await expect(create({ model: 'test', messages: [] })).rejects.toMatchObject({ status: 400 });
    provider.will({ text: 'a beginning', fault: 'overloaded' });
    const read = async () => {
      for await (const _ of await ask({ stream: true }));
    };
    await expect(read()).rejects.toThrow('Overloaded');
  });
});

describe.runIf(runsLongTests)(`@anthropic-ai/sdk ${ANTHROPIC}`, () => {
  let create: Create;
  const ask = (more: object = {}) =>
    create({ model: 'test', max_tokens: 100, messages: [{ role: 'user', content: 'add 1 and 2' }], ...more });
  beforeAll(() => {
    const { messages } = new Anthropic({ apiKey: 'sk-test', baseURL: provider.urls.anthropic, maxRetries: 0 });
    create = (body) => messages.create(body);
  });

  it('reads a whole answer', async () => {
    provider.will(SCRIPT);
    expect(await ask()).toMatchObject({
      content: [{ type: 'text', text: SCRIPT.text }, { type: 'tool_use', name: 'add', input: { a: 1, b: 2 } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 21, output_tokens: 9 },
    });
  });

  it('reads a stream', async () => {
    provider.will(SCRIPT);
    let text = '';
    let written = '';
    const types = new Set<unknown>();
    for await (const event of await ask({ stream: true })) {
      types.add(event['type']);
      const { text: more = '', partial_json = '' } = (event['delta'] ?? {}) as { text?: string; partial_json?: string };
      text += more;
      written += partial_json;
    }
    expect([text, written]).toEqual([SCRIPT.text, CALL.arguments]);
    expect([...types]).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('gives the errors of the provider', async () => {
    provider.will({ status: 529 });
    await expect(ask()).rejects.toMatchObject({ status: 529 });
    await expect(create({ model: 'test', max_tokens: 9, messages: [] })).rejects.toMatchObject({ status: 400 });
    provider.will({ text: 'a beginning', fault: 'overloaded' });
    const read = async () => {
      for await (const _ of await ask({ stream: true }));
    };
    await expect(read()).rejects.toThrow('Overloaded');
  });
});
