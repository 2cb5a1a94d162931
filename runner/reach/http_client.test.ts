import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HttpRequest } from '../engine/node.ts';
import { HTTP_LIMITS } from '../../tests/support/http_limits.ts';
import { isPublicOrPrivateAddress } from './address_rules.ts';
import { type ByteBudget, makeByteBudget } from './byte_budget.ts';
import { type HttpClientOptions, makeHttpClient } from './http_client.ts';
import { makeHttpShare } from './http_share.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../tests/fixtures/tls', name), 'utf8');
const servers: (Server | ReturnType<typeof createPlainServer>)[] = [];

/** Starts a server on loopback and returns its port. */
async function listen<S extends Server | ReturnType<typeof createPlainServer>>(server: S): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const bodyOf = async (request: IncomingMessage): Promise<string> =>
  Buffer.concat(await request.toArray()).toString('utf8');

/** The answers of the test server, by path. */
const answers: Record<string, RequestListener> = {
  '/coded': (request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost');
    response.writeHead(200, { 'content-encoding': searchParams.get('coding')! });
    response.end(Buffer.from(searchParams.get('body')!, 'base64'));
  },
  '/echo/x': (request, response) => answers['/echo']!(request, response),
  '/echo': async (request, response) => {
    const { method, headers, url } = request;
    response.end(JSON.stringify({ method, url, headers, body: await bodyOf(request) }));
  },
  '/redirect': (request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost');
    response.writeHead(Number(searchParams.get('status') ?? 302), { location: searchParams.get('to')! }).end('moved');
  },
  '/set': (request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost');
    response.writeHead(302, { location: searchParams.get('to')!, 'set-cookie': searchParams.getAll('cookie') }).end();
  },
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/nowhere': (_, response) => response.writeHead(302).end('no location'),
  '/silent': () => {},
  '/dripping': (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/stalling': (_, response) => void response.writeHead(200, { 'content-length': '9' }).write('begun'),
  '/breaking': (_, response) => {
    response.socket!.end('HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\nbegun');
  },
  '/endless': (_, response) => {
    response.writeHead(200);
    const pour = () => {
      while (response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', pour);
    pour();
  },
  '/sized': (request, response) =>
    response.end(Buffer.alloc(Number(new URL(request.url!, 'http://x').searchParams.get('n')))),
  '/gzip': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unpacked')),
  '/bomb': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2 ** 20))),
  '/huge-bomb': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2 ** 26))),
  '/deflate': (_, response) => response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync('unpacked')),
  '/cut-gzip': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unpacked').subarray(0, 15)),
  '/large-gzip': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(randomBytes(500_000))),
  '/tiny-chunks': (_, response) => {
    response.socket!.end(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`,
    );
  },
  '/not-gzip': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
  '/brotli': (_, response) => response.writeHead(200, { 'content-encoding': 'br' }).end('?'),
  '/headers': (_, response) =>
    response.writeHead(200, [['X-One', 'a'], ['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2'], ['__proto__', 'x']]).end(),
  '/hints': (_, response) => {
    response.writeEarlyHints({ link: '</a>' });
    response.end('after hints');
  },
};

const answer: RequestListener = (request, response) =>
  (answers[request.url!.split('?')[0]!] ?? ((_, unknown) => unknown.writeHead(404).end('none')))(request, response);

let port: number;
let otherPort: number;
let securePort: number;

beforeAll(async () => {
  port = await listen(createServer(answer));
  otherPort = await listen(createServer(answer));
  securePort = await listen(createSecureServer({ key: fixture('key.pem'), cert: fixture('certificate.pem') }, answer));
});
afterAll(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * Makes a resolver of names to addresses. If a name has several lists of addresses, each resolution returns the next
 * list.
 */
function makeResolver(names: Record<string, string[][]>) {
  const asked: string[] = [];
  const resolve = (name: string): Promise<string[]> => {
    const lists = names[name];
    if (lists === undefined) return Promise.reject(new Error('ENOTFOUND'));
    const times = asked.filter((earlier) => earlier === name).length;
    asked.push(name);
    return Promise.resolve(lists[Math.min(times, lists.length - 1)]!);
  };
  return { resolve, asked };
}

/**
 * Makes a client that treats loopback as the public Internet, because the servers of this test listen on loopback. The
 * real rules apply to all other addresses.
 */
const makeClient = (options: Partial<HttpClientOptions> = {}) =>
  makeHttpClient({
    ...HTTP_LIMITS,
    isAllowed: (address) => address === '127.0.0.1',
    resolve: makeResolver({ 'public.example': [['127.0.0.1']], 'other.example': [['127.0.0.1']] }).resolve,
    ...options,
  });

const get = (url: string, options?: Partial<HttpClientOptions>, request: Partial<HttpRequest> = {}) =>
  makeClient(options).request({ method: 'GET', url, headers: [], signal: new AbortController().signal, ...request });

const echo = async (path: string, request: Partial<HttpRequest> = {}) => {
  const { body } = await get(`http://public.example:${port}${path}`, {}, request);
  return JSON.parse(text(body));
};

const redirectTo = (to: string, status = 302) => `/redirect?status=${status}&to=${encodeURIComponent(to)}`;

describe('the addresses that the HTTP client reaches', () => {
  it('are those of the public Internet only, whatever form they are written in', async () => {
    const forms = [
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '0177.0.0.1',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::1]',
    ];
    for (
      const host of [...forms, '0', '10.0.0.1', '169.254.169.254', '[fe80::1]', '[64:ff9b::7f00:1]', '１２７.0.0.1']
    ) {
      await expect(get(`http://${host}:${port}/echo`, { isAllowed: undefined }), host).rejects.toThrow(
        `IP address not allowed: ${new URL(`http://${host}`).hostname.replace(/[[\]]/g, '')}`,
      );
    }
    await expect(get(`http://localhost:${port}/echo`, { isAllowed: undefined, resolve: undefined })).rejects.toThrow(
      /^IP address not allowed: (127\.0\.0\.1|::1)$/,
    );
  });

  it('include private ones if these are allowed', async () => {
    for (const host of ['127.0.0.1', '127.1', '2130706433']) {
      expect((await get(`http://${host}:${port}/echo`, { isAllowed: isPublicOrPrivateAddress })).status).toBe(200);
    }
    await expect(get('http://169.254.169.254/', { isAllowed: isPublicOrPrivateAddress })).rejects.toThrow(
      'not allowed',
    );
  });

  it('exclude a name that resolves to a private one, alone or beside a public one', async () => {
    const { resolve } = makeResolver({ 'inner.example': [['10.1.2.3']], 'both.example': [['127.0.0.1', '10.1.2.3']] });
    for (const name of ['inner.example', 'both.example']) {
      await expect(get(`http://${name}:${port}/echo`, { resolve })).rejects.toThrow('IP address not allowed: 10.1.2.3');
    }
  });

  it('are the checked ones, even if the name resolves to others a moment later', async () => {
    const { resolve, asked } = makeResolver({ 'rebinding.example': [['127.0.0.1'], ['10.1.2.3']] });
    expect((await get(`http://rebinding.example:${port}/echo`, { resolve })).status).toBe(200);
    expect(asked).toEqual(['rebinding.example']);
    await expect(get(`http://rebinding.example:${port}/echo`, { resolve })).rejects.toThrow('10.1.2.3');
  });

  it('are checked again on every redirect', async () => {
    const { resolve } = makeResolver({ 'public.example': [['127.0.0.1']], 'inner.example': [['10.1.2.3']] });
    for (const to of ['http://10.1.2.3/', 'http://inner.example/', 'http://0xa010203/', '//inner.example/']) {
      await expect(get(`http://public.example:${port}${redirectTo(to)}`, { resolve }), to).rejects.toThrow(
        'IP address not allowed: 10.1.2.3',
      );
    }
  });

  it('are tried in turn if one refuses the connection', async () => {
    const { resolve } = makeResolver({ 'two.example': [['::1', '127.0.0.1']], 'none.example': [[]] });
    const isAllowed = isPublicOrPrivateAddress;
    // No server listens on ::1.
    expect((await get(`http://two.example:${port}/echo`, { resolve, isAllowed })).status).toBe(200);
    const unused = createPlainServer();
    const closedPort = await listen(unused);
    unused.close();
    await expect(get(`http://two.example:${closedPort}/`, { resolve, isAllowed })).rejects.toThrow(
      `can't connect to two.example:${closedPort}: ECONNREFUSED`,
    );
    await expect(get('http://none.example/', { resolve })).rejects.toThrow("can't resolve the host none.example");
    await expect(get('http://unknown.example/', { resolve })).rejects.toThrow("can't resolve the host unknown.example");
  });
});

