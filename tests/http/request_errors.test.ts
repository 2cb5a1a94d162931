import { beforeAll, describe, expect, inject, it } from 'vitest';
import { openapiDocument } from '../../dev/docs/openapi.ts';
import { textFlow } from '../support/flow_builder.ts';
import { adapter } from '../support/keypairs.ts';
import { call, deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { accessToken } from '../support/tokens.ts';

let owner: Person;
let deploymentId: string;

beforeAll(async () => {
  owner = await signUp();
  deploymentId = await deploy(owner, await storeFlow(owner, textFlow()));
});

/** The part of the API's description that lists the queries. */
interface Described {
  paths: Record<string, Record<string, { parameters?: { $ref: string }[] }>>;
  components: { parameters: Record<string, { name: string; in: string }> };
}

interface Case {
  says: string;
  path: string;
  init?: RequestInit;
  status: number;
  code: string;
  detail?: object;
}

const json = (body: string): RequestInit => ({ body, headers: { 'content-type': 'application/json' } });

const deep = (levels: number): string => '{"A":['.repeat(levels) + ']}'.repeat(levels);

const cases: Case[] = [
  { says: 'an unknown route', path: 'flow/nothing', status: 404, code: 'route_not_found' },
  { says: 'the runner without its key', path: 'runner', status: 404, code: 'route_not_found' },
  {
    says: 'a wrong method',
    path: 'deployment/start?flow=1',
    init: { method: 'GET' },
    status: 405,
    code: 'method_not_allowed',
  },
  {
    says: 'a flow id that is not an integer',
    path: 'flow/deploy/abc',
    status: 400,
    code: 'request_invalid',
    detail: { path: 'flow_id' },
  },
  {
    says: 'a flow id out of range',
    path: 'flow/deploy/2147483648',
    status: 400,
    code: 'request_invalid',
    detail: { path: 'flow_id' },
  },
  {
    says: 'a deployment id that is not a UUID',
    path: 'deployment/start?id=5',
    status: 400,
    code: 'request_invalid',
    detail: { path: 'id' },
  },
  {
    says: 'a tag that can be none',
    path: 'deployment/start?flow=1&tag=.x',
    status: 400,
    code: 'request_invalid',
    detail: { path: 'tag' },
  },
  ...['id=x&id=x', 'flow=4&flow=2', 'flow=4&tag=a&tag=a', 'flow=&flow=4'].map((query): Case => ({
    says: `a target named by ${query}`,
    path: `deployment/start?${query}`,
    status: 400,
    code: 'request_invalid',
    detail: { path: query.slice(query.lastIndexOf('&') + 1).split('=')[0], message: 'is given more than once' },
  })),
  ...['output', 'signature_request'].map((route): Case => ({
    says: `two times to wait for the ${route}`,
    path: `flow/${route}/00000000-0000-7000-8000-000000000000?wait=1&wait=2`,
    init: { method: 'GET' },
    status: 400,
    code: 'request_invalid',
    detail: { path: 'wait', message: 'is given more than once' },
  })),
  {
    says: 'a misspelt tag, which would start latest',
    path: 'deployment/start?flow=1&tga=stable',
    status: 400,
    code: 'request_invalid',
    detail: { path: 'tga', message: 'there is no such parameter; the parameters are id, flow, tag' },
  },
  {
    says: 'a parameter of a long name',
    path: `deployment/start?flow=1&${'x'.repeat(5_000)}=1`,
    status: 400,
    code: 'request_invalid',
    detail: { path: `${'x'.repeat(100)}…` },
  },
  { says: 'neither id nor flow', path: 'deployment/start', status: 400, code: 'start_target_ambiguous' },
  {
    says: 'a body of another type',
    path: 'deployment/start?flow=1',
    init: { body: 'a=1', headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 'media_type_unsupported',
  },
  {
    says: 'malformed JSON',
    path: 'deployment/start?flow=1',
    init: json('{"inputs": '),
    status: 400,
    code: 'request_invalid',
  },
  {
    says: 'a body that is not UTF-8',
    path: 'deployment/start?flow=1',
    init: { body: new Uint8Array([0x7b, 0xff, 0x7d]), headers: { 'content-type': 'application/json' } },
    status: 400,
    code: 'request_invalid',
  },
  {
    says: 'an unknown member',
    path: 'deployment/start?flow=1',
    init: json('{"input": {}}'),
    status: 400,
    code: 'request_invalid',
    detail: {
      path: 'input',
      message: 'there is no such member; the members are inputs, values, action_signer, priority',
    },
  },
  {
    says: 'a member that the body does not have',
    path: 'flow/deploy/1',
    init: json('{"flow": 1}'),
    status: 400,
    code: 'request_invalid',
    detail: { path: 'flow', message: 'there is no such member; the members are settings_from' },
  },
  {
    says: 'an unknown member of a long name',
    path: 'wallets/upsert',
    init: json(`{"type": "ADAPTER", "name": "", "public_key": "${'1'.repeat(32)}", "${'x'.repeat(500_000)}": 1}`),
    status: 400,
    code: 'request_invalid',
    detail: {
      path: `${'x'.repeat(100)}…`,
      message: 'there is no such member; the members are type, user_id, name, public_key, keypair',
    },
  },
  {
    says: 'inputs that are not an object',
    path: 'deployment/start?flow=1',
    init: json('{"inputs": []}'),
    status: 400,
    code: 'request_invalid',
    detail: { path: 'inputs' },
  },
  {
    says: 'an untagged input',
    path: 'deployment/start?flow=1',
    init: json('{"inputs": {"a": 5}}'),
    status: 400,
    code: 'request_invalid',
    detail: { path: 'inputs.a' },
  },
  {
    says: 'an unknown tag',
    path: 'deployment/start?flow=1',
    init: json('{"inputs": {"a": {"X": "1"}}}'),
    status: 400,
    code: 'request_invalid',
    detail: { path: 'inputs.a' },
  },
  {
    says: 'a number out of range',
    path: 'deployment/start?flow=1',
    init: json('{"inputs": {"a": {"A": [{"U": "18446744073709551616"}]}}}'),
    status: 400,
    code: 'request_invalid',
    detail: { path: 'inputs.a.A.0.U' },
  },
  {
    says: 'a text with NUL',
    path: 'deployment/start?flow=1',
    init: json('{"inputs": {"a": {"S": "\\u0000"}}}'),
    status: 400,
    code: 'request_invalid',
    detail: { path: 'inputs.a.S' },
  },
  {
    says: 'a lone surrogate',
    path: 'deployment/start?flow=1',
    init: json('{"action_signer": "\\ud800"}'),
    status: 400,
    code: 'request_invalid',
  },
  {
    says: 'values nested too deeply',
    path: 'deployment/start?flow=1',
    init: json(`{"inputs": {"a": ${deep(65)}}}`),
    status: 400,
    code: 'request_invalid',
  },
  {
    says: 'a body over 1 MiB',
    path: 'deployment/start?flow=1',
    init: json(`{"inputs": {"a": {"S": "${'x'.repeat(1_048_576)}"}}}`),
    status: 413,
    code: 'body_too_large',
  },
];

describe('an invalid request', () => {
  it.each(cases)('answers $status $code to $says', async ({ path, init, status, code, detail }) => {
    const response = await call(path, { token: owner.token, ...init });
    const body = await response.json();
    expect([response.status, body.code]).toEqual([status, code]);
    expect(Object.keys(body).toSorted()).toEqual(['code', 'details', 'error', 'hint', 'message']);
    expect(body.error).toBe(body.message);
    expect(body.message).not.toMatch(/\bat .*:\d+|Error:/);
    if (detail !== undefined) expect(body.details[0]).toMatchObject(detail);
  });

  it.each([
    ['x-api-key', 'fk_\xe9\xff', 'api_key_invalid'],
    ['authorization', 'Bearer fk_\xe9\xff', 'api_key_invalid'],
    ['x-flow-run-token', 'fr_\xe9\xff', 'token_invalid'],
    ['authorization', 'Bearer fr_\xe9\xff', 'token_invalid'],
  ])('answers 401 to a credential in %s that is not UTF-8: %j: %s', async (header, credential, code) => {
    const response = await call(`deployment/start?id=${deploymentId}`, { headers: { [header]: credential } });
    expect([response.status, (await response.json()).code]).toEqual([401, code]);
  });

  it.each([
    [
      'authorization',
      'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOi',
      'token_invalid',
      /^The access token is malformed: it must be three parts/,
    ],
    [
      'authorization',
      'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.',
      'token_invalid',
      /^The access token is not valid: it is cut off/,
    ],
    [
      'x-api-key',
      `fk_${'A'.repeat(42)}`,
      'api_key_invalid',
      /^The API key is malformed: it must be fk_ and 43 .* has 45 characters\.$/,
    ],
    ['x-api-key', 'fk_$', 'api_key_invalid', /^The API key is malformed: after fk_ /],
    ['x-api-key', `fk_${'A'.repeat(43)}`, 'api_key_invalid', /^The API key is not valid: /],
    [
      'authorization',
      `Bearer fr_${'A'.repeat(63)}`,
      'token_invalid',
      /^The run token is malformed: it must be fr_ and 64 .* has 66 characters\.$/,
    ],
    ['x-flow-run-token', `fr_${'A'.repeat(64)}`, 'token_invalid', /^The run token is not valid: /],
    [
      'authorization',
      'z'.repeat(44),
      'token_invalid',
      /^The public key is malformed: it must be base58 of 32 bytes\.$/,
    ],
    ['authorization', 'Bearer secret', 'token_invalid', /^The credential is neither an access token, /],
  ])(
    'names the kind of the credential in %s, %s, and the right form of this kind',
    async (header, credential, code, message) => {
      const response = await call(`deployment/start?id=${deploymentId}`, { headers: { [header]: credential } });
      const body = await response.json();
      expect([response.status, body.code]).toEqual([401, code]);
      expect(body.message).toMatch(message);
      expect(JSON.stringify(body)).not.toContain(credential.replace('Bearer ', ''));
    },
  );

  it.each(['', ' ', ' \t '])(
    'answers 400 idempotency_key_invalid to a start with the Idempotency-Key %j',
    async (key) => {
      const flow = await storeFlow(owner, textFlow());
      for (const path of [`deployment/start?id=${deploymentId}`, `flow/start/${flow}`]) {
        const response = await call(path, { token: owner.token, headers: { 'idempotency-key': key } });
        expect([response.status, (await response.json()).code]).toEqual([400, 'idempotency_key_invalid']);
      }
    },
  );

  it('refuses the service role with the same message for both generations of keys', async () => {
    const { SECRET_KEY, SERVICE_ROLE_KEY } = inject('stack');
    for (const path of ['flow/deploy/1', `deployment/start?id=${deploymentId}`]) {
      const answers = await Promise.all([SECRET_KEY, SERVICE_ROLE_KEY].map(async (token) => {
        const response = await call(path, { token });
        return [response.status, await response.json()];
      }));
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]).toMatchObject([401, {
        code: 'token_invalid',
        message: expect.stringContaining('service role'),
      }]);
    }
  });

  it('names the allowed methods with a 405', async () => {
    const response = await call('deployment/start', { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await response.json()).message).toBe('This route takes POST, not DELETE.');
    const read = await call('flow/output/1', { method: 'PUT' });
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await read.json()).message).toBe('This route takes GET, not PUT.');
  });

  it('names at most twenty unknown members', async () => {
    const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`m${index}`, 0]));
    const response = await call('flow/deploy/1', { token: owner.token, ...json(JSON.stringify(members)) });
    expect([response.status, (await response.json()).details.length]).toEqual([400, 20]);
  });

  it('names unknown query parameters on every route, with the documented ones', async () => {
    const { paths, components } = openapiDocument() as unknown as Described;
    const routes = Object.entries(paths).filter(([path]) =>
      /^\/(apikey|deployment|flow|healthcheck|info|kv|signature|wallets)\b/.test(path)
    )
      // Exclude the route of webhooks: their senders may add any parameters.
      .filter(([path]) => path !== '/deployment/hook/{token}')
      .flatMap(([path, methods]) =>
        Object.entries(methods).filter(([name]) => /^(get|post|delete)$/.test(name))
          .map(([method, { parameters = [] }]) => ({ method: method.toUpperCase(), path, parameters }))
      );
    expect(routes.length).toBeGreaterThanOrEqual(13);
    for (const { method, path, parameters } of routes) {
      const known = parameters.map(({ $ref }) => components.parameters[$ref.split('/').at(-1)!]!)
        .filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      const asked = path.slice(1).replace('{flow_id}', '1').replace('{flow_run_id}', deploymentId)
        .replace('{token}', `fi_${'A'.repeat(43)}`);
      // The gateway and the clients of Supabase add the first three parameters, so these are allowed.
      const query = ['apikey=x', 'forceFunctionRegion=us-east-1', 'x-id=1', 'tga=1', 'nope=1'].join('&');
      const response = await call(`${asked}?${query}`, { method, token: owner.token });
      const message = `there is no such parameter; ${
        known.length === 0 ? 'the route takes none' : `the parameters are ${known.join(', ')}`
      }`;
      expect([method, path, response.status, await response.json()]).toEqual([method, path, 400, {
        code: 'request_invalid',
        message: `The query is invalid: tga: ${message}.`,
        details: [{ path: 'tga', message }, { path: 'nope', message }],
        hint: null,
        error: `The query is invalid: tga: ${message}.`,
      }]);
    }
  });

  it('reports an expired access token like /rest/v1, but not a forged one', async () => {
    const { API_URL, PUBLISHABLE_KEY } = inject('stack');
    const [expired, forged] = [
      await accessToken(owner.id, { expiresIn: -60 }),
      await accessToken(owner.id, { secret: 'another secret of 32 characters.' }),
    ];
    const paths = [
      'flow/deploy/1',
      `deployment/start?id=${deploymentId}`,
      'wallets/upsert',
      'flow/stop/' + deploymentId,
    ];
    const bodies: Record<string, RequestInit> = { 'wallets/upsert': json(JSON.stringify(adapter('1'.repeat(32)))) };
    for (const path of paths) {
      const [first, second] = await Promise.all([expired, forged].map(async (token) => {
        const response = await call(path, { token, ...bodies[path] });
        const { code, message } = await response.json();
        return [response.status, code, message];
      }));
      expect(first).toEqual([401, 'token_invalid', 'The access token has expired.']);
      expect(second).toEqual([401, 'token_invalid', expect.stringMatching(/^The access token is not valid: /)]);
    }
    const rest = await fetch(`${API_URL}/rest/v1/flows?select=id`, {
      headers: { apikey: PUBLISHABLE_KEY, authorization: `Bearer ${expired}` },
    });
    expect([rest.status, (await rest.json()).message]).toEqual([401, 'JWT expired']);
  });

  it('accepts values nested as deeply as the limit', async () => {
    const response = await call(`deployment/start?id=${deploymentId}`, {
      token: owner.token,
      ...json(`{"inputs": {"value": ${deep(64)}}}`),
    });
    expect(response.status).toBe(200);
  });

  it('answers the CORS preflight of a browser on every function', async () => {
    for (const path of ['flow/deploy/1', 'deployment/start', 'runner']) {
      const response = await call(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          // The headers that supabase-js sends with `region`, for retries and for tracing. One more header is unknown.
          'access-control-request-headers': 'authorization,baggage,traceparent,tracestate,x-new,x-region,x-retry-count',
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-headers')).toBe(
        'authorization,baggage,traceparent,tracestate,x-new,x-region,x-retry-count',
      );
    }
  });
});
