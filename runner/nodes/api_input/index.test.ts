import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import type { InputWebhook, WantedInput } from '../../engine/node.ts';
import { apiInputNode } from './index.ts';

/** Runs the node and returns the milliseconds for which it asked to wait. */
async function askWith(timeout?: Value): Promise<number> {
  let asked = Number.NaN;
  const askForInput = ({ timeoutMs }: WantedInput) => {
    asked = timeoutMs;
    return Promise.resolve({ S: 'yes' });
  };
  const inputs: ValueMap = timeout === undefined ? {} : { timeout };
  expect(await runNode(apiInputNode, inputs, { askForInput })).toEqual({ value: { S: 'yes' } });
  return asked;
}

it.each<[Value | undefined, number]>([
  [undefined, 604_800_000],
  [{ N: 0 }, 604_800_000],
  [{ U: '1' }, 1_000],
  [{ F: '1.5' }, 1_500],
  [{ D: '90.0' }, 90_000],
  [{ U: '2592000' }, 2_592_000_000],
])('api_input with the timeout %j waits %i ms and outputs the submitted value', async (timeout, asked) => {
  expect(await askWith(timeout)).toBe(asked);
});

it.each<Value>([{ U: '0' }, { F: '0.9' }, { I: '-5' }, { U: '2592001' }, { F: 'inf' }, { F: 'NaN' }])(
  'api_input refuses the timeout %j',
  async (timeout) => {
    await expect(runNode(apiInputNode, { timeout })).rejects.toThrow(
      'timeout: must be a number of seconds from 1 to 2592000',
    );
  },
);

it('api_input refuses a timeout that is no number', async () => {
  await expect(runNode(apiInputNode, { timeout: { S: '60' } })).rejects.toThrow('timeout: invalid type: string');
});

/** Runs the node and returns the webhook that it passed to `askForInput`. */
async function tellWith(inputs: ValueMap): Promise<InputWebhook | undefined> {
  let told: InputWebhook | undefined;
  const askForInput = ({ webhook }: WantedInput) => {
    told = webhook;
    return Promise.resolve({ S: 'yes' });
  };
  await runNode(apiInputNode, inputs, { askForInput });
  return told;
}

const webhook_url = { S: 'https://example.com/hook' };

it('api_input posts to webhook_url only, with its headers by lower-case names and its extra as readable JSON', async () => {
  expect(await tellWith({ extra: { M: { a: { U: '1' } } } })).toBeUndefined();
  expect(await tellWith({ webhook_url })).toEqual({ url: webhook_url.S, headers: {}, extra: {} });
  const webhook_headers = { M: { Authorization: { S: 'Bearer x' }, 'X-A': { S: 'é' } } };
  const extra = { M: { key: { B3: '11111111111111111111111111111111' }, large: { U: '18446744073709551615' } } };
  expect(await tellWith({ webhook_url, webhook_headers, extra })).toEqual({
    url: webhook_url.S,
    headers: { authorization: 'Bearer x', 'x-a': 'é' },
    extra: { key: '11111111111111111111111111111111', large: '18446744073709551615' },
  });
  const pairs = { A: [{ A: [{ S: 'a' }, { S: '1' }] }, { A: [{ S: 'A' }, { S: '2' }] }] };
  expect(await tellWith({ webhook_url, webhook_headers: pairs })).toMatchObject({ headers: { a: '1, 2' } });
});

it.each<[string, ValueMap, string]>([
  ['an address of another protocol', { webhook_url: { S: 'file:///etc/passwd' } }, 'webhook_url: must be an http'],
  ['a malformed address', { webhook_url: { S: 'https://' } }, 'webhook_url: must be an http'],
  ['a long address', { webhook_url: { S: `https://example.com/${'a'.repeat(2_048)}` } }, 'of at most 2048 characters'],
  [
    'a header of the delivery',
    { webhook_url, webhook_headers: { M: { 'Webhook-Id': { S: '1' } } } },
    "webhook-id can't",
  ],
  [
    'the type of the body',
    { webhook_url, webhook_headers: { M: { 'content-type': { S: 'a/b' } } } },
    "content-type can't",
  ],
  ['a line break', { webhook_url, webhook_headers: { M: { a: { S: 'b\r\nc: d' } } } }, '"a" has a malformed'],
  ['many headers', { webhook_url, webhook_headers: { M: { a: { S: 'b'.repeat(8_192) } } } }, 'larger than 8192 bytes'],
  [
    'a large extra',
    { webhook_url, extra: { M: { a: { S: 'é'.repeat(32_768) } } } },
    'extra: is larger than 65536 bytes',
  ],
  ['an extra that is no map', { webhook_url, extra: { S: 'a' } }, 'extra: invalid type: string'],
])('api_input refuses %s', async (_what, inputs, message) => {
  await expect(tellWith(inputs)).rejects.toThrow(message);
});

/** Runs the node and returns the question that it asked. */
async function askedBy(inputs: ValueMap): Promise<unknown> {
  let asked: unknown;
  const askForInput = ({ question }: WantedInput) => {
    asked = question;
    return Promise.resolve({ S: 'yes' });
  };
  await runNode(apiInputNode, inputs, { askForInput });
  return asked;
}

it('api_input asks a question with choices, or with the schema of the answer', async () => {
  expect(await askedBy({})).toBeUndefined();
  expect(await askedBy({ title: { S: '' }, choices: { A: [] }, json_schema: { M: {} } })).toBeUndefined();
  const choices = { A: [{ S: 'yes' }, { S: 'no' }] };
  expect(await askedBy({ title: { S: 'May we pay?' }, description: { S: '120 EUR' }, choices })).toEqual({
    title: 'May we pay?',
    description: '120 EUR',
    json_schema: null,
    choices: ['yes', 'no'],
  });
  const json_schema = { M: { type: { S: 'integer' }, minimum: { U: '1' } } };
  expect(await askedBy({ json_schema })).toMatchObject({ json_schema: { type: 'integer', minimum: 1 }, choices: null });
});

it.each<[string, ValueMap, string]>([
  ['a long title', { title: { S: 'é'.repeat(201) } }, 'bad_config: title: has more than 200 characters'],
  ['a choice that is no text', { choices: { A: [{ U: '1' }] } }, 'bad_config: choices: must be a list'],
  ['the same choice twice', { choices: { A: [{ S: 'a' }, { S: 'a' }] } }, 'bad_config: choices: must be a list'],
  ['a pattern', { json_schema: { M: { pattern: { S: 'a' } } } }, 'bad_config: json_schema.pattern: this keyword'],
  [
    'a large schema',
    { json_schema: { M: { title: { S: 'a'.repeat(8_192) } } } },
    'bad_config: json_schema: is larger than 8192 bytes',
  ],
  [
    'choices and a schema',
    { choices: { A: [{ S: 'a' }] }, json_schema: { M: { type: { S: 'string' } } } },
    'bad_config: choices: give either',
  ],
])('api_input refuses %s', async (_what, inputs, message) => {
  await expect(askedBy(inputs)).rejects.toThrow(message);
});
