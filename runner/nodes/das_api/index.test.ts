import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { makeHttpClient } from '../../reach/http_client.ts';
import { HTTP_LIMITS } from '../../../tests/support/http_limits.ts';
import { effectsWith, publishedEffects } from '../../engine/node.ts';
import { dasApiNode } from './index.ts';

/** The requests that the server received. */
let requests: string[];
/** The next answers of the server: JSON-RPC text, or a status without a body. */
let answers: (string | number)[];

const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
  const body = Buffer.concat(await request.toArray()).toString();
  requests.push(`${request.method} ${request.headers['content-type']} ${body}`);
  const answer = answers.shift() ?? '{"jsonrpc":"2.0","result":null,"id":"1"}';
  if (typeof answer === 'number') response.writeHead(answer).end();
  else response.setHeader('content-type', 'application/json').end(answer);
});

let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?api-key=secret`;
});
beforeEach(() => {
  requests = [];
  answers = [];
});
afterAll(() => server.close());

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });

const run = async (inputs: ValueMap) =>
  (await runNode(dasApiNode, { url: { S: url }, method: { S: 'getAsset' }, params: { M: {} }, ...inputs }, { http }))
    .response;

it('das_api calls the method with its parameters and outputs the whole answer with all digits', async () => {
  answers = ['{"jsonrpc":"2.0","result":{"supply":18446744073709551615,"price":0.10,"burnt":false},"id":"mine"}'];
  const params: Value = {
    M: { id: { S: 'F9Lw3ki3hJ7PF9HQXsBzoY8GyE6sPoEZZdXJBsTTD2rk' }, page: { U: '18446744073709551615' } },
  };
  expect(await run({ id: { S: 'mine' }, params })).toEqual({
    M: {
      jsonrpc: { S: '2.0' },
      result: { M: { supply: { U: '18446744073709551615' }, price: { D: '0.10' }, burnt: { B: false } } },
      id: { S: 'mine' },
    },
  });
  expect(requests).toEqual([
    'POST application/json {"jsonrpc":"2.0","id":"mine","method":"getAsset",' +
    '"params":{"id":"F9Lw3ki3hJ7PF9HQXsBzoY8GyE6sPoEZZdXJBsTTD2rk","page":18446744073709551615}}',
  ]);
});

it('das_api accepts a list of parameters, and null as id', async () => {
  await run({ method: { S: 'a "quoted" method' }, params: { A: [{ U: '1' }, { N: 0 }] }, id: { N: 0 } });
  expect(JSON.parse(requests[0]!.replace(/^POST application\/json /, ''))).toEqual({
    jsonrpc: '2.0',
    id: '1',
    method: 'a "quoted" method',
    params: [1, null],
  });
});

it('das_api fails with the error of the server, without its address', async () => {
  answers = ['{"jsonrpc":"2.0","error":{"code":-32000,"message":"Asset Not Found"},"id":"1"}', 403, 'no json'];
  await expect(run({})).rejects.toThrow(/^Asset Not Found \(code -32000\)$/);
  await expect(run({})).rejects.toThrow(/^getAsset: the RPC server answers with status 403$/);
  await expect(run({})).rejects.toThrow(/^getAsset: the answer is not JSON-RPC$/);
});

it('das_api refuses answers that are too large, nested too deeply or of too many values', async () => {
  const answer = (result: string) => `{"jsonrpc":"2.0","id":"1","result":${result}}`;
  answers = [answer(`"${'x'.repeat(1_048_577)}"`), answer('['.repeat(9_000)), answer(`[${'1,'.repeat(200_000)}1]`)];
  await expect(run({})).rejects.toThrow(/^the response is larger than 1048576 bytes$/);
  await expect(run({})).rejects.toThrow(/^getAsset: the answer is nested deeper than 128 levels$/);
  await expect(run({})).rejects.toThrow(/^getAsset: the answer holds more than 125000 values$/);
});

it('das_api repeats only reads that fail temporarily', async () => {
  answers = [503];
  expect(await run({})).toMatchObject({ M: { result: { N: 0 } } });
  expect(requests).toHaveLength(2);
  answers = [503];
  await expect(run({ method: { S: 'sendTransaction' } })).rejects.toThrow('sendTransaction: the RPC server answers');
  expect(requests).toHaveLength(3);
});

it('das_api builds the body of its request only when the request is sent', async () => {
  const bodies: unknown[] = [];
  const request: typeof http.request = (given) => {
    bodies.push(given.body);
    expect(new TextDecoder().decode(given.makeBody?.() as Uint8Array)).toContain('"params":{}}');
    return http.request(given);
  };
  await runNode(dasApiNode, { url: { S: url }, method: { S: 'getAsset' }, params: { M: {} } }, { http: { request } });
  expect(bodies).toEqual([undefined]);
});

it('das_api may be repeated if its method only reads', () => {
  const effects = (method: Value) => effectsWith(dasApiNode, { method });
  expect(['getAsset', 'GetAssetProof', 'searchAssets'].map((text) => effects({ S: text }))).toEqual(
    Array(3).fill('none'),
  );
  expect([{ S: 'sendTransaction' }, { N: 0 } as const].map(effects)).toEqual(['once', 'once']);
  expect(publishedEffects(dasApiNode)).toBe('once');
});

it.each<[string, ValueMap]>([
  ['url: invalid type: unit value, expected a string', { url: { N: 0 } }],
  ['the URL is malformed', { url: { S: 'devnet' } }],
  ['params: must be a map or a list', { params: { S: 'x' } }],
])('das_api refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(run(inputs)).rejects.toThrow(message);
  expect(requests).toEqual([]);
});

it('das_api needs an address, a method and parameters, and reaches public networks only', async () => {
  const whole = { url: { S: url }, method: { S: 'getAsset' }, params: { M: {} } };
  for (const name of ['url', 'method', 'params']) {
    const rest = Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name));
    await expect(runNode(dasApiNode, rest, { http })).rejects.toThrow(`missing field \`${name}\``);
  }
  await expect(runNode(dasApiNode, whole, { http: makeHttpClient(HTTP_LIMITS) })).rejects.toThrow(
    'IP address not allowed: 127.0.0.1',
  );
});
