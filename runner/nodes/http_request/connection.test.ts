import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../../tests/support/http_limits.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { type DirectSecret, makeCredential } from '../../connections/credential.ts';
import { makeHttpClient } from '../../reach/http_client.ts';
import { httpRequestNode } from './index.ts';

const SECRET = 'tokén-0123456789/+ "x"'.replace('é', 'e');
let servers: Server[];
/** The base URLs of two servers. */
let home: string;
let other: string;
/** The head of each request that the servers received. */
let received: { host: string; url: string; headers: string }[] = [];

/**
 * Redirects if the query has `to`, or for the paths /back and /slash. Otherwise sends the whole request back in many
 * encodings, with `status`.
 */
const answer: RequestListener = (request, response) => {
  const url = new URL(request.url!, 'http://localhost');
  const headers = request.rawHeaders.join('\n');
  received.push({ host: request.headers.host!, url: request.url!, headers });
  const to = url.searchParams.get('to');
  if (to !== null) return void response.writeHead(302, { location: to }).end();
  if (url.pathname === '/back') return void response.writeHead(302, { location: `${other}/echo${url.search}` }).end();
  if (url.pathname === '/slash') return void response.writeHead(302, { location: `/end${url.search}` }).end();
  if (url.pathname === '/cookie') {
    const cookies = [`leak=${encodeURIComponent(headers)}`, 'plain=1'];
    return void response.writeHead(302, { location: `${other}/echo`, 'set-cookie': cookies }).end();
  }
  if (url.pathname === '/charset') {
    const charset = url.searchParams.get('charset')!;
    const token = /Bearer (.*)/.exec(headers)![1]!;
    const text = { 'iso-2022-jp': [...token].join('\x1b(B'), 'iso-8859-1': `${token} gr\xfcn` }[charset]!;
    response.writeHead(200, { 'content-type': `text/plain; charset=${charset}` });
    return void response.end(Buffer.from(text, 'latin1'));
  }
  if (url.pathname === '/brotli') return void response.writeHead(200, { 'content-encoding': 'br' }).end('x');
  const everything = `${request.url}\n${decodeURIComponent(request.url!)}\n${headers}`;
  const encoded = [
    everything,
    encodeURIComponent(everything),
    Buffer.from(everything).toString('base64'),
    Buffer.from(everything).toString('base64url'),
    Buffer.from(everything).toString('hex'),
  ];
  response.statusCode = Number(url.searchParams.get('status') ?? 200);
  response.setHeader('x-echo', [...encoded.slice(1), everything.replaceAll('\n', ' ')].join(' '));
  response.setHeader('content-type', url.searchParams.get('type') ?? 'application/json');
  const body = Buffer.from(JSON.stringify({ encoded, nested: { json: JSON.stringify(encoded) }, [everything]: 1 }));
  if (url.pathname !== '/zipped') return void response.end(body);
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync(body));
};

beforeAll(async () => {
  servers = [createServer({ maxHeaderSize: 65_536 }, answer), createServer(answer)];
  const urls = await Promise.all(servers.map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }));
  [home, other] = urls as [string, string];
});
afterAll(() => {
  for (const server of servers) server.close();
});

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });

