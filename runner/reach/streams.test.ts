import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../tests/support/http_limits.ts';
import { runLimits } from '../../types/limits/runs.ts';
import { makeRedaction } from '../connections/redaction.ts';
import type { Credential, HttpRequest, HttpResponse } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { makeByteBudget } from './byte_budget.ts';
import { makeFetch } from './fetch.ts';
import { type HttpClientOptions, makeHttpClient } from './http_client.ts';
import { makeHttpShare } from './http_share.ts';

/** The answer that the server is giving, by path. */
let open: ServerResponse;
let requests: string[] = [];
let port: number;
const EVENTS = { 'content-type': 'text/event-stream' };

const answers: { [path: string]: (request: IncomingMessage, response: ServerResponse) => void } = {
  '/live': (_, response) => void response.writeHead(200, EVENTS).flushHeaders(),
  '/silent': () => {},
  '/begun': (_, response) => void response.writeHead(200, EVENTS).write('data: 1\n\n'),
  '/slow': (_, response) => {
    let left = 6;
    const timer = setInterval(() => {
      if (left-- > 0) return void response.write('data: 1\n\n');
      clearInterval(timer);
      response.end();
    }, 50);
    response.writeHead(200, EVENTS);
  },
  '/endless': (_, response) => {
    response.writeHead(200, EVENTS);
    const pour = () => {
      while (response.write(`data: ${'x'.repeat(1_000)}\n\n`));
    };
    response.on('drain', pour);
    pour();
  },
  '/endless-event': (_, response) => {
    response.writeHead(200, EVENTS);
    const pour = () => {
      while (response.write('data: x\n'));
    };
    response.on('drain', pour);
    pour();
  },
  '/broken': (_, response) => {
    response.writeHead(200, EVENTS).write('data: 1\n\ndata: 2');
    setTimeout(() => response.socket!.destroy(), 50);
  },
  '/inner': (_, response) => response.writeHead(307, { location: 'http://10.1.2.3/' }).end('moved'),
  '/moved': (_, response) => response.writeHead(307, { location: '/begun-and-ended' }).end('moved'),
  '/begun-and-ended': (_, response) => response.writeHead(200, EVENTS).end('data: 1\n\n'),
  '/gzip': (_, response) =>
    response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' }).end(gzipSync('data: 1\n\ndata: 2\n\n')),
  '/none': (_, response) => response.writeHead(204).end(),
  '/busy': (_, response) => response.writeHead(429, { 'retry-after': '7' }).end('too many'),
  '/json': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":"s3cret-key"}'),
  '/umlaut': (_, response) => response.writeHead(200, { 'x-name': Buffer.from('ä€').toString('latin1') }).end('ok'),
};
const answer: RequestListener = (request, response) => {
  requests.push(`${request.method} ${request.url}`);
  open = response;
  answers[request.url!]!(request, response);
};
const server = createServer(answer);

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
});

const makeClient = (options: Partial<HttpClientOptions> = {}) =>
  makeHttpClient({ ...HTTP_LIMITS, isAllowed: (address) => address === '127.0.0.1', ...options });

const decoder = new TextDecoder();
const SECRET = 's3cret-key';
const credential: Credential = {
  check: () => {},
  add: (head) => ({ ...head, headers: new Headers([...head.headers, ['authorization', SECRET]]) }),
  remove: (url) => url,
  redaction: makeRedaction([SECRET]),
};

/** Requests a path and collects what arrives. `next` resolves with the next piece. */
function receive(path: string, options: Partial<HttpClientOptions> = {}, more: Partial<HttpRequest> = {}) {
  const pieces: string[] = [];
  let head: Omit<HttpResponse, 'body'> | undefined;
  let wake = () => {};
  const stop = new AbortController();
  const done = makeClient(options).request({
    method: 'POST',
    url: `http://127.0.0.1:${port}${path}`,
    headers: [],
    signal: stop.signal,
    receive: {
      head: (received) => {
        head = received;
        wake();
      },
      piece: (bytes) => {
        pieces.push(decoder.decode(bytes));
        wake();
      },
    },
    ...more,
  });
  done.catch(() => wake());
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await new Promise<void>((resolve) => wake = resolve);
  };
  return { pieces, done, stop, head: () => head, until };
}

