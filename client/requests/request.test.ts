import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createFlowClient } from '../create_flow_client.ts';
import type { FlowClient } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { MAX_ANSWER_BYTES } from './read_answer.ts';

/** A server with answers that the real backend does not give. The tests in tests/client/ use the real backend. */
let server: Server | undefined;
let seen: { url: string; headers: Record<string, unknown> }[] = [];
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  seen = [];
});

async function serve(answer: RequestListener): Promise<string> {
  server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const RUN = '019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b5e';
const makeClient = (url: string, retries = 0) =>
  createFlowClient({ url, key: 'sb_publishable_x', apiKey: 'fk_x', retries });

const errorOf = async (promise: Promise<unknown>): Promise<FlowError> => {
  const error = await promise.then(() => undefined, (error: unknown) => error);
  expect(error).toBeInstanceOf(FlowError);
  return error as FlowError;
};

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener => (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

describe('a server that is not a backend', () => {
  it.each([
    ['HTML', 200, 'text/html', '<html>\u001b[2J welcome', /answered 200 with text\/html.*"<html>\\u001b\[2J welcome"/],
    ['half of a JSON text', 200, 'application/json', '{"a": ', /answered 200 with application\/json/],
    ['an error in HTML', 502, 'text/html', '<h1>Bad gateway</h1>', /answered 502 with text\/html/],
    ['an empty error', 500, 'text/plain', '', /answered 500 with text\/plain.*an empty body/],
    ['JSON of another shape', 200, 'application/json', '{"ok": true}', /`flow_run_id` is missing or is not a text/],
    ['a JSON error of another shape', 500, 'application/json', '{"ok": false}', /answered 500/],
  ])('is reported with its answer if it answers %s', async (_what, status, type, body, says) => {
    const url = await serve((_, response) => response.writeHead(status, { 'content-type': type }).end(body));
    const error = await errorOf(makeClient(url).start(7));
    expect(error.code).toBe('answer_invalid');
    expect(error.message).toMatch(says);
  });

  it('is reported as unreachable if it answers nothing', async () => {
    const url = await serve((request) => request.socket.destroy());
    expect(await errorOf(makeClient(url).runs())).toMatchObject({ code: 'unreachable', status: 0 });
    const free = await serve(() => {});
    server!.close();
    expect(await errorOf(makeClient(free).runs())).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(free),
    });
  });

  it('is reported as unreachable if it cuts off an answer', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('[{');
      setTimeout(() => request.socket.destroy(), 20);
    });
    expect((await errorOf(makeClient(url).runs())).code).toBe('unreachable');
  });

  it('is reported if it answers no list of rows', async () => {
    const url = await serve(json(200, { rows: [] }));
    expect((await errorOf(makeClient(url).runs())).code).toBe('answer_invalid');
  });

  it('is reported if it answers a test of a connection with an empty body', async () => {
    const url = await serve((_, response) => void response.writeHead(200).end());
    expect((await errorOf(makeClient(url).testConnection('mail', url))).code).toBe('answer_invalid');
  });

  it('is cut off if its answer does not end', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const send = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', send);
      };
      send();
    });
    expect((await errorOf(makeClient(url).runs())).code).toBe('answer_too_large');
  });

  it('is not read at all if it announces a too large answer', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(MAX_ANSWER_BYTES + 1) });
      response.write('[');
    });
    expect((await errorOf(makeClient(url).runs())).code).toBe('answer_too_large');
  });

  it('gets no credentials sent to another address by a redirect', async () => {
    const other = createServer((request, response) => {
      seen.push({ url: `other ${request.url}`, headers: request.headers });
      response.end('[]');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const elsewhere = `http://localhost:${(other.address() as AddressInfo).port}/`;
    for (const status of [301, 302, 307, 308]) {
      const url = await serve((_, response) => response.writeHead(status, { location: elsewhere }).end());
      const error = await errorOf(makeClient(url).runs());
      expect(error).toMatchObject({ code: 'redirected', status });
      expect(error.message).toContain(elsewhere);
      server!.close();
    }
    other.close();
    expect(seen.filter(({ url }) => url.startsWith('other'))).toEqual([]);
  });
});

describe('an error', () => {
  it('has all parts of the answer, and the seconds to wait', async () => {
    const body = { code: 'queue_full', message: 'Full.', details: '{"length": 9}', hint: 'Wait.' };
    const url = await serve(json(429, body, { 'retry-after': '7' }));
    const error = await errorOf(makeClient(url, 5).start(7));
    expect(error).toMatchObject({ ...body, details: { length: 9 }, status: 429, retryAfter: 7, name: 'FlowError' });
    // The client does not repeat a refused request.
    expect(seen).toHaveLength(1);
  });

  it('of a gateway has its message', async () => {
    const url = await serve(json(401, { message: 'Invalid API key' }));
    expect(await errorOf(makeClient(url).runs())).toMatchObject({
      code: 'gateway_refused',
      message: 'Invalid API key',
    });
  });
});

