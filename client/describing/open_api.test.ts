import { expect, it } from 'vitest';
import { makeModule } from '../../runner/described/openapi/index.ts';
import { runNode } from '../../tests/support/node_call.ts';
import type { HttpRequest } from '../../runner/engine/node.ts';
import type { FrozenDefinition } from '../../types/flow.ts';
import { describeOpenApi } from './open_api.ts';

const document = (operation: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '2' },
  servers: [{ url: 'https://{region}.shop.example/v1/', variables: { region: { default: 'eu' } } }],
  paths: { '/orders/{id}': { post: { operationId: 'send', ...operation } } },
  ...more,
});

const one = (operation: object, more?: object) => {
  const { definitions, refused } = describeOpenApi(JSON.stringify(document(operation, more)));
  return { definition: definitions[0], reason: refused[0]?.reason };
};

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

it('makes inputs of parameters and members, outputs of the answer, and a request that the adapter sends', async () => {
  const { definition } = one({
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } },
      { name: 'id', in: 'query', schema: { type: 'array' }, explode: false },
      { name: 'x-at', in: 'header', schema: { type: 'number' } },
    ],
    requestBody: { required: true, ...json({ $ref: '#/components/schemas/Order' }) },
    responses: {
      404: {},
      201: json({ properties: { status: { type: 'string' }, file: { type: 'string', format: 'byte' } } }),
    },
  }, {
    components: {
      schemas: {
        Order: {
          allOf: [
            { $ref: '#/components/schemas/Base' },
            { required: ['id', 'undescribed', 'made'], properties: { id: { type: 'boolean' } } },
          ],
        },
        Base: { type: 'object', properties: { total: { type: ['number', 'null'] }, made: { readOnly: true } } },
      },
    },
  });
  expect(definition!.targets.map(({ name, type_bounds: [type], required }) => [name, type, required])).toEqual([
    ['id', 'u64', true],
    ['id_query', 'array', false],
    ['x-at', 'decimal', false],
    ['total', 'decimal', false],
    ['id_body', 'bool', true],
    ['undescribed', 'free', false],
  ]);
  expect(definition!.sources.map(({ name, type }) => [name, type])).toEqual([
    ['status', 'u64'],
    ['headers', 'object'],
    ['body', 'free'],
    ['status_body', 'string'],
    ['file', 'bytes'],
  ]);
  expect(definition!.data).toMatchObject({ node_id: 'send', version: '2', effects: 'once', tags: ['Shop'] });
  const sent: HttpRequest[] = [];
  const http = {
    request: async (request: HttpRequest) => {
      sent.push(request);
      return { status: 201, headers: { 'content-type': 'application/json' }, body: new TextEncoder().encode('{}') };
    },
  };
  // SAFETY: a frozen definition has the same members.
  const module = makeModule(definition as unknown as FrozenDefinition);
  await runNode(module, { id: { U: '7' }, id_query: { A: [{ S: 'a' }, { S: 'b' }] }, id_body: { B: true } }, { http });
  expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://eu.shop.example/v1/orders/7?id=a,b' });
  expect(new TextDecoder().decode(await sent[0]!.makeBody!())).toBe('{"id":true}');
});

it('headers that OpenAPI ignores are no inputs, in any case of their letters', () => {
  const parameters = ['Accept', 'content-type', 'AUTHORIZATION', 'x-own'].map((name) => ({ name, in: 'header' }));
  expect(one({ parameters }).definition!.targets.map(({ name }) => name)).toEqual(['x-own']);
});