describe('TLS of the HTTP client', () => {
  const { resolve } = makeResolver({ 'secure.example': [['127.0.0.1']], 'wrong.example': [['127.0.0.1']] });

  it('verifies the name of the host, though it connects to an address', async () => {
    const { status, body } = await get(`https://secure.example:${securePort}/echo`, {
      resolve,
      ca: fixture('authority.pem'),
    });
    expect([status, JSON.parse(text(body)).headers.host]).toEqual([200, `secure.example:${securePort}`]);
  });

  it('refuses a certificate of another name or of an unknown authority', async () => {
    const wrongName = get(`https://wrong.example:${securePort}/echo`, { resolve, ca: fixture('authority.pem') });
    await expect(wrongName).rejects.toThrow(
      `can't connect to wrong.example:${securePort}: ERR_TLS_CERT_ALTNAME_INVALID`,
    );
    await expect(get(`https://secure.example:${securePort}/echo`, { resolve })).rejects.toThrow('UNABLE_TO_VERIFY');
    await expect(get(`https://secure.example:${port}/echo`, { resolve })).rejects.toThrow("can't connect to");
  });
});

describe('a request of the HTTP client', () => {
  it('carries method, headers, query and body, and the name as its host', async () => {
    const body = new TextEncoder().encode('héllo');
    expect(
      await echo('/echo?a=%20b#fragment', {
        method: 'put',
        headers: [['X-Own', 'ä'], ['x-own', 'two'], ['Accept', 'a/b']],
        body,
      }),
    ).toEqual({
      method: 'PUT',
      url: '/echo?a=%20b',
      body: 'héllo',
      headers: {
        accept: 'a/b',
        'accept-encoding': 'identity',
        connection: 'close',
        'content-length': '6',
        host: `public.example:${port}`,
        'user-agent': 'flow-deployments',
        'x-own': 'ä, two',
      },
    });
  });

  it('ignores framing headers of the caller, and sends the length of an expected empty body', async () => {
    const headers: [string, string][] = [
      ['Host', 'inner.example'],
      ['Transfer-Encoding', 'chunked'],
      ['content-length', '100'],
      ['connection', 'x-own'],
      ['Expect', '100-continue'],
    ];
    const got = await echo('/echo', { method: 'POST', headers });
    expect(got.headers).toEqual(
      expect.objectContaining({ host: `public.example:${port}`, 'content-length': '0', connection: 'close' }),
    );
    expect(Object.keys(got.headers)).not.toEqual(expect.arrayContaining(['transfer-encoding']));
    expect(got.headers.expect).toBeUndefined();
    expect((await echo('/echo')).headers['content-length']).toBeUndefined();
  });

  it('turns credentials in the URL into Basic authentication, unless it has an authorization header', async () => {
    const own = (headers: [string, string][] = []) =>
      get(`http://us%C3%A9r:p%40ss@public.example:${port}/echo`, {}, { headers });
    expect(JSON.parse(text((await own()).body)).headers.authorization).toBe(
      `Basic ${Buffer.from('usér:p@ss').toString('base64')}`,
    );
    expect(JSON.parse(text((await own([['Authorization', 'Bearer x']])).body)).headers.authorization).toBe('Bearer x');
  });

  it.each<[string, Partial<HttpRequest>]>([
    ['the URL is malformed', { url: 'no url' }],
    ['the URL is malformed', { url: '/relative' }],
    ["the URL's scheme must be http or https, not file", { url: 'file:///etc/passwd' }],
    ["the URL's scheme must be http or https, not ftp", { url: 'ftp://public.example/' }],
    ["the URL's credentials are malformed", { url: 'http://%ff@public.example/' }],
    ['the method "GET /" can\'t be used', { method: 'GET /' }],
    ['the method "connect" can\'t be used', { method: 'connect' }],
    ['the header "bad name" has a malformed name or value', { headers: [['bad name', 'x']] }],
    ['the header "x" has a malformed name or value', { headers: [['x', 'a\r\nhost: b']] }],
    ['the header "x" has a malformed name or value', { headers: [['x', 'ŝ']] }],
  ])('fails with "%s" when it is %j', async (message, request) => {
    await expect(get(`http://public.example:${port}/echo`, {}, request)).rejects.toThrow(message);
  });
});