describe('a start without an answer', () => {
  const started = { flow_run_id: RUN, token: 'fr_x' };

  it('is sent again with the same key', async () => {
    const url = await serve((request, response) =>
      seen.length === 1 ? request.socket.destroy() : json(200, started)(request, response)
    );
    expect(await makeClient(url, 2).start(7)).toEqual(started);
    const [first, second] = seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  it('is sent again after the time in Retry-After if the database is down', async () => {
    const away = json(503, { code: 'service_unavailable', message: 'Away.' }, { 'retry-after': '1' });
    const url = await serve((request, response) => (seen.length === 1 ? away : json(200, started))(request, response));
    const began = Date.now();
    await makeClient(url, 1).start(7, {}, { idempotencyKey: 'mine' });
    expect(Date.now() - began).toBeGreaterThan(900);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });

  it('is given up after all retries, while a deploy is never repeated', async () => {
    const url = await serve((request) => request.socket.destroy());
    expect((await errorOf(makeClient(url, 2).start(7))).code).toBe('unreachable');
    expect(seen).toHaveLength(3);
    expect((await errorOf(makeClient(url, 2).deploy(7))).code).toBe('unreachable');
    expect(seen).toHaveLength(4);
  });

  it('ends when the caller aborts, before, during a request and during a pause', async () => {
    const url = await serve(() => {});
    const gone = AbortSignal.abort(new Error('gone'));
    expect(await errorOf(makeClient(url).start(7, {}, { signal: gone }))).toMatchObject({ code: 'aborted' });
    expect(seen).toEqual([]);
    const during = new AbortController();
    const waiting = errorOf(makeClient(url).start(7, {}, { signal: during.signal }));
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    during.abort('enough');
    expect(await waiting).toMatchObject({ code: 'aborted', cause: 'enough' });
    server!.closeAllConnections();
    server!.close();
    const pausing = new AbortController();
    const away = await serve(json(503, { code: 'service_unavailable', message: 'Away.' }, { 'retry-after': '9' }));
    const paused = errorOf(makeClient(away).output(RUN, { signal: pausing.signal }));
    pausing.abort('later');
    expect(await paused).toMatchObject({ code: 'aborted' });
  });
});

describe('waiting for an output', () => {
  it('continues while the server answers 202', async () => {
    const url = await serve((request, response) =>
      (seen.length < 3 ? json(202, { status: 'running' }) : json(200, { M: { total: { D: '6.60' } } }))(
        request,
        response,
      )
    );
    expect(await makeClient(url).output({ flow_run_id: RUN, token: 'fr_x' })).toEqual({ total: '6.60' });
    expect(seen).toHaveLength(3);
    expect(seen[0]!.headers.authorization).toBe('Bearer fr_x');
    expect(seen[0]!.url).toBe(`/functions/v1/flow/output/${RUN}?wait=50.000`);
  });

  it('ends after its time limit with the state of the run', async () => {
    const url = await serve(json(202, { status: 'waiting' }));
    const error = await errorOf(makeClient(url).output(RUN, { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: 'timed_out', details: { status: 'waiting' } });
    expect(seen.at(0)!.url).toMatch(/\?wait=0\.[123]/);
  });

  it('refuses an output that is no map of values', async () => {
    const url = await serve(json(200, { total: 6 }));
    expect((await errorOf(makeClient(url).output(RUN))).code).toBe('answer_invalid');
  });
});

describe('createFlowClient refuses', () => {
  it.each([
    ['no address', { url: 'nowhere', key: 'x' }, /`url` must be the address/],
    ['an address of a file', { url: 'file:///etc/passwd', key: 'x' }, /`url` must be the address/],
    ['a password in the address', { url: 'https://a:b@example.com', key: 'x' }, /without user name and password/],
    ['no key', { url: 'https://example.com', key: '' }, /`key` must be the publishable key/],
    ['something else', {} as never, /takes a client of supabase-js/],
    ['an old client', { from: () => ({ url: new URL('https://example.com/x') }) } as never, /supabase-js 2/],
  ])('%s', (_what, source, says) => {
    expect(() => createFlowClient(source)).toThrow(says);
    expect(() => createFlowClient(source)).toThrow(FlowError);
  });
});

it('an id stays one segment of the path and one value of the query', async () => {
  const url = await serve(json(404, { code: 'route_not_found', message: 'No.' }));
  await errorOf(makeClient(url).output('../../x?y=1'));
  await errorOf(makeClient(url).start({ id: 'a&tag=b' }));
  expect(seen.map(({ url }) => url)).toEqual([
    '/functions/v1/flow/output/..%2F..%2Fx%3Fy%3D1?wait=50.000',
    '/functions/v1/deployment/start?id=a%26tag%3Db',
  ]);
});

it.each<[string, (client: FlowClient) => Promise<unknown>]>([
  ['a public key', (client) => client.start(7, {}, { publicKey: 'GmDt' })],
  ['a run token', (client) => client.output({ flow_run_id: RUN, token: 'GmDt' })],
])('%s replaces the API key, which the backend would prefer', async (_what, call) => {
  const url = await serve(json(404, { code: 'flow_run_not_found', message: 'x', details: null, hint: null }));
  await errorOf(call(makeClient(url)));
  expect(seen[0]?.headers).toMatchObject({ apikey: 'sb_publishable_x', authorization: 'Bearer GmDt' });
  expect(seen[0]?.headers).not.toHaveProperty('x-api-key');
});
