import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executeFlow } from '../../../tests/support/execute_flow.ts';
import { FlowBuilder } from '../../../tests/support/flow_builder.ts';
import { HTTP_LIMITS } from '../../../tests/support/http_limits.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import type { OpenApiImplementation } from '../../../types/described/openapi.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import type { LosslessJson, Value, ValueMap } from '../../../types/values/value.ts';
import { makeHttpClient } from '../../reach/http_client.ts';
import { TransientError } from '../../engine/failures/transient_error.ts';
import { makeModule } from './index.ts';

/** The requests that the server received. */
let received: { method: string; url: string; headers: { [name: string]: unknown }; body: string }[] = [];
let base: string;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (url.startsWith('/busy')) {
      return void response.writeHead(429, { 'retry-after': '7', 'content-type': 'text/plain' }).end('too many');
    }
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end('{"id": 12345678901234567890, "file": "AQID", "status": "paid"}');
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });

const operation = (more: Partial<OpenApiImplementation> = {}): OpenApiImplementation => ({
  method: 'POST',
  path: '/charges',
  parameters: [],
  outputs: [],
  accept: ['application/json'],
  ...more,
});

const frozen = (
  implementation: unknown,
  { effects = 'once', sources = [], targets = [] }: Partial<Pick<FrozenDefinition, 'sources' | 'targets'>> & {
    effects?: string;
  } = {},
): FrozenDefinition => ({
  type: 'openapi',
  data: { node_id: 'charge', version: '1', effects, implementation: implementation as LosslessJson },
  sources,
  targets,
});

async function run(
  implementation: OpenApiImplementation,
  inputs: ValueMap = {},
  formData: { [name: string]: LosslessJson } = {},
  sources: FrozenDefinition['sources'] = [],
): Promise<ValueMap> {
  received = [];
  const definition = frozen({ server: { url: base }, ...implementation }, { sources });
  return await runNode(makeModule(definition), inputs, { http, formData });
}

const at = (place: 'path' | 'query' | 'header', name: string, style: string, explode: boolean) =>
  ({ port: name, name, in: place, style, explode }) as OpenApiImplementation['parameters'][number];
const LIST = { A: [{ S: 'a b' }, { U: '1' }] };
const MAP = { M: { k: { S: 'v&' }, n: { D: '1.50' } } };

describe('parameters', () => {
  it.each(
    [
      ['path', 'simple', false, LIST, '/x/a%20b,1'],
      ['path', 'simple', false, MAP, '/x/k,v%26,n,1.50'],
      ['path', 'simple', true, MAP, '/x/k=v%26,n=1.50'],
      ['path', 'simple', false, { S: 'a/../b' }, '/x/a%2F..%2Fb'],
      ['query', 'form', true, LIST, '/x/?p=a%20b&p=1'],
      ['query', 'form', false, LIST, '/x/?p=a%20b,1'],
      ['query', 'form', true, MAP, '/x/?k=v%26&n=1.50'],
      ['query', 'form', false, MAP, '/x/?p=k,v%26,n,1.50'],
      ['query', 'spaceDelimited', false, LIST, '/x/?p=a%20b%201'],
      ['query', 'pipeDelimited', false, LIST, '/x/?p=a%20b%7C1'],
      ['query', 'deepObject', true, MAP, '/x/?p%5Bk%5D=v%26&p%5Bn%5D=1.50'],
      ['query', 'deepObject', true, LIST, '/x/?p%5B0%5D=a%20b&p%5B1%5D=1'],
      ['query', 'json', false, MAP, '/x/?p=%7B%22k%22%3A%22v%26%22%2C%22n%22%3A1.50%7D'],
      [
        'query',
        'form',
        true,
        { U1: '340282366920938463463374607431768211455' },
        '/x/?p=340282366920938463463374607431768211455',
      ],
      ['query', 'form', true, { N: 0 }, '/x/'],
      ['query', 'form', true, { S: '' }, '/x/?p='],
    ] as const,
  )('%s %s, explode %s: %j becomes %s', async (place, style, explode, value, url) => {
    const path = place === 'path' ? '/x/{p}' : '/x/';
    await run(operation({ path, parameters: [at(place, 'p', style, explode)] }), { p: value as never });
    expect(received.map((request) => request.url)).toEqual([url]);
  });

  it('headers are not encoded', async () => {
    await run(operation({ parameters: [at('header', 'x-list', 'simple', false)] }), { 'x-list': LIST });
    expect(received[0]!.headers['x-list']).toBe('a b,1');
  });

  it.each(['.', '..', '%2e%2E'])('a path parameter can not make the segment %s', async (text) => {
    const encoded = text.startsWith('%');
    const implementation = operation({
      path: encoded ? `/x/${text}/{p}` : '/x/{p}/y',
      parameters: [at('path', 'p', 'simple', false)],
    });
    await expect(run(implementation, { p: { S: text } })).rejects.toThrow('makes a segment . or ..');
    expect(received).toEqual([]);
  });
});

