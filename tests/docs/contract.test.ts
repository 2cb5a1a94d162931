import { afterEach, describe, expect, it, vi } from 'vitest';
import { openapiDocument } from '../../dev/docs/openapi.ts';
import { ContractError, makeContract, type OpenapiDocument } from '../support/contract.ts';
import { call } from '../support/people.ts';

const ID = '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5';
const STARTED = { flow_run_id: ID, token: `fr_${'A'.repeat(64)}` };
const contract = makeContract(openapiDocument() as unknown as OpenapiDocument);
const json = { 'content-type': 'application/json' };

interface Exchange {
  method?: string;
  path?: string;
  sent?: unknown;
  sentHeaders?: Record<string, string>;
  status?: number;
  received?: unknown;
  receivedHeaders?: Record<string, string>;
}

/** Checks an exchange that is a correct start of a deployment, except for the given parts. */
const check = ({ method = 'POST', path = '/functions/v1/deployment/start?flow=7', ...exchange }: Exchange) => {
  const { sent = { inputs: { a: { U: '5' } } }, status = 200, received = STARTED } = exchange;
  contract.check({
    method,
    url: `http://localhost${path}`,
    headers: new Headers(exchange.sentHeaders ?? json),
    body: sent === null ? '' : JSON.stringify(sent),
  }, {
    status,
    headers: new Headers(exchange.receivedHeaders ?? json),
    body: received === null ? '' : JSON.stringify(received),
  });
};

const restError = (code: string) => ({ code, message: 'no', details: null, hint: null });
const error = (code: string, details: unknown = null) => ({ ...restError(code), details, error: 'no' });
const output = `/functions/v1/flow/output/${ID}`;

describe('the contract', () => {
  it.each<[string, Exchange]>([
    ['a good request with its answer', {}],
    ['a request without an optional body', { sent: null, sentHeaders: {} }],
    ['an output', { method: 'GET', path: `${output}?wait=0.5`, sent: null, received: { M: { a: { S: 'x' } } } }],
    ['a run that has not ended', {
      method: 'GET',
      path: output,
      sent: null,
      status: 202,
      received: { status: 'waiting' },
    }],
    ['an error', { status: 404, received: error('deployment_not_found') }],
    ['a bad request that is refused', { sent: { inputs: 5 }, status: 400, received: error('request_invalid', []) }],
    ['a wrong method that is refused', { method: 'GET', status: 405, received: error('method_not_allowed') }],
    ['an unknown route', { path: '/functions/v1/flow/x', status: 404, received: error('route_not_found') }],
    ['rows in an answer to a write', {
      path: '/rest/v1/nodes',
      sent: { type: 'native', data: { node_id: 'x', version: '1', display_name: '' }, sources: [], targets: [] },
      status: 201,
      received: null,
    }],
    ["an error of PostgREST's own", {
      path: '/rest/v1/rpc/whoami',
      sent: {},
      status: 401,
      received: restError('PGRST301'),
    }],
    ['a path that is not described', { path: '/rest/v1/flows', status: 418 }],
  ])('accepts %s', (_says, exchange) => {
    expect(() => check(exchange)).not.toThrow();
  });

  it.each<[string, Exchange, string]>([
    ['an unknown status', { status: 418 }, 'there is no status 418'],
    ['a missing member', { received: { flow_run_id: ID } }, "must have required property 'token'"],
    ['an unknown member', { received: { ...STARTED, more: 1 } }, 'must NOT have additional properties: more'],
    ['a wrong member', { received: { ...STARTED, token: 'x' } }, '/token must match pattern'],
    ['a wrong value deep inside', {
      method: 'GET',
      path: output,
      sent: null,
      received: { M: { a: { A: [{ U: '-1' }] } } },
    }, '/M/a/A/0/U must match pattern'],
    ['another media type', { receivedHeaders: { 'content-type': 'text/plain' } }, 'the body is text/plain'],
    ['no body', { received: null }, 'it is not JSON'],
    ["another operation's error", { status: 404, received: error('flow_not_found') }, '/code must be equal'],
    ["another status' error", { status: 404, received: error('request_invalid') }, '/code must be equal'],
    ['an error of another shape', { status: 404, received: { code: 'deployment_not_found' } }, 'required property'],
    ['an error without `error`', { status: 404, received: restError('deployment_not_found') }, "property 'error'"],
    [
      'details that the code does not have',
      { status: 404, received: error('deployment_not_found', {}) },
      '/details must be',
    ],
    ['a wrong method that is not refused', { method: 'PUT' }, "must have required property 'code'"],
    ['an error that an unknown route does not have', {
      path: '/functions/v1/flow/x',
      status: 404,
      received: error('flow_not_found'),
    }, '404 route_not_found'],
    [
      'a body that should be empty',
      { path: '/rest/v1/rpc/stop_flow_run', sent: { flow_run_id: ID }, status: 204 },
      'no body',
    ],
  ])('throws on an answer with %s', (_says, exchange, message) => {
    expect(() => check(exchange)).toThrow(ContractError);
    expect(() => check(exchange)).toThrow(message);
  });

  it.each<[string, Exchange, string]>([
    ['an unknown member', { sent: { input: {} } }, 'body: it must NOT have additional properties: input'],
    ['a wrong value', { sent: { inputs: { a: { U: 5 } } } }, '/inputs/a/U must be string'],
    ['a parameter that is wrong', { path: '/functions/v1/deployment/start?flow=x' }, 'flow: it must be integer'],
    ['a header that is wrong', { sentHeaders: { ...json, 'idempotency-key': 'x'.repeat(256) } }, 'Idempotency-Key: it'],
    ['a body of another type', { sentHeaders: { 'content-type': 'text/plain' } }, 'the body is text/plain'],
    ['no body where there must be one', { path: '/rest/v1/rpc/start_flow', sent: null }, 'there is no body'],
  ])('throws if a request with %s is accepted', (_says, exchange, message) => {
    expect(() => check(exchange)).toThrow('calls wrong');
    expect(() => check(exchange)).toThrow(message);
  });
});

describe('call', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('throws on an answer that docs/reference/openapi.json does not describe', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ deployment_id: 'none' }));
    await expect(call('flow/deploy/7')).rejects.toThrow(ContractError);
    vi.stubGlobal('fetch', async () => Response.json({ deployment_id: ID, warnings: [] }));
    expect((await call('flow/deploy/7')).status).toBe(200);
  });
});