const kinds: ({ header?: string; parameter?: string } & DirectSecret)[] = [
  { kind: 'bearer', secret: { token: SECRET.replaceAll(/[ "]/g, '-') } },
  { kind: 'basic', secret: { user: 'the-user', password: SECRET } },
  { kind: 'basic', secret: { user: SECRET, password: '' } },
  { kind: 'header', header: 'x-api-key', secret: { value: SECRET } },
  { kind: 'query', parameter: 'key', secret: { value: SECRET } },
];

interface Options {
  hosts?: string[];
  allowsHttp?: boolean;
}

const run = (opened: (typeof kinds)[number], inputs: ValueMap, { hosts, allowsHttp = true }: Options = {}) => {
  received = [];
  const { header = null, parameter = null } = opened;
  const connection = { name: 'mail', hosts: hosts ?? [home.slice(7)], header, parameter };
  return runNode(httpRequestNode, inputs, {
    http,
    formData: { connection: 'mail' },
    openConnection: () => Promise.resolve(makeCredential(connection, opened, { allowsHttp })),
  });
};

const [bearer, basic, , header, query] = kinds as [
  (typeof kinds)[0],
  (typeof kinds)[0],
  (typeof kinds)[0],
  (typeof kinds)[0],
  (typeof kinds)[0],
];

/** Tests whether a text contains a part of the secret in one of the server's encodings. */
const leaks = (text: string): boolean =>
  ['token-0123456789', 'token%2D0123', Buffer.from('n-01234').toString('hex')].some((form) => text.includes(form)) ||
  [...text.matchAll(/[A-Za-z0-9+/_-]{16,}/g)].some(([word]) =>
    [0, 1, 2, 3].some((skipped) => Buffer.from(word.slice(skipped), 'base64').toString('latin1').includes('0123456'))
  );

const sentSecret = (request: (typeof received)[number] | undefined): boolean =>
  request !== undefined && leaks(`${decodeURIComponent(request.url)}\n${request.headers}`);

describe('a request with a connection', () => {
  it.each(kinds)('carries the secret, and the output does not contain it ($kind)', async (opened) => {
    for (const path of ['/echo?a=1', '/echo', '/zipped']) {
      for (const type of ['', 'application/octet-stream', 'text/plain']) {
        const url = new URL(path, home);
        if (type !== '') url.searchParams.set('type', type);
        const outputs = await run(opened, { url: { S: url.href } });
        expect(sentSecret(received[0])).toBe(true);
        const text = JSON.stringify(outputs);
        expect(text).toContain(type === 'application/octet-stream' ? '"BY"' : '[redacted]');
        const body = outputs['body'] as { BY?: string };
        expect(leaks(text) || leaks(Buffer.from(body.BY ?? '', 'base64').toString('latin1'))).toBe(false);
      }
    }
  });

  it.each(kinds)('has errors without the secret ($kind)', async (opened) => {
    for (const type of ['application/json', 'text/plain', 'text/plain;charset=utf-7']) {
      const url = new URL('/echo?status=418', home);
      url.searchParams.set('type', type);
      const error: Error = await run(opened, { url: { S: url.href } }).then(() => expect.unreachable(), (e) => e);
      expect(error.message).toContain('status code: 418');
      expect(error.message).toContain('[redacted]');
      expect(leaks(`${error.message} ${error.stack}`)).toBe(false);
    }
  });

  it.each(kinds)('has no secret behind a redirect to another origin ($kind)', async (opened) => {
    const to = `${other}/echo`;
    await run(opened, { url: { S: `${home}/x?to=${encodeURIComponent(to)}` } });
    expect(received.map(sentSecret)).toEqual([true, false]);
    // The secret is not sent even if the second redirect leads back to the first server.
    const back = `${other}/x?to=${encodeURIComponent(`${home}/echo`)}`;
    await run(opened, { url: { S: `${home}/x?to=${encodeURIComponent(back)}` } }, {
      hosts: [home.slice(7), other.slice(7)],
    });
    expect(received.map(sentSecret)).toEqual([true, false, false]);
  });

  it.each(kinds)('carries the secret once behind a redirect within its hosts ($kind)', async (opened) => {
    await run(opened, { url: { S: `${home}/slash?a=1` } });
    expect(received.map(sentSecret)).toEqual([true, true]);
    expect(received[1]!.url.split('key=')).toHaveLength(opened.kind === 'query' ? 2 : 1);
    await run(opened, { url: { S: `${home}/v1/x?to=/v2` } }, { hosts: [`${home.slice(7)}/v1`] });
    expect(received.map(sentSecret)).toEqual([true, false]);
  });

  it.each([['iso-2022-jp', '[redacted]'], ['iso-8859-1', '[redacted] grün']])(
    'has a text without the secret in the charset %s',
    async (charset, expected) => {
      const { body } = await run(bearer, { url: { S: `${home}/charset?charset=${charset}` } });
      expect(body).toEqual({ S: expected });
    },
  );

  it('asks for the whole answer, because a part of the secret can not be found', async () => {
    const headers = { M: { Range: { S: 'bytes=0-3' }, 'if-range': { S: '"x"' }, 'x-other': { S: 'y' } } };
    await run(bearer, { url: { S: `${home}/echo` }, headers });
    expect(received[0]!.headers).toContain('x-other\ny');
    expect(received[0]!.headers).not.toMatch(/range/i);
  });

  it('does not take the secret along in a cookie', async () => {
    const { cookies } = await run(bearer, { url: { S: `${home}/cookie` } });
    expect(received.map(sentSecret)).toEqual([true, false]);
    expect(received[1]!.headers).toContain('cookie\nplain=1');
    expect(JSON.stringify(cookies)).toContain('[redacted]');
    expect(leaks(JSON.stringify(cookies))).toBe(false);
  });

  it('does not take the secret along in the URL of a redirect', async () => {
    await run(query, { url: { S: `${home}/back` } });
    expect(received.map(sentSecret)).toEqual([true, false]);
    // If a redirect repeats the secret under another name, the client refuses the redirect.
    const error: Error = await run({ ...query, parameter: 'to' }, { url: { S: `${home}/x` } })
      .then(() => expect.unreachable(), (e) => e);
    expect(error.message).toBe('the server redirects to a URL that repeats the secret of the connection');
    expect(received).toHaveLength(1);
  });

  it.each<[string, () => string, Options, () => string]>([
    ['another host', () => `${other}/echo`, {}, () => `of ${other.slice(7)}: its hosts do not name it`],
    ['another path', () => `${home}/v1/..%2fadmin`, { hosts: ['PATH'] }, () => 'its hosts do not name it'],
    ['http', () => `${home}/echo`, { allowsHttp: false }, () => 'is for https URLs only'],
  ])('is not sent to %s', async (_what, url, options, says) => {
    const hosts = options.hosts === undefined ? undefined : [`${home.slice(7)}/v1`];
    const given: Options = { ...options, ...(hosts && { hosts }) };
    if (hosts === undefined) delete given.hosts;
    const error: Error = await run(bearer, { url: { S: url() } }, given).then(() => expect.unreachable(), (e) => e);
    expect(error.message).toMatch(/^connection_url_refused: the connection /);
    expect(error.message).toContain(says());
    expect(received).toEqual([]);
  });

  it.each<[string, (typeof kinds)[number], (base: string) => ValueMap, RegExp]>([
    ['basic_auth', query, () => ({ basic_auth: { M: { user: { S: 'u' } } } }), /either a connection or basic_auth/],
    [
      'credentials in the URL',
      query,
      (base) => ({ url: { S: base.replace('//', '//u:p@') } }),
      /either a connection or credentials in the URL/,
    ],
    [
      'the header of a bearer',
      bearer,
      () => ({ headers: { M: { Authorization: { S: 'Bearer other' } } } }),
      /sends the header authorization/,
    ],
    ['its own header', header, () => ({ headers: { M: { 'X-Api-Key': { S: 'o' } } } }), /sends the header x-api-key/],
    [
      'its own parameter',
      query,
      (base) => ({ url: { S: `${base}?%6bey=1` } }),
      /a query parameter that the URL already has/,
    ],
  ])('is refused together with %s', async (_what, opened, inputs, message) => {
    const base = `${home}/echo`;
    await expect(run(opened, { url: { S: base }, ...inputs(base) })).rejects.toThrow(message);
    expect(received).toEqual([]);
  });

  it('asks for a body whose encoding does not hide the secret', async () => {
    const inputs = { url: { S: `${home}/brotli` }, headers: { M: { 'accept-encoding': { S: 'br' } } } };
    await expect(run(basic, inputs)).rejects.toThrow('the content-encoding br is not supported');
    expect(received[0]!.headers).toContain('accept-encoding\nidentity');
  });

  it('reports a 401 to the connection only if the refused request carried the secret', async () => {
    const refused: string[] = [];
    const opened: DirectSecret = { kind: 'bearer', secret: { token: 'token-0123456789' } };
    const connection = {
      name: 'mail',
      hosts: [`${home.slice(7)}/echo`, `${home.slice(7)}/x`],
      header: null,
      parameter: null,
    };
    const get = async (url: string) => {
      const openConnection = () =>
        Promise.resolve(makeCredential(connection, opened, {
          allowsHttp: true,
          refused: async () => {
            refused.push(url);
            throw new Error('the database does not answer');
          },
        }));
      const call = { http, formData: { connection: 'mail' }, openConnection };
      await expect(runNode(httpRequestNode, { url: { S: url } }, call)).rejects.toThrow('status code: 401');
    };
    await get(`${home}/echo?status=401`);
    await get(`${home}/x?to=${encodeURIComponent(`${other}/echo?status=401`)}`);
    await get(`${home}/x?to=${encodeURIComponent(`${home}/outside?status=401`)}`);
    expect(refused).toEqual([`${home}/echo?status=401`]);
  });

  it('needs the name of a connection in its form data', async () => {
    const call = { http, openConnection: () => expect.unreachable() };
    const inputs = { url: { S: `${home}/echo` }, connection: { S: 'mail' } };
    for (const connection of [undefined, null, '']) {
      await runNode(httpRequestNode, inputs, {
        ...call,
        formData: { ...(connection !== undefined && { connection }) },
      });
    }
    await expect(runNode(httpRequestNode, inputs, { ...call, formData: { connection: ['mail'] } })).rejects.toThrow(
      'connection must be the name of a connection',
    );
  });
});