describe('an answer that is received in pieces', () => {
  it('arrives while the server sends it: the head first, then whole events', async () => {
    const { pieces, head, until, done } = receive('/live');
    await until(() => head() !== undefined);
    expect([head()!.status, head()!.headers['content-type'], pieces]).toEqual([200, 'text/event-stream', []]);
    for (const [sent, received] of [['data: 1\n\nda', 'data: 1\n\n'], ['ta: 2\r\n\r', 'data: 2\r\n\r']] as const) {
      open.write(sent);
      await until(() => pieces.includes(received));
    }
    open.end('\n:rest');
    expect(await done).toMatchObject({ status: 200, body: new Uint8Array(0) });
    expect(pieces.join('')).toBe('data: 1\n\ndata: 2\r\n\r\n:rest');
  });

  it('may be of any type, may be coded, and may have no body', async () => {
    const coded = receive('/gzip');
    await coded.done;
    expect(coded.pieces.join('')).toBe('data: 1\n\ndata: 2\n\n');
    const none = receive('/none');
    await none.done;
    expect([none.head()!.status, none.pieces]).toEqual([204, []]);
    const json = receive('/json');
    await json.done;
    expect(json.pieces.join('')).toBe('{"a":"s3cret-key"}');
  });

  it('comes from the end of redirects, which may not lead inside', async () => {
    const { pieces, head, done } = receive('/moved');
    await done;
    expect([head()!.status, pieces]).toEqual([200, ['data: 1\n\n']]);
    const inner = receive('/inner');
    await expect(inner.done).rejects.toThrow('IP address not allowed: 10.1.2.3');
    expect([inner.head(), inner.pieces]).toEqual([undefined, []]);
    const refused = receive('/inner', {}, { refusesRedirects: true });
    await refused.done;
    expect([refused.head()!.status, refused.pieces]).toEqual([307, ['moved']]);
  });

  it('ends by its limits of time, and an answer that goes on may take longer than the idle time', async () => {
    const slow = receive('/slow', { timeoutMs: 20 }, { timeoutMs: 30_000, idleMs: 5_000 });
    await slow.done;
    expect(slow.pieces.join('')).toBe('data: 1\n\n'.repeat(6));
    for (const path of ['/silent', '/begun']) {
      await expect(receive(path, {}, { timeoutMs: 30_000, idleMs: 100 }).done).rejects.toThrow(
        'the server sent nothing for 0.1 s',
      );
    }
    await expect(receive('/live', {}, { timeoutMs: 100 }).done).rejects.toThrow('the request took longer than 0.1 s');
  });

  it('ends by its limits of bytes', async () => {
    await expect(receive('/endless').done).rejects.toThrow(
      `the response is larger than ${HTTP_LIMITS.maxResponseBytes} bytes`,
    );
    const { pieces, done } = receive('/endless-event');
    await expect(done).rejects.toThrow(`an event of the response is larger than ${runLimits.event_bytes.value} bytes`);
    expect(pieces).toEqual([]);
  });

  it('fails when it breaks off, after its whole events', async () => {
    const { pieces, done } = receive('/broken');
    await expect(done).rejects.toThrow(TransientError);
    expect(pieces).toEqual(['data: 1\n\n']);
  });

  it('ends with its signal, also while the receiver takes no more', async () => {
    const { stop, head, until, done } = receive('/live');
    await until(() => head() !== undefined);
    stop.abort();
    await expect(done).rejects.toThrow('the request was canceled');
    const stuck = receive('/begun', {}, {
      receive: {
        head: () => {},
        piece: () => {
          stuck.stop.abort();
          return new Promise(() => {});
        },
      },
    });
    await expect(stuck.done).rejects.toThrow('the request was canceled');
  });

  it('counts against the budget of bytes, and keeps its place to its end', async () => {
    const budget = makeByteBudget({ totalBytes: 2e7, oneBytes: 1e7, freeBytes: 0 });
    const share = makeHttpShare(1, [budget]);
    const first = receive('/live', { share });
    await first.until(() => first.head() !== undefined);
    const second = receive('/begun-and-ended', { share });
    open.write('data: 1\n\n');
    await first.until(() => first.pieces.length > 0);
    expect(budget.heldBytes()).toBeGreaterThan(0);
    expect(requests).toEqual(['POST /live']);
    open.end();
    await Promise.all([first.done, second.done]);
    expect(budget.isEmpty()).toBe(true);
  });

  it('has no secret: in the head, in each event, and in a body of another type', async () => {
    const { pieces, until, head, done } = receive('/live', {}, { credential });
    await until(() => head() !== undefined);
    open.write('data: s3cr');
    open.write('et-key\n\n');
    await until(() => pieces.length > 0);
    open.end(`data: ${Buffer.from(SECRET).toString('hex')}\n\n`);
    await done;
    expect(pieces.join('')).toBe('data: [redacted]\n\ndata: [redacted]\n\n');
    const json = receive('/json', {}, { credential });
    await json.done;
    expect(json.pieces).toEqual(['{"a":"[redacted]"}']);
  });
});