it('fields of a form are written as the document says', async () => {
  const schema = { properties: Object.fromEntries(['meta', 'tags', 'ids', 'plain', 'data'].map((name) => [name, {}])) };
  const encoding = { meta: { style: 'deepObject' }, tags: { explode: false }, ids: { style: 'pipeDelimited' } };
  const { definition } = one({
    parameters: [{ name: 'id', in: 'path' }],
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema, encoding } } },
  });
  let body = '';
  const http = {
    request: async ({ makeBody }: HttpRequest) => {
      body = new TextDecoder().decode(await makeBody!());
      return { status: 204, headers: {}, body: new Uint8Array() };
    },
  };
  const list = { A: [{ S: 'a,b' }, { U: '1' }] };
  const map = { M: { k: { S: 'v' }, inner: { M: { list } } } };
  // SAFETY: a frozen definition has the same members.
  const module = makeModule(definition as unknown as FrozenDefinition);
  await runNode(module, { id: { S: 'x' }, meta: map, tags: list, ids: list, plain: list, data: map }, {
    http,
    formData: { server: 'https://a.example' },
  });
  expect(body.split('&')).toEqual([
    'meta%5Bk%5D=v',
    'meta%5Binner%5D%5Blist%5D%5B0%5D=a%2Cb',
    'meta%5Binner%5D%5Blist%5D%5B1%5D=1',
    'tags=a%2Cb,1',
    'ids=a%2Cb%7C1',
    'plain=a%2Cb',
    'plain=1',
    'data=%7B%22k%22%3A%22v%22%2C%22inner%22%3A%7B%22list%22%3A%5B%22a%2Cb%22%2C1%5D%7D%7D',
  ]);
});

it('takes the first server with an absolute address, and bytes by their encoding', () => {
  const servers = [{ url: '/v1' }, { url: 'https://b.example' }];
  const schema = { properties: { file: { type: 'string', contentEncoding: 'base64' } } };
  const { definition } = one({ requestBody: json(schema) }, { servers });
  expect(definition!.data.implementation).toMatchObject({ server: { url: 'https://b.example' } });
  expect(definition!.targets).toMatchObject([{ name: 'file', type_bounds: ['bytes'] }]);
});

it('reads Swagger 2.0: its host, forms and files', () => {
  const { definitions } = describeOpenApi({
    swagger: '2.0',
    info: {},
    host: 'a.example',
    basePath: '/b',
    paths: {
      '/up': {
        put: {
          parameters: [
            { in: 'formData', name: 'f', type: 'file' },
            { in: 'formData', name: 'list', type: 'array' },
            { in: 'formData', name: 'multi', type: 'array', collectionFormat: 'multi' },
            { in: 'query', name: 'q', type: 'array' },
          ],
          responses: {},
        },
      },
    },
  });
  expect(definitions[0]!.data).toMatchObject({
    node_id: 'put_up',
    version: '1',
    effects: 'idempotent',
    implementation: {
      server: { url: 'https://a.example/b' },
      parameters: [{ name: 'q', style: 'form', explode: false }],
      body: {
        kind: 'multipart',
        fields: [
          { name: 'f', port: 'f' },
          { name: 'list', port: 'list', style: 'form', explode: false },
          { name: 'multi', port: 'multi', style: 'form', explode: true },
        ],
      },
    },
  });
});

it.each([
  [{ parameters: [{ name: 'c', in: 'cookie' }] }, 'parameters in cookie are not supported'],
  [{ parameters: [{ name: 'c', in: 'path', style: 'matrix' }] }, 'style matrix'],
  [{ parameters: [{ name: 'c', in: 'query', collectionFormat: 'constructor' }] }, 'collectionFormat constructor'],
  [{ parameters: [{ name: 'a\u0007', in: 'query' }] }, 'no printable name'],
  [{ requestBody: { content: { 'application/xml': {} } } }, 'application/xml'],
  [{ parameters: [{ $ref: 'https://a.example/p' }] }, 'another document'],
  [{ parameters: [{ $ref: '#/nowhere' }] }, 'leads nowhere'],
  [{ requestBody: { $ref: '#/components/loop' } }, 'circle'],
  [
    { requestBody: json({ properties: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`p${n}`, {}])) }) },
    '1000',
  ],
  [
    { requestBody: json({ properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`p${n}`, {}])) }) },
    'large',
  ],
])('refuses operation %#', (operation, reason) => {
  const more = { components: { loop: { $ref: '#/components/loop' } } };
  expect(one(operation, more).reason?.slice(0, 500)).toContain(reason);
});

