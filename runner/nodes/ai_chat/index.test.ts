import { parse } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../../tests/support/http_limits.ts';
import { lastText, type ModelProvider, startModelProvider } from '../../../tests/support/model_provider/index.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import type { LosslessJson, ValueMap } from '../../../types/values/value.ts';
import type { NodeCall } from '../../engine/node.ts';
import { DIALECTS } from '../../models/model.ts';
import { makeHttpClient } from '../../reach/http_client.ts';
import { aiChatNode } from './index.ts';

let provider: ModelProvider;
beforeAll(async () => {
  provider = await startModelProvider();
});
afterAll(() => provider.close());

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });
const SCHEMA = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };
const PNG = Uint8Array.from([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]);
const bytes = (content: Uint8Array) => ({ BY: Buffer.from(content).toString('base64') });

describe.each(DIALECTS)('ai_chat by %s', (dialect) => {
  const ask = (inputs: ValueMap, form: object = {}, given: Partial<NodeCall> = {}) =>
    runNode(aiChatNode, inputs, {
      http,
      formData: parse(
        JSON.stringify({ dialect, base_url: provider.urls[dialect], model: 'm', ...form }),
      ) as LosslessJson,
      ...given,
    });

  it('gives the answer to a prompt', async () => {
    expect(await ask({ prompt: { S: 'hello' } })).toEqual({
      text: { S: 'echo: hello' },
      usage: { M: { requests: { U: '1' }, input_tokens: { U: '11' }, output_tokens: { U: '7' } } },
      finish_reason: { S: 'stop' },
    });
  });

  it('sends a conversation', async () => {
    const message = (role: string, content: string) => ({ M: { role: { S: role }, content: { S: content } } });
    const messages = { A: [message('user', 'a'), message('assistant', 'b'), message('user', 'c')] };
    expect(await ask({ messages, system: { S: 's' } })).toMatchObject({ text: { S: 'echo: c' } });
    expect((provider.requests.at(-1)!.body['messages'] as unknown[]).length).toBe(dialect === 'anthropic' ? 3 : 4);
  });

  it('sends images by address and by bytes', async () => {
    await ask({ prompt: { S: 'what?' }, images: { A: [{ S: 'https://example.com/a.png' }, bytes(PNG)] } });
    expect(JSON.stringify(provider.requests.at(-1)!.body)).toMatch(/example\.com\/a\.png.*iVBORw0KGgo=/);
  });

  it.each<[string, ValueMap]>([
    ['give a prompt or messages', {}],
    ['not both', { prompt: { S: 'a' }, messages: { A: [{ M: {} }] } }],
    ['messages.0: role must be user or assistant', { messages: { A: [{ M: { role: { S: 'system' } } }] } }],
    ['messages.0: ', { messages: { A: [{ S: 'a' }] } }],
    ['the role of the last message', { messages: { A: [{ M: { role: { S: 'assistant' }, content: { S: 'a' } } }] } }],
    ['images.0: must be an http or https address', {
      prompt: { S: 'a' },
      images: { A: [{ S: 'file:///etc/passwd' }] },
    }],
    ['images.0: must be an address, or', { prompt: { S: 'a' }, images: { A: [bytes(Uint8Array.of(1, 2))] } }],
  ])('fails with: %s', async (message, inputs) => {
    await expect(ask(inputs)).rejects.toThrow(message);
  });

  it('gives an answer in the form of a schema', async () => {
    provider.will({ text: '{"total": 3}' });
    expect(await ask({ prompt: { S: 'a' } }, { response_schema: SCHEMA })).toMatchObject({
      structured: { M: { total: { U: '3' } } },
      usage: { M: { requests: { U: '1' } } },
    });
  });

  it('gives a wrong answer back to the model once, with its fault', async () => {
    provider.will({ text: '{"total": "three"}' }, { text: '{"total": 3}' });
    expect(await ask({ prompt: { S: 'a' } }, { response_schema: SCHEMA })).toEqual({
      text: { S: '{"total": 3}' },
      structured: { M: { total: { U: '3' } } },
      usage: { M: { requests: { U: '2' }, input_tokens: { U: '22' }, output_tokens: { U: '14' } } },
      finish_reason: { S: 'stop' },
    });
    expect(lastText(provider.requests.at(-1)!.body)).toContain('total: must be of the type integer');
  });

  it('fails after two wrong answers, and asks no third time', async () => {
    const before = provider.requests.length;
    provider.will({ text: 'three' }, { text: '{"total": ', finish: 'length' });
    await expect(ask({ prompt: { S: 'a' } }, { response_schema: SCHEMA }))
      .rejects.toThrow(/^model_answer_invalid: .*it was cut off/);
    expect(provider.requests.length).toBe(before + 2);
  });

  it('leaves structured unset if the model refuses', async () => {
    provider.will({ text: 'No.', finish: 'refusal' });
    const outputs = await ask({ prompt: { S: 'a' } }, { response_schema: SCHEMA });
    expect(outputs).toMatchObject({ text: { S: 'No.' }, finish_reason: { S: 'refusal' } });
    expect(outputs).not.toHaveProperty('structured');
  });

  it('takes the model, its address and the connection from the form only', async () => {
    const wrong = { base_url: { S: 'http://127.0.0.1:1' }, model: { S: 'other' }, connection: { S: 'stolen' } };
    await ask({ prompt: { S: 'a' }, ...wrong });
    expect(provider.requests.at(-1)!.body['model']).toBe('m');
  });
});
