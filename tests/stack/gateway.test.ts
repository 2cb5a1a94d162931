import { createClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startGateway } from '../../dev/stack/gateway.ts';
import type { StackKeys } from '../../dev/stack/keys.ts';
import { findFreePort } from '../../dev/stack/ports.ts';

const { API_URL, ANON_KEY, PUBLISHABLE_KEY, SERVICE_ROLE_KEY, SECRET_KEY } = inject('stack');

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${API_URL}${path}`, { headers });

/** The headers of a request that tell the end of its body. */
const framing = ({ headers }: IncomingMessage) =>
  ['content-length', 'transfer-encoding'].filter((name) => name in headers).map((name) => `${name}: ${headers[name]}`)
    .join();

/** Requests exactly this target, and returns the status line. `fetch` would normalize the target. */
async function statusOfRaw(target: string): Promise<string> {
  const socket = connect(Number(new URL(API_URL).port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text.split('\r\n')[0] ?? '';
}

describe('keys', () => {
  const rows = '/rest/v1/flow_run?select=id&limit=1';

  it('a request without an apikey is refused with 401', async () => {
    for (const path of [rows, '/auth/v1/settings']) {
      const response = await get(path);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ message: 'No API key found in request' });
    }
    expect((await get(rows, { authorization: `Bearer ${SECRET_KEY}` })).status).toBe(401);
  });

  it('a request with a wrong apikey is refused with 401', async () => {
    for (const apikey of ['nope', '', `${PUBLISHABLE_KEY}x`]) {
      const response = await get(rows, { apikey });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ message: 'Invalid API key' });
    }
  });

  it.each([['anon', ANON_KEY], ['publishable', PUBLISHABLE_KEY], ['service role', SERVICE_ROLE_KEY], [
    'secret',
    SECRET_KEY,
  ]])('the %s key admits to REST and Auth, alone, as bearer token, too, and in the query', async (_name, apikey) => {
    expect((await get(rows, { apikey })).status).toBe(200);
    expect((await get(rows, { apikey, authorization: `Bearer ${apikey}` })).status).toBe(200);
    expect((await get(rows, { apikey, authorization: `bearer ${apikey}` })).status).toBe(200);
    expect((await get(`${rows}&apikey=${apikey}`)).status).toBe(200);
    expect((await get('/auth/v1/settings', { apikey })).status).toBe(200);
  });

  it('a publishable key acts as anon, a secret one as the service role', async () => {
    // This table is not granted to anon.
    const read = async (apikey: string, headers = {}) =>
      (await get('/rest/v1/flows?limit=1', { apikey, ...headers })).status;
    for (const key of [SECRET_KEY, SERVICE_ROLE_KEY]) expect(await read(key)).toBe(200);
    for (const key of [PUBLISHABLE_KEY, ANON_KEY]) expect(await read(key)).toBe(401);
    expect(await read(PUBLISHABLE_KEY, { authorization: `Bearer ${SERVICE_ROLE_KEY}` })).toBe(200);
    // An opaque key in the header Authorization is not an access token, and does not change the role.
    expect(await read(PUBLISHABLE_KEY, { authorization: `Bearer ${SECRET_KEY}` })).toBe(401);
  });
});

describe('routes', () => {
  it('an unknown function answers 404', async () => {
    for (const name of ['nope', '', '__proto__', '../rest/v1/flow_run']) {
      expect(await statusOfRaw(`/functions/v1/${name}`)).toBe('HTTP/1.1 404 Not Found');
    }
    expect(await (await get('/functions/v1/nope')).json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an unknown path answers 404, and no path crashes the gateway', async () => {
    for (const target of ['/', '/storage/v1/x', '/rest/v2/x', '//', '//rest/v1/', '*', '/%', 'http://[/rest/v1/']) {
      expect(await statusOfRaw(target)).toBe('HTTP/1.1 404 Not Found');
    }
    expect((await get('/auth/v1/health')).status).toBe(200);
  });

  it('a filter by a regular expression is refused, with any method, but not with the secret key', async () => {
    const path = '/rest/v1/nodes?select=id&limit=1&data-%3E%3Edescription=match.%5Ea';
    const withBody = { body: '{"name":"x"}', headers: { apikey: PUBLISHABLE_KEY, 'content-type': 'application/json' } };
    const answers = [
      await get(path, { apikey: PUBLISHABLE_KEY }),
      await get(`/rest/v1/flow_run?or=(id.is.null,status.imatch(any).{a,b})`, { apikey: PUBLISHABLE_KEY }),
      await fetch(`${API_URL}${path}`, { method: 'PATCH', ...withBody }),
    ];
    for (const answer of answers) {
      expect([answer.status, (await answer.json()).code]).toEqual([400, 'pattern_filter_refused']);
    }
    expect((await get(path, { apikey: SECRET_KEY })).status).toBe(200);
  });

  it("a path with dots can't bypass the key for Auth", async () => {
    expect(await statusOfRaw('/auth/v1/health/../settings')).toBe('HTTP/1.1 401 Unauthorized');
  });

  it.each(['/rest/v1/flow_run', '/auth/v1/token', '/functions/v1/deployment/start'])(
    'a CORS preflight of %s needs no key and allows the requested headers',
    async (path) => {
      const response = await fetch(`${API_URL}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://editor.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'apikey,authorization,content-type,x-api-key',
        },
      });
      expect(response.ok).toBe(true);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-methods')).toContain('POST');
      const allowed = response.headers.get('access-control-allow-headers')?.split(/, ?/) ?? [];
      expect(allowed).toEqual(expect.arrayContaining(['apikey', 'authorization', 'content-type', 'x-api-key']));
    },
  );

  it('every answer can be read by a browser, also refusals', async () => {
    const origin = 'https://editor.example';
    const answers = await Promise.all([
      get('/rest/v1/flow_run', { origin }),
      get('/rest/v1/flow_run', { origin, apikey: ANON_KEY }),
      get('/auth/v1/health', { origin }),
      get('/functions/v1/nope', { origin }),
      get('/functions/v1/deployment/start', { origin }),
    ]);
    for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it('an unknown Edge Function is 404 in the shape of all errors of functions', async () => {
    const response = await get('/functions/v1/nope', {});
    expect([response.status, await response.json()]).toEqual([404, {
      code: 'NOT_FOUND',
      message: 'Requested function was not found',
      details: null,
      hint: null,
      error: 'Requested function was not found',
    }]);
  });
});