it('hostile schemas end soon: circles, doubling alternatives, patterns and names of prototypes', () => {
  const schemas: { [name: string]: unknown } = {
    Self: { allOf: [{ $ref: '#/components/schemas/Self' }, { $ref: '#/components/schemas/Self' }] },
  };
  for (let n = 0; n < 40; n++) {
    const next = { $ref: `#/components/schemas/D${n + 1}` };
    schemas[`D${n}`] = { anyOf: [next, next], pattern: '(a+)+$' };
  }
  const operation = (name: string) => ({ requestBody: json({ $ref: `#/components/schemas/${name}` }) });
  const begin = performance.now();
  expect(one(operation('Self'), { components: { schemas } }).reason).toContain('too large');
  expect(one(operation('D0'), { components: { schemas } }).definition!.targets).toMatchObject([{ name: 'body' }]);
  const text = JSON.stringify(document(operation('P'), { components: { schemas: { P: { properties: { x: {} } } } } }));
  const { definitions } = describeOpenApi(text.replace('"x":', '"__proto__":'));
  expect(definitions[0]!.targets.map(({ name }) => name)).toEqual(['__proto__']);
  expect(performance.now() - begin).toBeLessThan(5_000);
});

it('reads YAML: numbers as members and versions, texts of dates, and aliases', () => {
  const { definitions, refused } = describeOpenApi(`
openapi: 3.0.3
info: { title: Shop, version: 2026-11-29 }
servers: [{ url: https://shop.example }]
paths:
  /a: &a
    get:
      operationId: a
      responses:
        200: { content: { application/json: { schema: { properties: { on: { type: boolean } } } } } }
  /b: *a
`);
  expect(refused).toEqual([]);
  expect(definitions.map(({ data }) => [data.node_id, data.version])).toEqual([['a', '2026-11-29'], [
    'a_2',
    '2026-11-29',
  ]]);
  expect(definitions[1]!.sources.at(-1)).toEqual({ name: 'on', type: 'bool', optional: true });
});

it('hostile YAML ends soon: aliases that double, name themselves or are too many, and depth', () => {
  const begin = performance.now();
  const head = 'openapi: 3.0.0\ninfo: {}\n';
  const doubling = ['a0: &a0 [x]'];
  for (let n = 1; n < 60; n++) doubling.push(`a${n}: &a${n} [*a${n - 1}, *a${n - 1}]`);
  const inPlaces = ['name', 'in', 'style', 'schema', 'description'].map((place) => {
    const parameter = { name: 'p', in: 'query', style: 'form', schema: {}, description: '', [place]: '$' };
    return `  /${place}: {get: {parameters: [${JSON.stringify(parameter).replace('"$"', '*a59')}]}}`;
  });
  const { refused } = describeOpenApi(`${head}${doubling.join('\n')}\npaths:\n${inPlaces.join('\n')}\n`);
  expect(refused.map(({ reason }) => reason)).toEqual([
    'a parameter or property has no printable name',
    'parameters in unknown are not supported',
    'parameters of style unknown are not supported',
  ]);
  const circle =
    `${head}paths:\n  /a: {get: {requestBody: &b {content: {application/json: {schema: &s {allOf: [*s, *s]}}}}}}`;
  expect(describeOpenApi(circle).refused[0]!.reason).toContain('too large');
  expect(describeOpenApi(`a: &a x\nb: [${'*a,'.repeat(1_001)}]`).refused[0]!.reason).toContain('aliases');
  expect(describeOpenApi('- '.repeat(101)).refused[0]!.reason).toContain('nesting');
  expect(performance.now() - begin).toBeLessThan(5_000);
});

