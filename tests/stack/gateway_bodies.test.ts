import { createClient } from '@supabase/supabase-js';
import { once } from 'node:events';
import { type ClientRequest, createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'hono/jwt';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type GatewayOptions, startGateway } from '../../dev/stack/gateway.ts';
import { makeBodyTurns } from '../../dev/stack/gateway/body_turns.ts';
import type { StackKeys } from '../../dev/stack/keys.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { signUp } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const { API_URL, PUBLISHABLE_KEY, SECRET_KEY, JWT_SECRET } = inject('stack');
const MIB = 1_048_576;

const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) => {
  const response = await fetch(`${API_URL}${path}`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'content-type': 'application/json', apikey: PUBLISHABLE_KEY, ...headers },
  } as RequestInit);
  return { status: response.status, body: await response.json().catch(() => null) };
};

/** Makes a JSON object of this many bytes. */
const bodyOf = (bytes: number): string => JSON.stringify({ name: '' }).replace('""', `"${'x'.repeat(bytes - 11)}"`);

describe('the size of a body', () => {
  const tooLarge = { code: 'body_too_large', message: `The body is larger than ${MIB} bytes.`, details: null };

  it.each(['/rest/v1/flows', '/rest/v1/nodes', '/rest/v1/rpc/whoami', '/functions/v1/deployment/start?id=x'])(
    'POST %s accepts 1 MiB without a credential, and refuses more in the shape of its part',
    async (path) => {
      expect((await post(path, bodyOf(MIB))).status).not.toBe(413);
      expect(await post(path, bodyOf(MIB + 1))).toMatchObject({ status: 413, body: tooLarge });
      // This body is sent in chunks, without a length.
      expect(await post(path, new Blob([bodyOf(MIB + 1)]).stream())).toMatchObject({ status: 413, body: tooLarge });
      expect(await post(path, bodyOf(30 * MIB))).toMatchObject({ status: 413, body: tooLarge });
    },
  );

  it('Auth refuses a body of more than 1 MiB in its own shape', async () => {
    expect(await post('/auth/v1/signup', bodyOf(MIB + 1))).toMatchObject({
      status: 413,
      body: { code: 413, error_code: 'body_too_large', msg: tooLarge.message },
    });
  });

  it('a user may send 8 MiB for a flow, by access token and by API key, but for nothing else', async () => {
    const { token } = await signUp();
    const authorization = `Bearer ${token}`;
    const client = createClient(API_URL, PUBLISHABLE_KEY, { global: { headers: { authorization } } });
    const apiKey = (await client.rpc('create_api_key', { name: 'large flows' })).data.key;
    const shown: Record<string, string>[] = [{ authorization }, { 'x-api-key': apiKey }];
    for (const headers of shown) {
      // The name in this body is too long for its column. The status shows that the body has passed the gateway.
      expect((await post('/rest/v1/flows', bodyOf(2 * MIB), headers)).status).toBe(400);
      expect(await post('/rest/v1/flows', bodyOf(8 * MIB + 1), headers)).toMatchObject({
        status: 413,
        body: { message: `The body is larger than ${8 * MIB} bytes.`, hint: null },
      });
      for (const path of ['/rest/v1/nodes', '/rest/v1/wallets', '/rest/v1/rpc/whoami']) {
        expect(await post(path, bodyOf(MIB + 1), headers)).toMatchObject({ status: 413, body: tooLarge });
      }
    }
  });

  it('an invalid credential allows no more than a missing one', async () => {
    const exp = Math.floor(Date.now() / 1000);
    const claims = { sub: '01930000-0000-7000-8000-000000000001', role: 'authenticated' };
    const forged = await sign({ ...claims, exp: exp + 60 }, 'another secret', 'HS256');
    const expired = await sign({ ...claims, exp: exp - 60 }, JWT_SECRET, 'HS256');
    const [, payload] = (await sign({ ...claims, exp: exp + 60 }, JWT_SECRET, 'HS256')).split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    const wrong: Record<string, string>[] = [
      ...[forged, expired, unsigned, 'nonsense'].map((token) => ({ authorization: `Bearer ${token}` })),
      { 'x-api-key': `fk_${'A'.repeat(43)}` },
    ];
    for (const headers of wrong) {
      expect(await post('/rest/v1/flows', bodyOf(2 * MIB), headers)).toMatchObject({
        status: 413,
        body: { ...tooLarge, hint: `With a valid access token or API key, a body may have ${8 * MIB} bytes.` },
      });
    }
  });

  it('the service role may send 8 MiB for definitions and flows, and its runners 32 MiB for results', async () => {
    const headers = { apikey: SECRET_KEY };
    for (const path of ['/rest/v1/nodes', '/rest/v1/flows']) {
      expect((await post(path, bodyOf(2 * MIB), headers)).status).not.toBe(413);
      expect((await post(path, bodyOf(8 * MIB + 1), headers)).status).toBe(413);
    }
    expect((await post('/rest/v1/rpc/finish_flow_runs', bodyOf(9 * MIB), headers)).status).not.toBe(413);
    expect((await post('/rest/v1/rpc/finish_flow_runs', bodyOf(32 * MIB + 1), headers)).status).toBe(413);
  });

  /** Sends the beginning of a request. Returns the answer, and whether the gateway then closed the connection. */
  async function begin(head: string[], beginning: string): Promise<string> {
    const socket = connect(Number(new URL(API_URL).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write([...head, 'host: localhost', `apikey: ${PUBLISHABLE_KEY}`, '', beginning].join('\r\n'));
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    return text;
  }

  it('a body that is too large is refused before it has arrived, and its connection is closed', async () => {
    const announced = await begin(['POST /rest/v1/nodes HTTP/1.1', `content-length: ${30 * MIB}`], '{');
    expect(announced).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\nconnection: close\r\n[\s\S]*"body_too_large"/i);
    const chunk = `${(MIB + 1).toString(16)}\r\n${'x'.repeat(MIB + 1)}`;
    const chunked = await begin(['POST /rest/v1/nodes HTTP/1.1', 'transfer-encoding: chunked'], chunk);
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('a client that sends Expect: 100-continue sends its body only if that is small enough', async () => {
    const ask = async (bytes: number) => {
      const { hostname, port } = new URL(API_URL);
      const headers = { apikey: PUBLISHABLE_KEY, expect: '100-continue', 'content-length': bytes };
      const sent = httpRequest({ hostname, port, path: '/rest/v1/rpc/whoami', method: 'POST', headers });
      sent.flushHeaders();
      let isTold = false;
      sent.once('continue', () => {
        isTold = true;
        sent.end('x'.repeat(bytes));
      });
      const [response] = await once(sent, 'response');
      response.resume();
      sent.destroy();
      return [isTold, response.statusCode === 413];
    };
    expect([await ask(20), await ask(MIB + 1)]).toEqual([[true, false], [false, true]]);
  });
});

describe('in front of the parts of a test', () => {
  let dir: string;
  const servers: Server[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'flow-bodies-'));
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  afterAll(() => rm(dir, { recursive: true }));

  /** Starts a gateway with these limits. Behind the gateway, the listener answers in place of PostgREST. */
  async function startBefore(
    listener: RequestListener,
    bounds: GatewayOptions['bounds'] = {},
  ): Promise<string> {
    const restSocket = join(dir, `rest-${servers.length}-${performance.now()}.sock`);
    const port = await findFreePort(24_000 + (process.pid % 500) * 4);
    const part = createServer(listener).listen(restSocket);
    const gateway = await startGateway({
      port,
      keys: { anonKey: 'anon', serviceRoleKey: 'service', jwtSecret: 'secret' } as StackKeys,
      restSocket,
      functionsRest: { path: 'inner', socket: restSocket },
      functionSocket: () => undefined,
      authSocket: async () => restSocket,
      storageSocket: async () => restSocket,
      authRates: null,
      spoolDir: join(dir, 'spool'),
      console: { handle: (_, response) => void response.end() },
      bounds,
    });
    servers.push(part, gateway);
    return `http://127.0.0.1:${port}`;
  }
  const tokenOf = (sub: string) => sign({ sub, role: 'authenticated' }, 'secret', 'HS256');
  const send = async (url: string, body: BodyInit, sub: string, path = 'rest/v1/flows') =>
    await fetch(`${url}/${path}`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { apikey: 'anon', authorization: `Bearer ${await tokenOf(sub)}` },
    } as RequestInit);

  it('PostgREST gets one body above 1 MiB at a time, and small ones at the same time', async () => {
    let [underWay, most] = [0, 0];
    const endings: (() => void)[] = [];
    const url = await startBefore(async (request, response) => {
      let size = 0;
      for await (const chunk of request) size += chunk.length;
      if (size < MIB) return response.end(String(size));
      most = Math.max(most, ++underWay);
      endings.push(() => {
        underWay--;
        response.end(String(size));
      });
    });
    const asked = ['a', 'a', 'a', 'b'].map((name) => send(url, name.repeat(2 * MIB), name));
    for (let count = 1; count <= asked.length; count++) {
      const end = await waitFor(() => endings.shift());
      expect(await (await send(url, 'x'.repeat(60_000), 'c')).text()).toBe('60000');
      end();
    }
    for (const answer of await Promise.all(asked)) expect(await answer.text()).toBe(String(2 * MIB));
    expect(most).toBe(1);
  });

  it('callers take turns with large bodies, and one that waits too long is 503', async () => {
    const caller = (key: string) => ({ kind: 'user', key } as const);
    const turns = makeBodyTurns();
    const order: string[] = [];
    let others: Promise<unknown>[] = [];
    await turns.take(caller('a'), 2 * MIB, async () => {
      others = ['a', 'a', 'b'].map((key) => turns.take(caller(key), 2 * MIB, async () => order.push(key)));
    });
    await Promise.all(others);
    expect(order).toEqual(['a', 'b', 'a']);

    const hasty = makeBodyTurns({ maxWaitMs: 20 });
    const refused = await hasty.take(
      caller('a'),
      2 * MIB,
      () => hasty.take(caller('b'), 2 * MIB, async () => order.push('late')).catch((error) => error),
    );
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(order).not.toContain('late');
  });

  it("the secret key's bodies wait for no other's, and the functions' PostgREST for none of the public one", async () => {
    const sizes: number[] = [];
    const url = await startBefore(async (request, response) => {
      let size = 0;
      for await (const chunk of request) size += chunk.length;
      sizes.push(size);
      // The bodies of users stay under way until the end of the test.
      if (size !== 2 * MIB) response.end('stored');
    });
    const pending = ['a', 'b', 'c'].map((name) => send(url, name.repeat(2 * MIB), name).catch(() => undefined));
    await waitFor(() => sizes.length > 0);
    const apikey = 'service';
    const stored = await fetch(`${url}/rest/v1/rpc/finish_flow_run`, {
      method: 'POST',
      body: 'x'.repeat(3 * MIB),
      headers: { apikey, authorization: `Bearer ${await sign({ role: 'service_role' }, 'secret', 'HS256')}` },
    });
    expect(await stored.text()).toBe('stored');
    expect(await (await send(url, 'x'.repeat(3 * MIB), 'd', 'inner/v1/flows')).text()).toBe('stored');
    expect(sizes).toEqual([2 * MIB, 3 * MIB, 3 * MIB]);
    for (const server of servers) server.closeAllConnections();
    await Promise.all(pending);
  });

  it('a fifth large body of a caller that would have to wait is 429 with Retry-After', async () => {
    const url = await startBefore(() => {});
    const asked = Array.from({ length: 6 }, () => send(url, 'x'.repeat(2 * MIB), 'a').catch(() => undefined));
    const refused = await Promise.race(asked);
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get('retry-after')).toBe('5');
    expect(await refused?.json()).toMatchObject({ code: 'too_many_requests', details: null });
  });

  it('a body that stops arriving gets 408, and occupies no place meanwhile', async () => {
    const url = await startBefore((_, response) => response.end('ok'), {
      bodyPace: { windowMs: 300, leastBytes: 1_000 },
    });
    const stuck = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(2 * MIB)) });
    const answer = send(url, stuck, 'a');
    expect(await (await send(url, 'x'.repeat(2 * MIB), 'b')).text()).toBe('ok');
    const slow = await answer;
    expect([slow.status, (await slow.json()).code]).toEqual([408, 'body_timeout']);
  });

  it('a caller cannot hold more than its share of arriving bytes, nor all callers more than the total', async () => {
    const url = await startBefore((_, response) => response.end('ok'), {
      bodiesInFiles: { all: 7 * MIB, caller: 4 * MIB },
      bodyPace: { windowMs: 600_000, leastBytes: 1 },
    });
    const held: ClientRequest[] = [];
    const hold = async (sub: string, bytes: number): Promise<void> => {
      const headers = { apikey: 'anon', authorization: `Bearer ${await tokenOf(sub)}` };
      const request = httpRequest(`${url}/rest/v1/flows`, { method: 'POST', headers }).on('error', () => {});
      // Another request, which statusOf sent, may have arrived first and taken the share. Then this request is refused
      // and sent again.
      request.on('response', (response) => {
        response.resume();
        void hold(sub, bytes);
      });
      request.write(Buffer.alloc(bytes));
      held.push(request);
    };
    const statusOf = async (sub: string) => (await send(url, 'x'.repeat(3 * MIB), sub)).status;
    await hold('a', 3 * MIB);
    await waitFor(async () => await statusOf('a') === 429 || undefined);
    expect(await statusOf('b')).toBe(200);
    await hold('b', 3 * MIB);
    await waitFor(async () => await statusOf('c') === 503 || undefined);
    expect(await (await send(url, 'x'.repeat(60_000), 'c')).text()).toBe('ok');
    for (const request of held) request.destroy();
    await waitFor(async () => await statusOf('a') === 200 || undefined);
  });
});