describe('redirects of the HTTP client', () => {
  const body = new TextEncoder().encode('{}');
  const headers: [string, string][] = [['content-type', 'application/json'], ['authorization', 'a'], ['cookie', 'c'], [
    'x-own',
    'o',
  ]];

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [307, 'POST', 'POST', '{}'],
    [308, 'POST', 'POST', '{}'],
    ...[301, 302, 307].flatMap((status) =>
      ['PUT', 'PATCH', 'DELETE'].map((method): [number, string, string, string] => [status, method, method, '{}'])
    ),
    [303, 'PUT', 'GET', ''],
  ])(
    'of status %i continue %s as %s with the body "%s"',
    async (status, asked, method, expected) => {
      const got = await echo(redirectTo('/echo', status), { method: asked, headers, body });
      const type = expected === '' ? undefined : 'application/json';
      expect([got.method, got.body, got.headers['content-type']]).toEqual([method, expected, type]);
      expect(got.headers).toMatchObject({ authorization: 'a', cookie: 'c', 'x-own': 'o' });
    },
  );

  it('send no header that may be a credential to another origin', async () => {
    const credentials = [
      'authorization',
      'cookie',
      'proxy-authorization',
      'x-api-key',
      'apikey',
      'X-Auth-Token',
      'x-own',
    ];
    const harmless = { 'accept': 'a/b', 'accept-language': 'de', 'user-agent': 'mine' };
    const given: [string, string][] = [
      ...credentials.map((name): [string, string] => [name, 'secret']),
      ...Object.entries(harmless),
    ];
    for (const to of [`http://other.example:${port}/echo`, `http://public.example:${otherPort}/echo`]) {
      const got = await echo(redirectTo(to), { headers: given });
      expect(got.headers).toMatchObject({ ...harmless, host: new URL(to).host });
      expect(JSON.stringify(got.headers)).not.toContain('secret');
    }
    const { headers: posted } = await echo(redirectTo(`http://other.example:${port}/echo`, 307), {
      method: 'POST',
      headers: [['content-type', 'a/json'], ['x-api-key', 'secret']],
      body,
    });
    expect([posted['content-type'], posted['x-api-key']]).toEqual(['a/json', undefined]);
    const { headers: backAgain } = await echo(
      redirectTo(`http://other.example:${port}${redirectTo(`http://public.example:${port}/echo`)}`),
      { headers: given },
    );
    expect(JSON.stringify(backAgain)).not.toContain('secret');
    const sameOrigin = await echo(redirectTo('/echo'), { headers: given });
    expect(sameOrigin.headers).toMatchObject({ 'x-api-key': 'secret', 'x-auth-token': 'secret' });
  });

  it('lead to a location in UTF-8, in the path and in the host', async () => {
    const raw = await listen(createPlainServer((socket) =>
      socket.once('data', (head) => {
        const isFirst = head.toString().startsWith('GET / ');
        const location = Buffer.from(`http://müller.example:${port}/echo?q=größe`);
        socket.end(Buffer.concat([Buffer.from('HTTP/1.1 302 Found\r\nlocation: '), location, Buffer.from('\r\n\r\n')]));
        expect(isFirst).toBe(true);
      })
    ));
    const { resolve } = makeResolver({ 'public.example': [['127.0.0.1']], 'xn--mller-kva.example': [['127.0.0.1']] });
    const { body: got } = await get(`http://public.example:${raw}/`, { resolve });
    expect(JSON.parse(text(got)).url).toBe('/echo?q=gr%C3%B6%C3%9Fe');
  });

  it('send cookies on to the same host, and to no other', async () => {
    const setting = (to: string, ...cookies: string[]) =>
      `/set?${new URLSearchParams([['to', to], ...cookies.map((cookie) => ['cookie', cookie])])}`;
    const cookieOf = async (path: string, given?: string) =>
      (await echo(path, given === undefined ? {} : { headers: [['cookie', given]] })).headers.cookie;
    expect(await cookieOf(setting('/echo', 'a=1', 'b="x=y"; Path=/; HttpOnly'))).toBe('a=1; b="x=y"');
    expect(await cookieOf(setting('/echo', 'a=2'), 'a=1; own=1')).toBe('own=1; a=2');
    expect(await cookieOf(setting(setting('/echo', 'a=; Max-Age=0', 'b=3'), 'a=1', 'b=2'))).toBe('b=3');
    const unsent = [
      'a=1; Path=/other',
      'a=1; Secure',
      'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'no cookie',
      '=1',
    ];
    expect(await cookieOf(setting('/echo', ...unsent))).toBeUndefined();
    expect(await cookieOf(setting('/echo/x', 'a=1; Path=/echo', 'b=1; Path=/ech'))).toBe('a=1');
    expect(await cookieOf(setting(`http://other.example:${port}/echo`, 'a=1; Domain=example'))).toBeUndefined();
    const back = setting(`http://public.example:${port}/echo`, 'foreign=1');
    expect(await cookieOf(setting(`http://other.example:${port}${back}`, 'a=1'))).toBe('a=1');
    const { cookies } = await get(
      `http://public.example:${port}${setting(`http://other.example:${port}${back}`, 'a=1')}`,
    );
    expect(cookies).toEqual(['a=1']);
  });

  it('go from http to https, and to no other scheme', async () => {
    const { resolve } = makeResolver({ 'public.example': [['127.0.0.1']], 'secure.example': [['127.0.0.1']] });
    const options = { resolve, ca: fixture('authority.pem') };
    const from = (to: string) => get(`http://public.example:${port}${redirectTo(to)}`, options);
    expect((await from(`https://secure.example:${securePort}/echo`)).status).toBe(200);
    for (const to of ['file:///etc/passwd', 'data:text/plain,x', 'ws://public.example/']) {
      await expect(from(to)).rejects.toThrow("the URL's scheme must be http or https");
    }
  });

  it('end after ten, and without a location', async () => {
    let path = '/echo';
    for (let count = 0; count < 10; count++) path = redirectTo(path);
    expect((await echo(path)).url).toBe('/echo');
    await expect(get(`http://public.example:${port}${redirectTo(path)}`)).rejects.toThrow('more than 10 redirects');
    await expect(get(`http://public.example:${port}/loop`)).rejects.toThrow('more than 10 redirects');
    const { status, body } = await get(`http://public.example:${port}/nowhere`);
    expect([status, text(body)]).toEqual([302, 'no location']);
  });

  it('are returned as the answer if the request does not follow them', async () => {
    const answered = await get(`http://public.example:${port}${redirectTo('/echo', 307)}`, {}, {
      refusesRedirects: true,
    });
    expect([answered.status, text(answered.body)]).toEqual([307, 'moved']);
  });
});