describe('bodies', () => {
  const fields = [{ port: 'amount', name: 'amount' }, { port: 'id_body', name: 'id' }];

  it('members of a JSON body are inputs, and numbers keep their digits', async () => {
    const body = { kind: 'json', type: 'application/json', required: true, fields } as const;
    await run(operation({ body }), {
      amount: { D: '0.1000000000000000000000000001' },
      id_body: { U: '18446744073709551615' },
    });
    expect(received[0]).toMatchObject({ body: '{"amount":0.1000000000000000000000000001,"id":18446744073709551615}' });
    await run(operation({ body }));
    expect(received[0]!.body).toBe('{}');
  });

  it('a body without values is left out unless it is required', async () => {
    await run(operation({ body: { kind: 'json', type: 'application/json', required: false, fields } }));
    expect(received[0]!.body).toBe('');
    expect(received[0]!.headers['content-type']).toBeUndefined();
  });

  it('forms, texts, bytes and files are sent in their own form', async () => {
    const body = (kind: 'form' | 'multipart' | 'text' | 'bytes', type: string) => ({ kind, type, required: true });
    await run(operation({ body: { ...body('form', 'application/x-www-form-urlencoded'), fields } }), { amount: LIST });
    expect(received[0]!.body).toBe('amount=a%20b&amount=1');
    await run(operation({ body: { ...body('text', 'text/plain'), port: 'body' } }), { body: { S: 'grüße' } });
    expect(received[0]!.body).toBe('grüße');
    await run(operation({ body: { ...body('bytes', 'image/png'), port: 'body' } }), { body: { BY: 'QUI=' } });
    expect(received[0]).toMatchObject({ body: 'AB', headers: { 'content-type': 'image/png' } });
    await run(operation({ body: { ...body('multipart', 'multipart/form-data'), fields } }), { amount: { BY: 'QUI=' } });
    expect(received[0]!.body).toContain('name="amount"; filename="amount"');
    const joined = [{ port: 'amount', name: 'amount', style: 'pipeDelimited', explode: false } as const];
    await run(operation({ body: { ...body('multipart', 'multipart/form-data'), fields: joined } }), { amount: LIST });
    expect(received[0]!.body).toContain('name="amount"\r\n\r\na b|1\r\n');
  });

  it.each([32, 64])('%i bytes on an input of bytes are base64, and a key elsewhere is base58', async (length) => {
    received = [];
    const value = { [length === 32 ? 'B3' : 'B6']: '1'.repeat(length) } as Value;
    const implementation = operation({
      server: { url: base },
      body: { kind: 'json', type: 'application/json', required: true, fields },
    });
    const targets = [{ name: 'amount', type_bounds: ['bytes'] }, { name: 'id_body', type_bounds: ['string'] }];
    await runNode(makeModule(frozen(implementation, { targets })), { amount: value, id_body: value }, { http });
    expect(JSON.parse(received[0]!.body)).toEqual({
      amount: Buffer.alloc(length).toString('base64'),
      id: '1'.repeat(length),
    });
  });

  it('a required body without a value is an error', async () => {
    const body = { kind: 'json', type: 'application/json', required: true, port: 'body' } as const;
    await expect(run(operation({ body }))).rejects.toThrow('missing field `body`');
  });
});

it('gives status, headers, body and its members, with all digits', async () => {
  const outputs = [{ port: 'id', name: 'id' }, { port: 'file', name: 'file' }, { port: 'status_body', name: 'status' }];
  const made = await run(operation({ outputs }), {}, {}, [{ name: 'file', type: 'bytes' }]);
  expect(made).toMatchObject({
    status: { U: '201' },
    id: { U: '12345678901234567890' },
    file: { BY: 'AQID' },
    status_body: { S: 'paid' },
    headers: { M: { 'content-type': { S: 'application/json' } } },
  });
});

it('a failure has the status, the message and the time to wait', async () => {
  const failed = run(operation({ path: '/busy' })).catch((error: unknown) => error);
  expect(await failed).toBeInstanceOf(TransientError);
  expect(await failed).toMatchObject({ message: 'status code: 429\ntoo many', transience: { retryAfterMs: 7_000 } });
});

describe('the server', () => {
  it('comes from the form data, else from the definition, and never from inputs', async () => {
    const own = { server: { url: 'http://{host}/v1/', variables: { host: 'nowhere.invalid' } } };
    await run(operation(own), { server: { S: 'http://other.invalid' } }, { server_variables: { host: base.slice(7) } });
    expect(received[0]!.url).toBe('/v1/charges');
    await run(operation(own), {}, { server: `${base}/v2` });
    expect(received[0]!.url).toBe('/v2/charges');
  });

  it.each([
    ['/v1', 'an absolute http or https address'],
    ['ftp://a.example', 'an absolute http or https address'],
    ['http://a.example?x=1', 'no query'],
    ['http://{constructor}.example', 'server_variables must have a text "constructor"'],
  ])('%s is refused', async (url, message) => {
    await expect(run(operation({ server: { url } }))).rejects.toThrow(message);
  });

  it('is required if the description names none', async () => {
    const definition = frozen(operation());
    await expect(runNode(makeModule(definition), {}, { http })).rejects.toThrow('must have one as server');
  });
});

describe('in a flow', () => {
  const HASH = 'ab'.repeat(32);

  it('runs the frozen definition, and fails without one or with an invalid one', async () => {
    const flow = new FlowBuilder();
    const made = flow.node('charge', { type: 'openapi', outputs: ['status'] });
    flow.nodes.at(-1)!.data.definition = HASH;
    const output = flow.node('flow_output', { inputs: ['status'], form: { label: 'status' } });
    flow.connect(made.output('status'), output.input('status'));
    const sources = [{ name: 'status', type: 'u64' }];
    const execute = (definition?: FrozenDefinition) =>
      executeFlow(flow, {}, {
        services: { http },
        ...(definition && { definitions: { [HASH]: definition } }),
      });
    const valid = frozen({ ...operation(), server: { url: base } }, { sources });
    const succeeded = await execute(valid);
    expect(succeeded).toMatchObject({ status: 'succeeded', output: { M: { status: { U: '201' } } } });
    const invalid = await execute(frozen({ ...operation(), method: 'EAT' }, { sources }));
    expect(JSON.stringify(invalid.errors)).toContain('definition_invalid');
    const missing = await execute();
    expect(JSON.stringify(missing.errors)).toContain('node_not_implemented');
  });
});