describe('Auth', () => {
  it.each([['publishable', PUBLISHABLE_KEY], ['anon', ANON_KEY]])(
    'sign-up, sign-in, getUser, refresh and sign-out work through supabase-js with the %s key',
    async (_name, key) => {
      const { auth } = createClient(API_URL, key, { auth: { persistSession: false, autoRefreshToken: false } });
      const credentials = { email: `${randomUUID()}@example.com`, password: randomUUID() };
      expect((await auth.signUp(credentials)).error).toBeNull();
      expect((await auth.signInWithPassword({ ...credentials, password: 'wrong' })).error?.status).toBe(400);
      const signedIn = await auth.signInWithPassword(credentials);
      expect(signedIn.error).toBeNull();
      expect((await auth.getUser()).data.user?.email).toBe(credentials.email);
      const refreshed = await auth.refreshSession();
      expect(refreshed.error).toBeNull();
      expect(refreshed.data.session?.refresh_token).not.toBe(signedIn.data.session?.refresh_token);
      expect((await auth.getUser(refreshed.data.session?.access_token)).data.user?.email).toBe(credentials.email);
      expect((await auth.signOut()).error).toBeNull();
    },
  );
});

describe('large bodies', () => {
  const body = JSON.stringify({ token: 'x'.repeat(900_000) });
  const post = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`${API_URL}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', apikey: PUBLISHABLE_KEY, ...headers },
    });
    return [response.status, (await response.json()).code];
  };

  it.each([
    ['PostgREST', '/rest/v1/rpc/receive_webhook', { authorization: 'Bearer eyJ.e.x' }, [401, 'PGRST301']],
    ['a function', `/functions/v1/deployment/hook/fh_${'A'.repeat(43)}`, {}, [404, 'webhook_not_found']],
  ])('a request that %s refuses by its headers gets that answer each time', async (_part, path, headers, refusal) => {
    const answers: unknown[] = [];
    for (let round = 0; round < 20; round++) {
      answers.push(...await Promise.all(Array.from({ length: 8 }, () => post(path, headers))));
    }
    const kinds = new Map(answers.map((answer) => [JSON.stringify(answer), answer]));
    expect([...kinds.values()]).toEqual([refusal]);
  });
});

describe("in front of a test's parts", () => {
  let dir: string;
  let gateway: Server;
  let silentPart: Server;
  let closingPart: Server;
  let echoPart: Server;
  let url: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'flow-gateway-'));
    // Accepts requests and never answers.
    silentPart = createServer(() => {}).listen(join(dir, 'silent.sock'));
    closingPart = createServer((_, response) => response.setHeader('connection', 'close').end('{}'))
      .listen(join(dir, 'closing.sock'));
    echoPart = createServer((request, response) => request.pipe(response.setHeader('x-framing', framing(request))))
      .listen(join(dir, 'echo.sock'));
    const port = await findFreePort(24_000 + (process.pid % 500) * 4);
    url = `http://127.0.0.1:${port}`;
    gateway = await startGateway({
      port,
      keys: { anonKey: 'anon', serviceRoleKey: 'service' } as StackKeys,
      restSocket: join(dir, 'nobody.sock'),
      functionSocket: (name) => join(dir, `${name}.sock`),
      authSocket: async () => join(dir, 'nobody.sock'),
      storageSocket: async () => join(dir, 'nobody.sock'),
      authRates: null,
      spoolDir: join(dir, 'spool'),
      console: { handle: (_, response) => void response.end('console') },
    });
  });
  afterAll(async () => {
    for (const server of [gateway, silentPart, closingPart, echoPart]) {
      server.closeAllConnections();
      server.close();
    }
    await rm(dir, { recursive: true });
  });

  it('a chunked body reaches the part with a length', async () => {
    const response = await fetch(`${url}/functions/v1/echo`, {
      method: 'POST',
      body: new Blob(['{}']).stream(),
      duplex: 'half',
    } as RequestInit);
    expect([await response.text(), response.headers.get('x-framing')]).toEqual(['{}', 'content-length: 2']);
  });

  it("the client's connection stays open when the part closes its own", async () => {
    const agent = new Agent({ keepAlive: true });
    const get = async () => {
      const sent = request(`${url}/functions/v1/closing`, { agent }).end();
      const [response] = await once(sent, 'response');
      await once(response.resume(), 'end');
      // The HTTP agent can reuse the connection only a moment after the end of the answer.
      await new Promise(setImmediate);
      return sent.reusedSocket;
    };
    expect([await get(), await get()]).toEqual([false, true]);
    agent.destroy();
  });

  it('a part that is down answers 503 as JSON with Retry-After', async () => {
    for (const path of ['rest/v1/flow_run', 'functions/v1/nobody']) {
      const response = await fetch(`${url}/${path}`, { method: 'POST', body: '{}', headers: { apikey: 'anon' } });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      const message = `${path.startsWith('rest') ? 'PostgREST' : 'function nobody'} does not answer`;
      expect(await response.json()).toEqual({
        code: 'service_unavailable',
        message,
        details: null,
        hint: null,
        ...(path.startsWith('functions') && { error: message }),
      });
    }
  });

  it('the answer of a part that closes before reading the body reaches the client', async () => {
    const asked: (string | undefined)[] = [];
    const refusing = createServer((request, response) => {
      asked.push(request.headers['x-forwarded-proto'] as string | undefined);
      response.writeHead(404).end('no', () => request.socket.destroy());
    }).listen(join(dir, 'refusing.sock'));
    const response = await fetch(`${url}/functions/v1/refusing`, { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect([response.status, await response.text()]).toEqual([404, 'no']);
    expect(new Set(asked)).toEqual(new Set(['http']));
    refusing.close();
  });

  it('a client that disconnects before its answer does not disturb the gateway', async () => {
    const gone = new AbortController();
    const arrived = once(silentPart, 'request');
    const answer = fetch(`${url}/functions/v1/silent`, { signal: gone.signal }).catch((error) => error.name);
    await arrived;
    gone.abort();
    expect(await answer).toBe('AbortError');
    expect((await fetch(`${url}/rest/v1/x`)).status).toBe(401);
  });
});