describe('the limits of the HTTP client', () => {
  it.each(['/silent', '/dripping'])('end a request to %s when its time is over', async (path) => {
    const begin = Date.now();
    await expect(get(`http://public.example:${port}${path}`, { timeoutMs: 300 })).rejects.toThrow(
      'the request took longer than 0.3 s',
    );
    expect(Date.now() - begin).toBeLessThan(30_000);
  });

  it('count the time of looking up a name and of every redirect', async () => {
    await expect(get('http://public.example/', { timeoutMs: 100, resolve: () => new Promise(() => {}) })).rejects
      .toThrow(
        'the request took longer than 0.1 s',
      );
    await expect(get(`http://public.example:${port}${redirectTo('/silent')}`, { timeoutMs: 300 })).rejects.toThrow(
      'the request took longer than 0.3 s',
    );
  });

  it('refuse a body that is larger than allowed, announced, endless or unpacked', async () => {
    const url = (path: string) => `http://public.example:${port}${path}`;
    expect((await get(url('/sized?n=1000'), { maxResponseBytes: 1000 })).body).toHaveLength(1000);
    for (const path of ['/sized?n=1001', '/endless', '/bomb']) {
      await expect(get(url(path), { maxResponseBytes: path === '/bomb' ? 100_000 : 1000 }), path).rejects.toThrow(
        /^the response is larger than \d+ bytes$/,
      );
    }
    await expect(get(url('/endless'))).rejects.toThrow('the response is larger than 10485760 bytes');
  });

  it('end a request that is aborted before it begins or while it runs', async () => {
    for (const path of ['/silent', '/dripping']) {
      const controller = new AbortController();
      const request = get(`http://public.example:${port}${path}`, {}, { signal: controller.signal });
      setTimeout(() => controller.abort(), 50);
      await expect(request).rejects.toThrow('the request was canceled');
    }
    await expect(get(`http://public.example:${port}/echo`, {}, { signal: AbortSignal.abort() })).rejects.toThrow(
      'the request was canceled',
    );
  });
});