describe('makeFetch', () => {
  const fetchBy = (options: Partial<HttpClientOptions> = {}, more: Partial<Parameters<typeof makeFetch>[1]> = {}) => {
    const call = makeFetch(makeClient(options), { signal: new AbortController().signal, ...more });
    return (path: string, init: RequestInit = { method: 'POST' }) => call(`http://127.0.0.1:${port}${path}`, init);
  };

  it('gives a body that arrives live', async () => {
    const response = await fetchBy()('/live', { method: 'POST', body: 'sent' });
    const reader = response.body!.getReader();
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      open.write(event);
      expect(decoder.decode((await reader.read()).value)).toBe(event);
    }
    open.end();
    expect(await reader.read()).toMatchObject({ done: true });
  });

  it('answers statuses, headers and bodies as fetch does', async () => {
    const busy = await fetchBy()('/busy');
    expect([busy.ok, busy.status, busy.headers.get('retry-after'), await busy.text()])
      .toEqual([false, 429, '7', 'too many']);
    expect((await fetchBy()('/none')).body).toBeNull();
    expect((await fetchBy()('/umlaut')).headers.get('x-name')).toBe('ä?');
    expect((await fetchBy()('/moved', { method: 'POST', redirect: 'manual' })).status).toBe(307);
  });

  it('gives the errors of the client, before and in the body', async () => {
    await expect(fetchBy()('/inner')).rejects.toThrow('IP address not allowed');
    await expect((await fetchBy()('/broken')).text()).rejects.toThrow(TransientError);
  });

  it('ends the request when the reader cancels, or when a signal of the caller is aborted', async () => {
    const share = makeHttpShare(1, []);
    const response = await fetchBy({ share })('/begun');
    await response.body!.cancel();
    const stop = new AbortController();
    const second = await fetchBy({ share })('/begun', { method: 'POST', signal: stop.signal });
    stop.abort();
    await expect(second.text()).rejects.toBe(stop.signal.reason);
    // The place is free again.
    expect(await (await fetchBy({ share })('/begun-and-ended')).text()).toBe('data: 1\n\n');
  });

  it('answers the standing stream of MCP without a request', async () => {
    const { status } = await fetchBy()('/live', { method: 'GET', headers: { accept: 'text/event-stream' } });
    expect([status, requests]).toEqual([405, []]);
    expect(await (await fetchBy()('/begun-and-ended', {})).text()).toBe('data: 1\n\n');
  });
});
