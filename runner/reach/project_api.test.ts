import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../tests/support/http_limits.ts';
import { apiError } from '../../platform/api_error.ts';
import { Released } from '../engine/node.ts';
import { makeHttpClient } from './http_client.ts';
import { makeProjectApi, readProjectAddress } from './project_api.ts';

let server: Server;
let origin: string;
let received: { path: string; headers: Record<string, unknown> }[] = [];
let answer: RequestListener = (_, response) => void response.end('{}');

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push({ path: request.url!, headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
  made = 0;
  time = 0;
  answer = (_, response) => void response.end('{}');
});

let made = 0;
let time = 0;
const claim = { flow_run_id: 'run', claim_number: 3 };

/** Makes the API of a project at the test's server. The database makes the tokens t1, t2 and so on. */
const makeApi = (env: Record<string, string> = { SUPABASE_URL: `${origin}/`, SUPABASE_ANON_KEY: 'public' }) =>
  makeProjectApi({
    rpc: (async (name: string, args: object) => {
      expect([name, args]).toEqual(['make_claim_token', claim]);
      return { token: `t${++made}`, seconds: 300 };
    }) as never,
    claim,
    address: readProjectAddress((name) => env[name]),
    http: makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true }),
    now: () => time,
  });

const request = (api: ReturnType<typeof makeApi>, url: string, headers: [string, string][] = []) =>
  api.request({ method: 'GET', url, headers, signal: new AbortController().signal });

const tokens = () => received.map(({ headers }) => headers['x-flow-claim-token']);

it('a token is made when a node needs it, shared, and renewed after half of its time', async () => {
  const api = makeApi();
  expect(api.restUrl()).toBe(`${origin}/rest/v1`);
  expect(made).toBe(0);
  await Promise.all([1, 2, 3].map(() => request(api, `${origin}/rest/v1/notes`)));
  time = 149_999;
  await request(api, `${origin}/rest/v1/notes`);
  time = 150_000;
  await Promise.all([1, 2].map(() => request(api, `${origin}/rest/v1/notes`)));
  expect(tokens()).toEqual(['t1', 't1', 't1', 't1', 't2', 't2']);
  expect(received.map(({ headers }) => headers.apikey)).toEqual(Array(6).fill('public'));
});

it.each([
  ['another host', () => 'http://127.0.0.2/rest/v1/notes'],
  ['another port', () => 'http://127.0.0.1:1/rest/v1/notes'],
  ['another scheme', () => `${origin.replace('http', 'https')}/rest/v1/notes`],
  ['another part of the project', () => `${origin}/auth/v1/user`],
  ['a path that leaves the API', () => `${origin}/rest/v1/../../auth/v1/user`],
  ['an encoded path that leaves the API', () => `${origin}/rest/v1/%2e%2e/%2E%2e/auth/v1/user`],
  ['a longer path', () => `${origin}/rest/v12/notes`],
  ['a URL with credentials', () => `${origin.replace('//', '//user:password@')}/rest/v1/notes`],
  ['a malformed URL', () => '/rest/v1/notes'],
])('no request is made to %s', async (_name, url) => {
  const api = makeApi();
  expect(URL.canParse(url()) && api.serves(new URL(url()))).toBe(false);
  await expect(request(api, url())).rejects.toThrow("the URL does not belong to the project's REST API");
  expect([received, made]).toEqual([[], 0]);
});

it('a redirect is the answer', async () => {
  answer = (_, response) => void response.writeHead(307, { location: `${origin}/rest/v1/other` }).end();
  expect((await request(makeApi(), `${origin}/rest/v1/notes`)).status).toBe(307);
  expect(received).toHaveLength(1);
});

it.each(['Authorization', 'x-api-key', 'apikey'])('a header %s of the author replaces the token', async (name) => {
  await request(makeApi(), `${origin}/rest/v1/notes`, [[name, 'mine'], ['X-Flow-Claim-Token', 'mine']]);
  expect(received[0]!.headers).toMatchObject({
    apikey: name === 'apikey' ? 'mine' : 'public',
    [name.toLowerCase()]: 'mine',
  });
  expect([tokens(), made]).toEqual([[undefined], 0]);
});

it('a refused token is replaced once', async () => {
  const refuse = (code: string): RequestListener => ({ headers }, response) =>
    void response.writeHead(headers['x-flow-claim-token'] === 't2' ? 200 : 401).end(JSON.stringify({ code }));
  answer = refuse('token_invalid');
  const api = makeApi();
  expect((await request(api, `${origin}/rest/v1/notes`)).status).toBe(200);
  expect(tokens()).toEqual(['t1', 't2']);
  expect((await request(makeApi(), `${origin}/rest/v1/notes`)).status).toBe(401);
  expect(tokens().slice(2)).toEqual(['t3', 't4']);
  // A refusal for another reason does not make the token invalid.
  answer = refuse('42501');
  expect((await request(makeApi(), `${origin}/rest/v1/notes`)).status).toBe(401);
  expect(tokens().slice(4)).toEqual(['t5']);
});

it.each(['claim_lost', 'service_unavailable'] as const)(
  'the run is released when the token is refused with %s',
  async (code) => {
    let calls = 0;
    const api = makeProjectApi({
      rpc: () => Promise.reject(++calls === 1 ? apiError(code, 'no') : new Error('a second call')),
      claim,
      address: { restUrl: `${origin}/rest/v1`, publicKey: 'public' },
      http: { request: () => Promise.reject(new Error('no request is made')) },
      now: () => 0,
    });
    await expect(request(api, `${origin}/rest/v1/notes`)).rejects.toThrow(Released);
    await expect(request(api, `${origin}/rest/v1/notes`)).rejects.toThrow('a second call');
  },
);

it.each([
  [{}, 'set SUPABASE_URL, and SUPABASE_PUBLISHABLE_KEYS or SUPABASE_ANON_KEY'],
  [{ SUPABASE_URL: 'https://project.example' }, 'set SUPABASE_PUBLISHABLE_KEYS or SUPABASE_ANON_KEY'],
  [{ SUPABASE_ANON_KEY: 'public' }, 'set SUPABASE_URL'],
  [{ SUPABASE_URL: 'project', SUPABASE_ANON_KEY: 'public' }, 'set SUPABASE_URL'],
])('a worker with the settings %j tells which one it lacks', async (env, remedy) => {
  const api = makeApi(env as Record<string, string>);
  expect(() => api.restUrl()).toThrow(
    `project_address_unknown: the worker lacks the project's address or public key: ${remedy}`,
  );
});