describe('a part of an answer', () => {
  const part = async (path: string, options?: Partial<HttpClientOptions>): Promise<[number, string]> => {
    const request = { takesPartOfBody: true, maxResponseBytes: 10 };
    const { status, body } = await get(`http://public.example:${port}${path}`, options, request);
    return [status, text(body)];
  };

  it('is returned of a longer answer, however its length is given', async () => {
    for (const path of ['/sized?n=11', '/sized?n=100000', '/endless']) {
      expect(await part(path), path).toEqual([200, '\0'.repeat(10)]);
    }
    // The chunks of this body have more framing than data.
    expect((await part('/tiny-chunks'))[0]).toBe(200);
    expect(await part('/sized?n=10')).toEqual([200, '\0'.repeat(10)]);
  });

  it('is returned of an answer that stalls or breaks off, and of a compressed one as sent', async () => {
    expect(await part('/stalling', { timeoutMs: 300 })).toEqual([200, 'begun']);
    expect(await part('/breaking')).toEqual([201, 'begun']);
    expect((await part('/bomb'))[0]).toBe(200);
    expect((await part('/brotli'))[1]).toBe('?');
  });

  it('needs a complete head', async () => {
    await expect(part('/silent', { timeoutMs: 300 })).rejects.toThrow('the request took longer than 0.3 s');
  });
});