it('hostile amounts end soon: operations that share large parts, equal names, and too many operations', () => {
  const begin = process.cpuUsage();
  const paths = (count: number, operation: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`/${n}`, { get: operation }]));
  const reasons = (json: object) => {
    const { refused } = describeOpenApi({ openapi: '3.0.0', info: {}, ...json });
    return [refused.length, refused.at(-1)?.reason];
  };
  const large = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`p${n}`, {}]));
  const shared = { requestBody: json({ properties: large, required: Object.keys(large) }) };
  expect(reasons({ paths: paths(10_000, shared) })).toEqual([10_000, expect.stringContaining('too large')]);
  const some = Object.fromEntries(Object.entries(large).slice(0, 900));
  const ports = { requestBody: json({ properties: some }) };
  expect(reasons({ paths: paths(10_000, ports) })[1]).toContain('the document is too large');
  const long = { description: 'x'.repeat(8_000_000), operationId: 'same', responses: {} };
  expect(reasons({ paths: paths(20_001, long) })).toEqual([1, 'the document has more than 20000 operations']);
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(45_000);
}, 180_000);

it('a text that is no document, or too large, is refused as a whole', () => {
  expect(describeOpenApi('{').refused).toEqual([{ place: '', reason: 'the document is not JSON' }]);
  expect(describeOpenApi('a: "').refused[0]!.reason).toMatch(/neither JSON nor YAML: .+ in line 1$/);
  expect(describeOpenApi({ openapi: '4.0.0' }).refused[0]!.reason).toContain('not OpenAPI 3.0');
  expect(describeOpenApi(' '.repeat(20 * 1_048_576)).refused[0]!.reason).toContain('16 MiB');
});

it.each([
  [{ type: 'http', scheme: 'Bearer' }, 'A connection of the kind bearer'],
  [{ type: 'http', scheme: 'digest' }, undefined],
  [{ type: 'apiKey', in: 'header', name: 'X-Key' }, 'A connection of the kind header with the header X-Key'],
  [{ type: 'apiKey', in: 'query', name: 'k' }, 'A connection of the kind query with the parameter k'],
  [{ type: 'apiKey', in: 'cookie', name: 'k' }, undefined],
  [{ type: 'oauth2', flows: { clientCredentials: {} } }, 'A connection of the kind oauth2_client_credentials'],
  [{ type: 'oauth2', flows: { authorizationCode: {} } }, 'A connection of the kind oauth2_refresh_token or bearer'],
])('the security scheme %j suggests %j', (scheme, hint) => {
  const { definition } = one({ security: [{ s: [] }] }, { components: { securitySchemes: { s: scheme } } });
  const { properties } = definition!['targets_form.json_schema'] as { properties: Record<string, object> };
  expect(properties.connection).toEqual({ title: 'connection', type: 'string', ...(hint && { description: hint }) });
});

it('the form has a field for each input, and an input never has the name of a setting', () => {
  const parameters = ['server', 'connection', 'n', 'list'].map((name) => ({
    name,
    in: 'query',
    schema: name === 'list' ? { type: 'array' } : { type: 'integer' },
  }));
  const { definition } = one({ parameters });
  const { properties } = definition!['targets_form.json_schema'] as { properties: Record<string, { type?: string }> };
  expect(Object.entries(properties).map(([name, { type }]) => [name, type])).toEqual([
    ['server_query', 'integer'],
    ['connection_query', 'integer'],
    ['n', 'integer'],
    ['list', undefined],
    ['server', 'string'],
    ['connection', 'string'],
  ]);
});

it('only the named operations are described, with the prefix', () => {
  const text = JSON.stringify(document({ responses: {} }));
  const { definitions, refused } = describeOpenApi(text, { only: ['POST /orders/{id}', 'other'], prefix: 'shop_' });
  expect(definitions.map(({ data }) => data.node_id)).toEqual(['shop_send']);
  expect(refused).toEqual([{ place: 'other', reason: 'the description has no such operation' }]);
});