describe('the share of a run', () => {
  const url = (path: string) => `http://public.example:${port}${path}`;

  it('limits concurrent requests; waiting ones have no body yet, and their time has not begun', async () => {
    const share = makeHttpShare(1, []);
    const first = new AbortController();
    const silent = get(url('/silent'), { share }, { signal: first.signal });
    const makeBody = vi.fn(() => new TextEncoder().encode('body'));
    const second = get(url('/echo'), { share, timeoutMs: 1_000 }, { method: 'POST', makeBody });
    await get(url('/echo'));
    expect(makeBody).not.toHaveBeenCalled();
    first.abort();
    await expect(silent).rejects.toThrow('the request was canceled');
    expect(JSON.parse(text((await second).body)).body).toBe('body');
  });

  it('holds no more bytes than its budget, however many answers come at once', async () => {
    const budget = makeByteBudget({ totalBytes: 3_000_000, oneBytes: 1_500_000, freeBytes: 0 });
    let most = 0;
    const watched: ByteBudget = {
      heldBytes: budget.heldBytes,
      isEmpty: budget.isEmpty,
      enter: () => {
        const holder = budget.enter();
        return {
          hold: (bytes, signal) => {
            const wait = holder.hold(bytes, signal);
            most = Math.max(most, budget.heldBytes());
            return wait;
          },
          release: holder.release,
        };
      },
    };
    const share = makeHttpShare(20, [watched]);
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async () => (await get(url('/sized?n=1000000'), { share })).body.length),
    );
    expect(bodies).toEqual(Array(20).fill(1_000_000));
    expect(most).toBeGreaterThan(1_000_000);
    expect(most).toBeLessThanOrEqual(3_600_000);
    expect(budget.heldBytes()).toBe(0);
  });

  it('does not count the time that requests wait for bytes', async () => {
    const budget = makeByteBudget({ totalBytes: 2_000_000, oneBytes: 1_500_000, freeBytes: 0 });
    const other = budget.enter();
    const another = budget.enter();
    for (const holder of [other, another]) void holder.hold(500_000, new AbortController().signal);
    const request = get(url('/sized?n=1000000'), { share: makeHttpShare(1, [budget]), timeoutMs: 400 });
    let hasEnded = false;
    const ended = request.finally(() => hasEnded = true);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(hasEnded).toBe(false);
    other.release();
    another.release();
    expect((await ended).body).toHaveLength(1_000_000);
  });

  it('refuses bodies of requests and heads that are larger than allowed', async () => {
    const share = makeHttpShare(1, []);
    const body = new Uint8Array(1_001);
    await expect(get(url('/echo'), { share, maxResponseBytes: 1_000 }, { method: 'POST', body })).rejects.toThrow(
      'the body of the request is larger than 1000 bytes',
    );
    await expect(get(url(`/echo?${'x'.repeat(70_000)}`), { share })).rejects.toThrow(
      'the URL and headers of the request are larger than 65536 bytes',
    );
  });
});

describe('a response of the HTTP client', () => {
  const url = (path: string) => `http://public.example:${port}${path}`;

  it('has its headers in lower case, joined, and a list of cookies', async () => {
    const { headers, cookies } = await get(url('/headers'));
    expect(cookies).toEqual(['a=1', 'b=2']);
    expect({ ...headers }).toMatchObject({ 'x-one': 'a', 'set-cookie': 'a=1, b=2' });
    expect(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value).toBe('x');
  });

  it('is inflated in portions, and no further than the limit', async () => {
    const pushed = vi.spyOn(Readable.prototype, 'push');
    let inflated: number;
    try {
      await expect(get(url('/huge-bomb'), { maxResponseBytes: 1_000_000 })).rejects.toThrow(
        'the response is larger than 1000000 bytes',
      );
      // Sockets push, too, but the bomb itself has only 65 kB.
      inflated = pushed.mock.calls.reduce((sum, [piece]) => sum + (piece?.length ?? 0), 0);
    } finally {
      pushed.mockRestore();
    }
    expect(inflated).toBeLessThan(2_000_000);
    expect(text((await get(url('/deflate'))).body)).toBe('unpacked');
    expect((await get(url('/large-gzip'))).body).toHaveLength(500_000);
    await expect(get(url('/cut-gzip'))).rejects.toThrow('the content-encoding is gzip, but the body is not valid gzip');
  });

  it('is read the same from tiny chunks, unless there are too many of them', async () => {
    expect((await get(url('/tiny-chunks'))).body).toHaveLength(50_000);
    await expect(get(url('/tiny-chunks'), { maxResponseBytes: 60_000 })).rejects.toThrow(
      'the response has too many small chunks or too long chunk headers',
    );
  });

  it("has the limit of its request if that is below the client's", async () => {
    await expect(get(url('/sized?n=1001'), {}, { maxResponseBytes: 1000 })).rejects.toThrow(
      'the response is larger than 1000 bytes',
    );
  });

  const coded = (coding: string, body: Uint8Array, options?: Partial<HttpClientOptions>) =>
    get(url(`/coded?${new URLSearchParams({ coding, body: Buffer.from(body).toString('base64') })}`), options);

  it.each<[string, string, Uint8Array]>([
    ['x-gzip', 'x-gzip', gzipSync('decoded')],
    ['a name in capitals', 'GZip', gzipSync('decoded')],
    ['gzip of several members', 'gzip', Buffer.concat([gzipSync('dec'), gzipSync(''), gzipSync('oded')])],
    ['deflate with the header of zlib', 'deflate', deflateSync('decoded')],
    ['deflate without it', 'deflate', deflateRawSync('decoded')],
    ['stored blocks without it', 'deflate', deflateRawSync('decoded', { level: 0 })],
    ['several codings', 'deflate, gzip', gzipSync(deflateSync('decoded'))],
    ['identity', 'identity', Buffer.from('decoded')],
    ['identity beside another', 'gzip, identity', gzipSync('decoded')],
  ])('is decoded from %s', async (_what, coding, body) => {
    expect(text((await coded(coding, body)).body)).toBe('decoded');
    expect(text((await coded(coding, new Uint8Array(0))).body)).toBe('');
  });

  it('is refused in too many codings, and if a coding inside of another swells', async () => {
    await expect(coded('gzip, gzip, gzip, gzip', gzipSync('x'))).rejects.toThrow(
      'the response has more than 3 content-encodings',
    );
    const empty = gzipSync('');
    const members = gzipSync(Buffer.concat(Array.from({ length: 20_000 }, () => empty)));
    await expect(coded('gzip, gzip', members, { maxResponseBytes: 100_000 })).rejects.toThrow(
      'the response is larger than 100000 bytes',
    );
    await expect(coded('gzip, br', gzipSync('x'))).rejects.toThrow('the content-encoding br is not supported');
  });

  it('is decoded from gzip, and refused in an unknown coding', async () => {
    expect(text((await get(url('/gzip'))).body)).toBe('unpacked');
    await expect(get(url('/brotli'))).rejects.toThrow('the content-encoding br is not supported');
    await expect(get(url('/not-gzip'))).rejects.toThrow('the content-encoding is gzip, but the body is not valid gzip');
  });

  it('has no body for HEAD, and follows informational ones', async () => {
    const { status, headers, body } = await get(url('/gzip'), {}, { method: 'HEAD' });
    expect([status, headers['content-encoding'], body.length]).toEqual([200, 'gzip', 0]);
    expect(text((await get(url('/hints'))).body)).toBe('after hints');
  });

  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  it.each([
    ['is empty', '', 'the connection was closed before the response was complete'],
    [
      'ends before its length',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc',
      'the connection was closed before the response was complete',
    ],
    [
      'ends before its last chunk',
      `${chunked}3\r\nabc\r\n`,
      'the connection was closed before the response was complete',
    ],
    ['has a chunk longer than it says', `${chunked}3\r\nabcd\r\n0\r\n\r\n`, 'the response has a malformed chunk'],
    ['has a chunk of negative size', `${chunked}-3\r\nabc\r\n0\r\n\r\n`, 'the response has a malformed chunk'],
    [
      'has two transfer codings',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      'the transfer-encoding gzip, chunked is not supported',
    ],
    [
      'has two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      'the response has a malformed content-length',
    ],
    [
      'has a negative length',
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nab',
      'the response has a malformed content-length',
    ],
    ['has a header without a colon', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'the response has a malformed header'],
    ['has a folded header', 'HTTP/1.1 200 OK\r\nx: a\r\n folded\r\n\r\n', 'the response has a malformed header'],
    [
      'has a long header',
      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      'the head of the response is too large',
    ],
    [
      'has many headers',
      `HTTP/1.1 200 OK\r\n${`x: ${'a'.repeat(1000)}\r\n`.repeat(20)}\r\n`,
      'the head of the response is too large',
    ],
    ['never comes to the point', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100), 'the server gives no final response'],
    ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'the server asks to change the protocol'],
    ['is of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'the response is not HTTP/1.1'],
    ['is of another version', 'HTTP/2 200 OK\r\n\r\n', 'the response is not HTTP/1.1'],
  ])('that %s is refused', async (_, sent, message) => {
    const badPort = await listen(createPlainServer((socket) => socket.once('data', () => socket.end(sent))));
    await expect(get(`http://public.example:${badPort}/`)).rejects.toThrow(message);
  });

  it.each([
    ['says its length', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcd', 'abc'],
    ['says its length twice', 'HTTP/1.1 200\r\ncontent-length: 3, 3\r\n\r\nabc', 'abc'],
    ['ends with the connection', 'HTTP/1.0 200 OK\nx: y\n\nuntil the end', 'until the end'],
    ['never has a body', 'HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\nabc', ''],
    [
      'is chunked',
      `${
        chunked.replace('\r\n\r\n', '\r\ncontent-length: 1\r\n\r\n')
      }3;x=y\r\nabc\r\nA \r\n0123456789\r\n0\r\nt: r\r\n\r\n`,
      'abc0123456789',
    ],
  ])('that %s is read to its end, in one piece and byte by byte', async (_, sent, body) => {
    const sendBytes = async (socket: Socket) => {
      socket.setNoDelay();
      for (const byte of Buffer.from(sent)) {
        socket.write(Uint8Array.of(byte));
        await new Promise(setImmediate);
      }
      socket.end();
    };
    for (const send of [(socket: Socket) => socket.end(sent), sendBytes]) {
      const rawPort = await listen(createPlainServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => void send(socket));
      }));
      expect(text((await get(`http://public.example:${rawPort}/`)).body)).toBe(body);
    }
  });
});
